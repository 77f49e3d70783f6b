#include "tuner/measure/energy.h"

#include <algorithm>

namespace warptune::tuner {

namespace {

constexpr double least_s = 0.1;   // of the stretch
constexpr double patience_s = 1;  // for the counter to move
constexpr double chunk_ms = 2;    // of runs between two looks at the counter

}  // namespace

std::optional<double> joules_per_run(const std::function<void(int)>& runs, double run_ms,
                                     const std::function<std::optional<double>()>& counter,
                                     const std::function<double()>& now_s) {
  struct Reading {
    double joules, at_s;
  };
  const int chunk = static_cast<int>(std::clamp(chunk_ms / std::max(run_ms, 1e-6), 1.0, 1000.0));
  // Runs on until the counter moves away from `from`, but not before `not_before_s`.
  const auto next_move = [&](double from, double not_before_s) -> std::optional<Reading> {
    const double start_s = now_s();
    while (now_s() - start_s < patience_s + least_s) {
      runs(chunk);
      const auto joules = counter();
      if (!joules) return std::nullopt;
      if (now_s() < not_before_s)
        from = *joules;  // a move that is too early: wait for the one behind it
      else if (*joules > from)
        return Reading{*joules, now_s()};
    }
    return std::nullopt;
  };
  const auto now_j = counter();
  if (!now_j) return std::nullopt;
  const auto begin = next_move(*now_j, now_s());
  if (!begin) return std::nullopt;
  const auto end = next_move(begin->joules, begin->at_s + least_s);
  if (!end) return std::nullopt;
  return (end->joules - begin->joules) / (end->at_s - begin->at_s) * run_ms / 1e3;
}

}  // namespace warptune::tuner
