// Describes the files that `warptune export` writes for a kernel's source to include. Where Warptune compiles that
// source again, it gives the parameters itself, and such a file leaves them alone. So a source that uses its winners
// can still be tuned. (Rejected: a condition on the parameters alone. A program's own macro may have a parameter's
// name.)
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner {

// Every backend's compiler defines this macro as 1.
inline constexpr std::string_view tuning_macro = "WARPTUNE_TUNING";

// Returns the directive that begins an exported file's first branch, which is compiled where Warptune gives all of the
// parameters: "#if defined(WARPTUNE_TUNING) && defined(TILE)". Behind the branch comes "#elif" or "#else".
std::string tuning_condition(const std::vector<std::string>& parameters);

// Returns the first branch of an exported file whose parameters are all `given`. Another winner does not change it.
// Every other text is returned as it is.
std::string_view text_when_tuning(std::string_view text, const std::set<std::string>& given);

}  // namespace warptune::tuner
