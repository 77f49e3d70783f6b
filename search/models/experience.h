// Learns what sessions of other devices, problem sizes or versions of a kernel tell about a space before its first
// trial.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "search/models/earlier_trials.h"
#include "search/models/encoding.h"
#include "search/models/forest.h"

namespace warptune::search {

// Times themselves do not carry over; how a configuration compares with its session's best mostly does. So each session
// counts by the logarithm of a configuration's time over the best of that session. Several sessions that know a
// configuration are averaged, and a forest answers for those that none knows. `agreement` finds out how far this holds
// here. An Experience is immutable and thread-safe. The encoding must outlive it.
class Experience {
 public:
  Experience(const Encoding& encoding, const std::vector<EarlierTrials>& sessions, std::uint64_t seed);

  // Returns whether nothing is known, which is so without a session that knows two correct configurations of this
  // space.
  bool empty() const { return known_.empty(); }

  // Returns the expected logarithm of the time over the best, which is at most `worst`.
  double loss(const Configuration& configuration) const;
  static constexpr double worst = 1.2;

  // Returns the best configurations of the sessions, by turns, the closest session first. Each configuration occurs
  // once.
  const std::vector<Configuration>& best() const { return best_; }

 private:
  struct Mean {
    double sum = 0, weight = 0;
  };
  void take(const EarlierTrials& session);
  void rank(const std::vector<EarlierTrials>& sessions);
  void fit(std::uint64_t seed);

  const Encoding* encoding_;
  std::unordered_map<Configuration, Mean, ConfigurationHash> known_;
  std::vector<Configuration> best_;
  std::optional<Forest> forest_;
};

// Returns how much of the experience holds here, 0 … 1. This is the slope of the losses that were observed over those
// expected, drawn to 1 as if by a few observations that agree. It must hold among the better half of the observations,
// too: that slow configurations are slow everywhere says little about the best. `expected` and `observed` are
// logarithms, of the same configurations.
double agreement(const std::vector<double>& expected, const std::vector<double>& observed);

}  // namespace warptune::search
