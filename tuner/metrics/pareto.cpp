#include "tuner/metrics/pareto.h"

#include <algorithm>
#include <cmath>

namespace warptune::tuner {

namespace {

bool comparable(const search::Trial& trial) {
  return trial.correct() && !trial.objectives.empty() &&
         std::ranges::all_of(trial.objectives, [](double value) { return std::isfinite(value); });
}

bool no_worse(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return x <= y; });
}

}  // namespace

std::vector<std::size_t> pareto_front(const std::vector<search::Trial>& trials) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (comparable(trials[i])) order.push_back(i);
  const auto objectives = [&](std::size_t i) -> const std::vector<double>& { return trials[i].objectives; };
  std::ranges::stable_sort(order, std::ranges::less{}, objectives);
  // Sorted so, nothing dominates what comes before it: each needs to be compared with the front so far only.
  std::vector<std::size_t> front;
  for (const std::size_t candidate : order)
    if (std::ranges::none_of(front, [&](std::size_t i) { return no_worse(objectives(i), objectives(candidate)); }))
      front.push_back(candidate);
  return front;
}

}  // namespace warptune::tuner
