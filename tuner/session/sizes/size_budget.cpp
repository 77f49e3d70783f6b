// Chooses the next size by its late improvement and scales the whole budget down to a slice.
#include "tuner/session/sizes/size_budget.h"

#include <algorithm>
#include <cmath>

namespace warptune::tuner {

namespace {

std::optional<double> best_of(const std::vector<search::Trial>& trials, std::size_t end) {
  std::optional<double> best;
  for (std::size_t i = 0; i < end; ++i)
    if (trials[i].correct() && !trials[i].objectives.empty() && (!best || trials[i].objectives.front() < *best))
      best = trials[i].objectives.front();
  return best;
}

search::BudgetLimits scaled(const search::BudgetLimits& whole, double fraction) {
  search::BudgetLimits part = whole;
  if (whole.seconds) part.seconds = *whole.seconds * fraction;
  if (whole.trials) part.trials = std::max<std::size_t>(1, std::llround(static_cast<double>(*whole.trials) * fraction));
  return part;
}

}  // namespace

SizeBudget::SizeBudget(std::size_t sizes, const search::BudgetLimits& whole)
    : whole_(whole),
      limited_(whole.seconds || whole.trials),
      share_(0.5 / static_cast<double>(std::max<std::size_t>(1, sizes))),
      states_(sizes) {}

std::optional<std::size_t> SizeBudget::choose() const {
  for (std::size_t size = 0; size < states_.size(); ++size)
    if (states_[size].slices == 0) return size;
  std::optional<std::size_t> chosen;
  const auto key = [&](std::size_t size) { return std::pair(-states_[size].improvement, states_[size].spent); };
  for (std::size_t size = 0; size < states_.size(); ++size)
    if (!states_[size].exhausted && (!chosen || key(size) < key(*chosen))) chosen = size;
  return chosen;
}

std::optional<SizeBudget::Slice> SizeBudget::next() const {
  const auto size = choose();
  if (!size) return std::nullopt;
  const bool first = states_[*size].slices == 0;
  if (!limited_) return first ? std::optional(Slice{*size, whole_}) : std::nullopt;
  // Every size has its share, even if the earlier ones took longer than theirs.
  const double fraction = first ? share_ : std::min(share_ / 2, 1 - spent_);
  constexpr double nothing_to_speak_of = 1e-3;
  if (fraction < nothing_to_speak_of) return std::nullopt;
  return Slice{*size, scaled(whole_, fraction)};
}

void SizeBudget::done(const Slice& slice, const Outcome& outcome) {
  State& state = states_.at(slice.size);
  state.improvement = outcome.improvement;
  state.spent += outcome.fraction_spent;
  state.exhausted = outcome.exhausted;
  ++state.slices;
  spent_ += outcome.fraction_spent;
}

double SizeBudget::fraction(double seconds, std::size_t trials) const {
  double fraction = 0;
  if (whole_.seconds) fraction = seconds / *whole_.seconds;
  if (whole_.trials) fraction = std::max(fraction, static_cast<double>(trials) / static_cast<double>(*whole_.trials));
  return fraction;
}

double late_improvement(const std::vector<search::Trial>& trials, std::size_t first) {
  const auto before = best_of(trials, first + (trials.size() - first) / 2);
  const auto after = best_of(trials, trials.size());
  if (!after) return 0;
  if (!before) return 1;
  // The absolute value keeps the sign right for maximised metrics, whose objectives are negative.
  return *before == 0 ? 0 : (*before - *after) / std::abs(*before);
}

}  // namespace warptune::tuner
