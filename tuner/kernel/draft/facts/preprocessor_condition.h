// Finds the value of a condition of #if, as far as a source says it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// KnownMacros holds, for each macro that is defined, the tokens that follow its name in the definition.
using KnownMacros = std::map<std::string, std::vector<SourceToken>>;

struct ConditionValue {
  std::optional<bool> holds;    // nothing: it cannot be told
  std::set<std::string> asked;  // names that decide and that the source does not define: it may be built with -DNAME
};

// Returns the value of the tokens behind #if or #elif. A name that is not defined is 0, as C++ has it. The compiler's
// own names are unknown (__CUDA_ARCH__), apart from those that every CUDA compiler defines (__CUDACC__) and those of
// other compilers and systems (_WIN32), which are not defined.
ConditionValue condition_value(TokenSpan condition, const KnownMacros& macros);

}  // namespace warptune::tuner::draft
