// Reads integers that a source names without a macro: constexpr int TILE = 16, RADIUS{3}; enum { BINS = 64 };
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/kernel/draft/expressions/c_expression.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

struct NamedConstant {
  std::string name;
  CExpression value;
  int line = 0;
  // Says whether a value that the compiler is given can stand in the constant's place. It can if the constant is the
  // only one of its declaration, which is then left out (whole_program.h). A macro would break a declaration of several
  // constants, or an enumerator's.
  bool gives_way = false;
  bool is_counted = false;  // an enumerator without a value of its own
};

// Returns the constants of a type or variable at namespace scope; none if the item is another.
std::vector<NamedConstant> named_constants(const SourceItem& item, TokenSpan tokens);

// Returns the constants of a type's members: struct Pack { static constexpr int size = 4; enum { rows = 2 }; }; has
// Pack::size and Pack::rows. A template has none, for its members may have another value for each type.
std::vector<NamedConstant> member_constants(const SourceItem& item, TokenSpan tokens);

}  // namespace warptune::tuner::draft
