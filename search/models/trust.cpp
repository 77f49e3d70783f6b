// Computes trust from the agreement of experience.h and the number of trials.
#include "search/models/trust.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "search/models/target.h"

namespace warptune::search {

namespace {

std::vector<double> of_correct(const History& history, double Observation::*presumed) {
  std::vector<double> values;
  for (const Observation& observation : history.all())
    if (observation.state == Observation::State::correct) values.push_back(observation.*presumed);
  return values;
}

}  // namespace

double trust_in(const History& history, double Observation::*presumed) {
  constexpr double half_at = 16;  // correct trials
  const Target target(history, {});
  if (!target.logarithmic() || history.objectives() > 1) return 0;
  const std::vector<double> expected = of_correct(history, presumed);
  std::vector<double> observed;
  for (const Observation& observation : history.all())
    if (observation.state == Observation::State::correct) observed.push_back(target.of(observation) * target.scale());
  return agreement(expected, observed) * half_at / (half_at + static_cast<double>(expected.size()));
}

double mean_of(const History& history, double Observation::*presumed) {
  const std::vector<double> values = of_correct(history, presumed);
  const auto n = static_cast<double>(std::max<std::size_t>(values.size(), 1));
  return std::accumulate(values.begin(), values.end(), 0.0) / n;
}

}  // namespace warptune::search
