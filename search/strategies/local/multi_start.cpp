// Descends from the best beginning that is left, one descent after the other.
#include <map>

#include "search/space/moves.h"
#include "search/strategies/entries.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

class MultiStart : public Stepwise {
 public:
  explicit MultiStart(const StrategyContext& context) : Stepwise(context, count_option(context, "samples", 1)) {}

 private:
  std::optional<Proposal> propose() override {
    if (neighbours_.empty() && !beginnings_.empty()) begin();
    if (neighbours_.empty()) return std::nullopt;
    Proposal step{std::move(neighbours_.back()), descent_};
    neighbours_.pop_back();
    return step;
  }

  // Begins a descent at the best of all places seen where no descent has been.
  void begin() {
    ++descent_;
    const auto first = beginnings_.begin();
    move_to(first->second, first->first);
    beginnings_.erase(first);
  }

  void learn(const Configuration& configuration, double value, Owner owner) override {
    if (value == failed_value) return;
    if (owner == nobody) beginnings_.emplace(value, configuration);
    if (owner == descent_ && value < centre_value_) move_to(configuration, value);
  }

  void move_to(const Configuration& centre, double value) {
    centre_value_ = value;
    neighbours_ = some_neighbours(space(), centre, most_neighbours, rng());
    rng().shuffle(neighbours_);
  }

  std::multimap<double, Configuration> beginnings_;
  Owner descent_ = 0;
  double centre_value_ = failed_value;
  std::vector<Configuration> neighbours_;
};

}  // namespace

StrategyEntry multi_start_strategy() {
  return {"multi_start",
          "descents from the best members of a spread sample in turn",
          {{"samples", std::int64_t{10}, "size of the sample"}},
          make_stepwise<MultiStart>};
}

}  // namespace warptune::search
