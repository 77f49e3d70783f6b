// Descends through the neighbours of a centre, in random order.
#include "search/strategies/local/climber.h"

#include "search/space/moves.h"

namespace warptune::search {

Climber::Climber(const StrategyContext& context, std::size_t samples, bool steepest)
    : Stepwise(context, samples), steepest_(steepest) {}

std::optional<Stepwise::Proposal> Climber::propose() {
  while (centre_) {
    if (!neighbours_.empty()) {
      Proposal step{std::move(neighbours_.back()), descent_};
      neighbours_.pop_back();
      return step;
    }
    if (take_better()) continue;
    ++descent_;
    const Configuration optimum = *std::exchange(centre_, std::nullopt);
    arrived(optimum, std::exchange(centre_value_, failed_value));
  }
  if (auto landing = leave()) return Proposal{std::move(*landing), descent_};
  return std::nullopt;
}

void Climber::learn(const Configuration& configuration, double value, Owner owner) {
  if (value == failed_value) return;
  // A result from elsewhere is only welcome as a beginning, or if it beats everything.
  const bool welcome = owner == descent_ || (owner == nobody && !centre_) || configuration == best();
  if (!welcome || value >= centre_value_) return;
  if (!centre_ || !steepest_)
    move_to(configuration, value);
  else if (value < better_value_)
    better_ = configuration, better_value_ = value;
}

bool Climber::take_better() {
  if (!better_) return false;
  const Configuration next = *better_;
  move_to(next, better_value_);
  return true;
}

void Climber::move_to(const Configuration& centre, double value) {
  centre_ = centre;
  centre_value_ = value;
  better_.reset();
  better_value_ = failed_value;
  neighbours_ = some_neighbours(space(), centre, most_neighbours, rng());
  rng().shuffle(neighbours_);
}

}  // namespace warptune::search
