// Integers that a source names without a macro: constexpr int TILE = 16, RADIUS{3}; enum { BINS = 64 };
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/kernel/draft/c_expression.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

struct NamedConstant {
  std::string name;
  CExpression value;
  int line = 0;
  // Whether a value that the compiler is given can stand in its place: the only one of its declaration, which goes
  // (whole_program.h). A macro would break the declaration of several, or an enumerator's.
  bool gives_way = false;
  bool is_counted = false;  // an enumerator without a value of its own
};

// Of a type or variable at namespace scope; none if it is another.
std::vector<NamedConstant> named_constants(const SourceItem& item, TokenSpan tokens);

// struct Pack { static constexpr int size = 4; enum { rows = 2 }; }; as Pack::size and Pack::rows. None of a template,
// whose members may have another value for each type.
std::vector<NamedConstant> member_constants(const SourceItem& item, TokenSpan tokens);

}  // namespace warptune::tuner::draft
