// Plans visits round by round, and counts the trials that are planned or spent.
#include "tuner/session/sizes/size_plan.h"

#include <algorithm>
#include <limits>

namespace warptune::tuner {

namespace {

constexpr std::size_t fewest = 2;  // the default, and one to compare with it; later, what else is best
constexpr std::size_t first_sizes = 6, trials_at_first_sizes = 16, trials_at_first_visit = 8, trials_a_visit = 8;

}  // namespace

SizePlan::SizePlan(std::vector<std::size_t> order, const search::BudgetLimits& whole)
    : order_(std::move(order)), trials_(whole.trials), states_(order_.size()) {}

std::size_t SizePlan::trials_left() const {
  if (!trials_) return std::numeric_limits<std::size_t>::max();
  return *trials_ - std::min(*trials_, spent_);
}

std::size_t SizePlan::unplanned() const {
  return static_cast<std::size_t>(std::ranges::count(states_, std::size_t{0}, &State::planned));
}

std::optional<SizePlan::Visit> SizePlan::next() {
  if (trials_left() == 0 || order_.empty()) return std::nullopt;
  if (place_ == order_.size()) place_ = 0, ++round_;
  const std::size_t place = place_++;
  Visit visit{order_[place], 0, 0};
  if (round_ > 0) {
    visit.most = std::min(trials_a_visit, trials_left());
  } else {
    // Sizes that are yet to come keep their share.
    const std::size_t share = std::max(fewest, trials_left() / std::max<std::size_t>(1, unplanned()));
    const std::size_t wanted = place < first_sizes ? trials_at_first_sizes : trials_at_first_visit;
    visit.most = std::min({wanted, share, trials_left()});
  }
  visit.least = std::min(fewest, visit.most);
  ++states_[visit.size].planned;
  spent_ += visit.most;
  return visit;
}

void SizePlan::done(const Visit& visit, std::size_t trials) {
  ++states_.at(visit.size).done;
  spent_ += trials;
  spent_ -= visit.most;
}

}  // namespace warptune::tuner
