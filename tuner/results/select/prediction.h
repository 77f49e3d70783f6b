// Predicts what a size that was never measured may be given, and what that is likely to cost.
#pragma once

#include <optional>
#include <vector>

#include "tuner/results/select/selection.h"
#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner {

// Holds measured sizes of one kernel on one device in one variant, each with the configuration that serves it.
struct ServedSizes {
  std::vector<search::NamedValues> sizes;
  std::vector<std::size_t> serving;  // by size: a configuration
  // slowdown[configuration][size] is the objective over the best known there, 1 or more; infinite if the configuration
  // failed there, absent if nobody tried it.
  std::vector<std::vector<std::optional<double>>> slowdown;
};

// Returns each size with its own winner; sizes without one are left out.
ServedSizes served_by_winners(const MeasuredSizes& measured);

// Returns the rule by which a size gets the configuration of the nearest one. It has the weights of the dimensions with
// which it loses least when each size is left out and predicted from the others. Its figures are those of sizes that
// neither the weights nor the prediction knew, so that they hold for new ones. A configuration that failed at the size
// left out is passed over; where nobody has tried it there, the size has no figure. Returns nothing if fewer than
// `fewest_left_out` sizes have one. The groups (devices, variants) share the rule; a size is predicted within its own.
std::optional<SizeRule> learn_size_rule(const std::vector<ServedSizes>& groups);
inline constexpr std::size_t fewest_left_out = 4;

// Returns the number of the size whose configuration this one gets by the rule; that of the size itself, if it is
// there. `sizes` must not be empty.
std::size_t nearest_size(const std::vector<search::NamedValues>& sizes, const search::NamedValues& wanted,
                         const std::optional<SizeRule>& rule);

}  // namespace warptune::tuner
