// Moves to the best of a round of neighbours, and keeps the recent places.
#include <algorithm>
#include <deque>

#include "search/space/moves.h"
#include "search/strategies/entries.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

class Tabu : public Stepwise {
 public:
  explicit Tabu(const StrategyContext& context)
      : Stepwise(context, count_option(context, "samples", 0)),
        breadth_(count_option(context, "breadth", 1)),
        tenure_(count_option(context, "tenure", 0)) {}

 private:
  std::optional<Proposal> propose() override {
    if (!centre_) return std::nullopt;
    if (candidates_.empty()) move();
    if (candidates_.empty()) return std::nullopt;
    Proposal step{std::move(candidates_.back()), round_};
    candidates_.pop_back();
    return step;
  }

  void learn(const Configuration& configuration, double value, Owner owner) override {
    if (value == failed_value) return;
    // The best of all is worth going to whenever it is met (aspiration). Otherwise the best of a round is, once the
    // round is over.
    if (!centre_ || configuration == best()) return go_to(configuration, value);
    if (owner != round_ || is_tabu(configuration)) return;
    if (value < centre_value_) return go_to(configuration, value);
    if (value < next_value_) next_ = configuration, next_value_ = value;
  }

  void move() {
    if (next_) return go_to(Configuration(*next_), next_value_);
    draw_candidates();
  }

  void go_to(const Configuration& configuration, double value) {
    if (centre_) recent_.push_back(*centre_);
    if (recent_.size() > tenure_) recent_.pop_front();
    centre_ = configuration, centre_value_ = value;
    draw_candidates();
  }

  void draw_candidates() {
    ++round_;
    next_.reset(), next_value_ = failed_value;
    candidates_ = some_neighbours(space(), *centre_, most_neighbours, rng());
    rng().shuffle(candidates_);
    candidates_.resize(std::min(candidates_.size(), breadth_));
  }

  bool is_tabu(const Configuration& configuration) const { return std::ranges::count(recent_, configuration) > 0; }

  std::size_t breadth_, tenure_;
  Owner round_ = 0;
  std::optional<Configuration> centre_, next_;
  double centre_value_ = failed_value, next_value_ = failed_value;
  std::vector<Configuration> candidates_;
  std::deque<Configuration> recent_;
};

}  // namespace

StrategyEntry tabu_strategy() {
  return {"tabu",
          "to the best of a few neighbours, even a worse one; back to the best of all only",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"breadth", std::int64_t{16}, "neighbours looked at before a step to a worse one"},
           {"tenure", std::int64_t{50}, "places that are not returned to"}},
          make_stepwise<Tabu>};
}

}  // namespace warptune::search
