// Lists the configurations among which a model chooses the next trial, and chooses those that it begins with.
#pragma once

#include <Eigen/Dense>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/models/encoding.h"
#include "search/models/history.h"
#include "search/random.h"

namespace warptune::search {

// A CandidateList holds configurations with their rows, penalties and, with experience, expected losses.
struct CandidateList {
  std::vector<Configuration> configurations;
  Eigen::MatrixXf rows;
  Eigen::ArrayXf penalties, losses;

  std::size_t size() const { return configurations.size(); }
  // Returns the candidates at these places, in the order of the places.
  CandidateList at(const std::vector<std::size_t>& places) const;
};

// Candidates says where a model looks for the next trial. This is the whole space if it is small. Otherwise it is the
// neighbourhoods of the best, steps away from them, what was best in earlier sessions, what a first guess thinks best,
// and uniform samples.
class Candidates {
 public:
  // `experience` may be nullptr; all arguments must outlive the object.
  Candidates(const SearchSpace& space, const Encoding& encoding, const Experience* experience = nullptr);

  // Returns candidates that are up to date with the history; known configurations may be among them. The list is valid
  // until the next call.
  const CandidateList& gather(const History& history, Rng& rng);
  // Returns where to begin in a space that is not listed as a whole: of uniform samples and neighbours of the best of
  // them, those with the smallest penalties. The first of these stay candidates. The list is valid until the next call.
  const CandidateList& most_plausible(Rng& rng);
  CandidateList listed(std::vector<Configuration> configurations) const;
  bool whole() const { return whole_; }
  // Returns the neighbours of a configuration. Where there may be tens of thousands, it returns only those that were
  // gathered.
  std::vector<Configuration> neighbours(const Configuration& centre) const;

 private:
  std::vector<Configuration> smallest_penalties(std::vector<Configuration> all, std::size_t n) const;
  std::vector<Configuration> around_the_best(const History& history, Rng& rng) const;

  const SearchSpace& space_;
  const Encoding& encoding_;
  const Experience* experience_;
  bool whole_;
  std::size_t kicks_;  // from each centre
  std::vector<Configuration> plausible_;
  CandidateList list_;
};

// Returns the places of up to n rows among the `share` of them with the smallest penalty. The first is the one nearest
// to their middle; each further one is the one farthest from those chosen (maximin; Johnson, Moore and Ylvisaker 1990).
// The middle comes first because launches are extreme in the corners of the space.
std::vector<std::size_t> plausible_spread(const Eigen::MatrixXf& rows, const Eigen::ArrayXf& penalties, double share,
                                          std::size_t n, Rng& rng);

}  // namespace warptune::search
