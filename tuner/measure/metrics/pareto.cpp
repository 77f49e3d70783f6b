// Sorts the candidates, and compares each with the front found so far.
#include "tuner/measure/metrics/pareto.h"

#include <algorithm>
#include <cmath>

namespace warptune::tuner {

namespace {

bool comparable(const std::vector<double>& objectives) {
  return !objectives.empty() && std::ranges::all_of(objectives, [](double value) { return std::isfinite(value); });
}

bool no_worse(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return x <= y; });
}

}  // namespace

std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& candidates) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (comparable(candidates[i])) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) -> const std::vector<double>& { return candidates[i]; });
  // In this order no candidate dominates an earlier one, so each needs to be compared with the front so far only.
  std::vector<std::size_t> front;
  for (const std::size_t next : order)
    if (std::ranges::none_of(front, [&](std::size_t i) { return no_worse(candidates[i], candidates[next]); }))
      front.push_back(next);
  return front;
}

}  // namespace warptune::tuner
