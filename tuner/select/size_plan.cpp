#include "tuner/select/size_plan.h"

#include <algorithm>
#include <cmath>

namespace warptune::tuner {

namespace {

constexpr double share_of_anchors = 0.5;
// A visit's share of what is left, over an equal one: where the first checks surprise, there must be time for more.
constexpr double most_shares = 3;
constexpr std::size_t most_anchors = 6, sizes_an_anchor = 8;
constexpr double worth_a_visit = 0.005;  // a further visit, for an expected gain of so much
constexpr std::size_t most_visits = 3;   // of a size: the model may be wrong about it
// A search compiles what nobody has compiled: it needs so many set-ups' and compilations' time, and at least this.
constexpr double setups_a_search = 4, compilations_a_search = 3, shortest_search_s = 0.75;

std::size_t anchors_of(std::size_t sizes) {
  return std::clamp<std::size_t>((sizes + sizes_an_anchor - 1) / sizes_an_anchor, 1, most_anchors);
}

}  // namespace

SizePlan::SizePlan(std::vector<std::size_t> order, const search::BudgetLimits& whole)
    : order_(std::move(order)), whole_(whole), anchors_(anchors_of(order_.size())), states_(order_.size()) {
  if (!whole_.seconds) return;
  const double longest = share_of_anchors * *whole_.seconds / shortest_search_s;
  anchors_ = std::clamp<std::size_t>(static_cast<std::size_t>(longest), 1, anchors_);
}

double SizePlan::left() const {
  const double left = std::max(0.0, 1 - spent_);
  if (!whole_.trials) return left;
  const double trials = static_cast<double>(*whole_.trials);
  return std::min(left, (trials - std::min(static_cast<double>(trials_), trials)) / trials);
}

// What a step must have at least.
double SizePlan::least() const {
  double fraction = 0;
  if (whole_.seconds && steps_ > 1) fraction = setups_s_ / static_cast<double>(steps_ - 1) / *whole_.seconds;
  return fraction;
}

std::optional<SizePlan::Step> SizePlan::step(std::size_t size, Kind kind, double fraction) const {
  fraction = std::min(fraction, left());
  Step step{size, kind, whole_};
  if (whole_.seconds) step.limits.seconds = *whole_.seconds * fraction;
  if (!whole_.trials) return step;
  const std::size_t trials_left = *whole_.trials - std::min(trials_, *whole_.trials);
  if (trials_left == 0) return std::nullopt;
  const auto wanted = static_cast<std::size_t>(std::llround(static_cast<double>(*whole_.trials) * fraction));
  constexpr std::size_t fewest = 2;  // the default, and one to compare with it
  // Sizes that are yet to come have theirs.
  const auto is_later = [&](std::size_t other) { return other != size && !reached(other); };
  const auto later = static_cast<std::size_t>(std::ranges::count_if(order_, is_later));
  const std::size_t free = trials_left - std::min(trials_left, fewest * later);
  step.limits.trials = std::min(std::max(fewest, std::min(wanted, free)), trials_left);
  return step;
}

std::optional<SizePlan::Step> SizePlan::next(const Gain& gain) {
  if (left() <= 0) return std::nullopt;
  const auto unreached = [&](std::size_t size) { return !reached(size); };
  const auto next = std::ranges::find_if(order_, unreached);
  if (next == order_.end()) return next_to_gain(gain);
  if (steps_ > 0 && left() < least()) return std::nullopt;
  const auto place = static_cast<std::size_t>(next - order_.begin());
  if (place < anchors_)
    return step(*next, Kind::search, std::max(share_of_anchors / static_cast<double>(anchors_), 2 * least()));
  const double equal = left() / static_cast<double>(order_.size() - place);
  return step(*next, Kind::visit, std::max(most_shares * equal, 2 * least()));
}

std::optional<SizePlan::Step> SizePlan::next_to_gain(const Gain& gain) {
  if (left() <= 0 || left() < 2 * least()) return std::nullopt;
  std::optional<std::size_t> best;
  double most = worth_a_visit, sum = 0;
  for (const std::size_t size : order_) {
    if (states_[size].visits >= most_visits) continue;
    const double here = gain(size);
    if (here < worth_a_visit) continue;
    sum += here;
    if (best && here <= most) continue;
    best = size;
    most = here;
  }
  if (best) return step(*best, Kind::visit, std::max(left() * most / sum, 2 * least()));
  const auto size = to_be_searched();
  if (!size) return std::nullopt;
  if (whole_.seconds && left() < least_search()) return std::nullopt;
  return step(*size, Kind::search, std::max(0.25 / static_cast<double>(order_.size()), least_search()));
}

double SizePlan::least_search() const {
  const double fraction = setups_a_search * least();
  if (!whole_.seconds) return fraction;
  return std::max(fraction, std::max(shortest_search_s, compilations_a_search * compile_s_) / *whole_.seconds);
}

std::optional<std::size_t> SizePlan::to_be_searched() const {
  std::optional<std::size_t> chosen;
  const auto key = [&](std::size_t size) { return std::pair(-states_[size].improvement, states_[size].spent); };
  for (const std::size_t size : order_)
    if (!states_[size].exhausted && (!chosen || key(size) < key(*chosen))) chosen = size;
  return chosen;
}

void SizePlan::done(const Step& step, const Outcome& outcome) {
  double fraction = 0;
  if (whole_.seconds) fraction = outcome.seconds / *whole_.seconds;
  trials_ += outcome.trials;
  spent_ += fraction;
  if (whole_.trials)
    fraction = std::max(fraction, static_cast<double>(outcome.trials) / static_cast<double>(*whole_.trials));
  compile_s_ = std::max(compile_s_, outcome.compile_s);
  State& state = states_.at(step.size);
  state.spent += fraction;
  ++state.steps;
  if (step.kind == Kind::visit) ++state.visits;
  if (step.kind == Kind::search) {
    state.improvement = outcome.improvement;
    state.exhausted = outcome.exhausted || outcome.trials == 0;
  }
  if (steps_++ > 0) setups_s_ += outcome.setup_s;
}

}  // namespace warptune::tuner
