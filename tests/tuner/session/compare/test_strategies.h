// Strategies that are simple enough to know what their figures must be.
#pragma once

#include <stdexcept>

#include "tests/tuner/device/backends/replay/small_recording.h"
#include "tuner/session/compare/comparison.h"

namespace warptune::tuner::compare {

// Walks through the space in a given order; the order is the whole strategy.
class FixedOrder : public search::Strategy {
 public:
  explicit FixedOrder(std::vector<search::Configuration> order) : order_(std::move(order)) {}
  std::vector<search::Configuration> ask(std::size_t n) override {
    std::vector<search::Configuration> asked;
    while (asked.size() < n && next_ < order_.size()) asked.push_back(order_[next_++]);
    return asked;
  }
  void tell(const search::Trial&) override {}

 private:
  std::vector<search::Configuration> order_;
  std::size_t next_ = 0;
};

inline std::vector<search::Configuration> in_order(const search::SearchSpace& space) {
  std::vector<search::Configuration> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(space.size()); ++i) all.push_back(space.at(i));
  return all;
}

// "random" shuffles, "sorted" goes by index (best first in `valley`), "twice" proposes the first one again, "foreign"
// leaves the space.
inline std::unique_ptr<search::Strategy> make_test_strategy(std::string_view name,
                                                            const search::StrategyContext& context) {
  std::vector<search::Configuration> order = in_order(context.space);
  search::Rng rng(context.seed);
  if (name == "random") rng.shuffle(order);
  if (name == "twice") order.insert(order.begin(), order.front());
  if (name == "foreign") order.front().choices[0] = 1'000'000;
  if (name == "throws") throw std::runtime_error("no such luck");
  return std::make_unique<FixedOrder>(std::move(order));
}

// x = 1 … n, time x ms, best first; every tenth one fails.
inline replay::Recording valley(const std::string& name, int n = 600) {
  std::vector<replay::Sample> samples;
  for (int x = 1; x <= n; ++x) samples.push_back({x, x % 10 == 0 ? -1.0 : 1 + 0.01 * x, 100});
  return replay::Recording(replay::recorded_space(samples), name);
}

inline Request request(const std::vector<const replay::Recording*>& spaces, const std::vector<std::string>& names) {
  Request request;
  request.spaces = spaces;
  for (const std::string& name : names) request.strategies.push_back({name, name, {}});
  request.make = make_test_strategy;
  request.repeats = 20;
  request.threads = 2;
  return request;
}

}  // namespace warptune::tuner::compare
