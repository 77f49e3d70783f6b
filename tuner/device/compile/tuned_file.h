// Files that `warptune export` writes for a kernel's source to include. Where Warptune compiles that source again, it
// gives the parameters itself, and such a file leaves them alone: a source that uses its winners can still be tuned.
// (Rejected: a condition on the parameters alone. A program's own macro may have a parameter's name.)
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner {

// What every backend's compiler defines, as 1.
inline constexpr std::string_view tuning_macro = "WARPTUNE_TUNING";

// The directive that begins an exported file's first branch, which is compiled where Warptune gives all of the
// parameters: "#if defined(WARPTUNE_TUNING) && defined(TILE)". Behind it comes "#elif" or "#else".
std::string tuning_condition(const std::vector<std::string>& parameters);

// Of an exported file whose parameters are all `given`: its first branch, which another winner does not change. Every
// other text as it is.
std::string_view text_when_tuning(std::string_view text, const std::set<std::string>& given);

}  // namespace warptune::tuner
