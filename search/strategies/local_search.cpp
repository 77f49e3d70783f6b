#include "search/strategies/local_search.h"

#include <limits>

#include "search/strategies/proposals.h"

namespace warptune {

namespace {

constexpr double worst = std::numeric_limits<double>::infinity();

class LocalSearch : public Strategy {
 public:
  explicit LocalSearch(const StrategyContext& context)
      : space_(context.space),
        rng_(context.seed),
        proposals_(context.space),
        kicks_(static_cast<int>(to_integer(*find_value(context.options, "kick")))),
        restart_(to_double(*find_value(context.options, "restart"))),
        pending_start_(context.start) {}

  std::vector<Configuration> ask(std::size_t n) override {
    std::vector<Configuration> result;
    while (result.size() < n) {
      auto next = propose();
      if (!next) break;
      result.push_back(std::move(*next));
    }
    return result;
  }

  void tell(const Trial& trial) override {
    proposals_.add(trial.configuration);
    if (trial.objectives.empty()) return;
    const double value = trial.objectives.front();
    if (value < best_value_) best_value_ = value, best_ = trial.configuration;
    if (value < centre_value_) move_to(trial.configuration, value);
  }

 private:
  // The start or the jump's landing point first, then its neighbours; a jump when they are all known.
  std::optional<Configuration> propose() {
    if (pending_start_) {
      Configuration start = std::move(*pending_start_);
      pending_start_.reset();
      if (proposals_.add(start)) return start;
    }
    while (!neighbours_.empty()) {
      Configuration candidate = std::move(neighbours_.back());
      neighbours_.pop_back();
      if (proposals_.add(candidate)) return candidate;
    }
    return jump();
  }

  void move_to(const Configuration& centre, double value) {
    centre_value_ = value;
    neighbours_ = space_.neighbours(centre, Neighbourhood::hamming);
    rng_.shuffle(neighbours_);
  }

  // Whatever is told from here on competes with the landing point, not with the optimum that was left.
  std::optional<Configuration> jump() {
    centre_value_ = worst;
    neighbours_.clear();
    if (best_ && rng_.uniform() >= restart_) {
      Configuration landing = *best_;
      for (int i = 0; i < kicks_; ++i) {
        auto step = space_.neighbours(landing, Neighbourhood::hamming);
        if (step.empty()) break;
        landing = std::move(step[rng_.below(step.size())]);
      }
      if (proposals_.add(landing)) return landing;
    }
    return proposals_.fresh(rng_);
  }

  const SearchSpace& space_;
  Rng rng_;
  Proposals proposals_;
  int kicks_;
  double restart_;
  std::optional<Configuration> pending_start_;
  std::vector<Configuration> neighbours_;  // of the centre, in the order to try, last first
  double centre_value_ = worst;
  std::optional<Configuration> best_;
  double best_value_ = worst;
};

}  // namespace

StrategyEntry local_search_strategy() {
  return {"local_search",
          "iterated local search over neighbours that differ in one parameter",
          {{"kick", std::int64_t{3}, "parameters changed by a jump out of a local optimum"},
           {"restart", 0.2, "share of jumps that go to a uniform sample instead"}},
          [](const StrategyContext& context) -> std::unique_ptr<Strategy> {
            return std::make_unique<LocalSearch>(context);
          }};
}

}  // namespace warptune
