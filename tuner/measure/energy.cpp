#include "tuner/measure/energy.h"

#include <algorithm>

namespace warptune::tuner {

namespace {

constexpr double patience_s = 1.1;  // for the counter to move
constexpr double chunk_ms = 2;      // of runs between two looks at the counter
constexpr double most_lead_s = 0.02, lead_share = 0.6;

}  // namespace

std::optional<RunEnergy> joules_per_run(const std::function<void(int)>& runs, double run_ms,
                                        const std::function<std::optional<double>()>& counter,
                                        const std::function<double()>& now_s, const EnergyStretch& stretch) {
  const int chunk = static_cast<int>(std::clamp(chunk_ms / std::max(run_ms, 1e-6), 1.0, 1000.0));
  // Runs on until the counter moves away from `from`.
  const auto next_move = [&](double from) -> std::optional<CounterMove> {
    const double start_s = now_s();
    while (now_s() - start_s < patience_s) {
      runs(chunk);
      const auto joules = counter();
      if (!joules) return std::nullopt;
      if (*joules > from) return CounterMove{*joules, now_s()};
    }
    return std::nullopt;
  };
  const auto now_j = counter();
  if (!now_j) return std::nullopt;
  const double lead_s = stretch.since ? now_s() - stretch.since->at_s : 0;
  const bool goes_on = stretch.since && lead_s <= most_lead_s && *now_j == stretch.since->joules;
  const auto begin = goes_on ? stretch.since : next_move(*now_j);
  const double unlike_s = goes_on ? lead_s * (1 - lead_share) : 0;
  for (auto end = begin; end;) {
    end = next_move(end->joules);
    if (!end) break;
    const double taken_s = end->at_s - begin->at_s;
    if (taken_s < stretch.least_s) continue;
    return RunEnergy{(end->joules - begin->joules) / (taken_s - unlike_s) * run_ms / 1e3, *end};
  }
  return std::nullopt;
}

}  // namespace warptune::tuner
