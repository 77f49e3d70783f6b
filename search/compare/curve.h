// Computes the curve of a strategy on a space: the rank of the best objective it has found, over time, from many
// repeats.
#pragma once

#include <vector>

#include "search/compare/trajectory.h"
#include "search/random.h"

namespace warptune::search::compare {

// A RankTable holds each repeat's rank at each grid time, so that curves of resampled repeats cost little.
class RankTable {
 public:
  // There must be at least one trajectory.
  RankTable(const ScoredSpace& space, const std::vector<Trajectory>& trajectories);
  std::size_t repeats() const { return rows_.size(); }

  // Returns the mean rank at each grid time, which is the curve behind P_direct.
  std::vector<double> mean() const;
  // Returns the mean over the repeats named, which may recur.
  std::vector<double> mean(const std::vector<std::size_t>& repeats) const;

 private:
  std::vector<std::vector<Rank>> rows_;
};

// Returns the published tool's curve, which is the one behind P. It is a bagged isotonic regression over the pooled
// points of all repeats. Each point is a (time, best rank so far) from the first valid evaluation on. Repeats that have
// found nothing yet have no points, so failing early is forgiven. Beyond the time at which half of the repeats have
// ended the curve stays where it is.
std::vector<double> isotonic_curve(const ScoredSpace& space, const std::vector<Trajectory>& trajectories, Rng& rng);

}  // namespace warptune::search::compare
