#include "tuner/measure/energy.h"

#include <algorithm>

namespace warptune::tuner {

namespace {

constexpr double least_s = 0.15;    // of the stretch: two intervals of a counter that moves every 0.1 s
constexpr double patience_s = 1.1;  // for the counter to move
constexpr double chunk_ms = 2;      // of runs between two looks at the counter
constexpr double margin = 0.05;     // of a short stretch: what the counter itself may be wrong by

// When the counter moved, or at most so much earlier: a look at it is a chunk of runs and a call that may take
// milliseconds.
struct Reading {
  double joules, at_s, late_s;
};

}  // namespace

std::optional<double> joules_per_run(const std::function<void(int)>& runs, double run_ms,
                                     const std::function<std::optional<double>()>& counter,
                                     const std::function<double()>& now_s,
                                     const std::function<bool(double)>& hopeless) {
  const int chunk = static_cast<int>(std::clamp(chunk_ms / std::max(run_ms, 1e-6), 1.0, 1000.0));
  // Runs on until the counter moves away from `from`.
  const auto next_move = [&](double from) -> std::optional<Reading> {
    const double start_s = now_s();
    for (double before_s = start_s; before_s - start_s < patience_s;) {
      runs(chunk);
      const auto joules = counter();
      if (!joules) return std::nullopt;
      const double after_s = now_s();
      if (*joules > from) return Reading{*joules, after_s, after_s - before_s};
      before_s = after_s;
    }
    return std::nullopt;
  };
  const auto now_j = counter();
  if (!now_j) return std::nullopt;
  const auto begin = next_move(*now_j);
  for (auto end = begin; end;) {
    end = next_move(end->joules);
    if (!end) break;
    const double stretch_s = end->at_s - begin->at_s;
    const double joules = (end->joules - begin->joules) / stretch_s * run_ms / 1e3;
    const double least = joules * stretch_s / (stretch_s + begin->late_s) * (1 - margin);
    if (stretch_s >= least_s || hopeless(least)) return joules;
  }
  return std::nullopt;
}

}  // namespace warptune::tuner
