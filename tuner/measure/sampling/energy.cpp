// Keeps the device busy from one move of the energy counter to a later one, and computes the mean power between them.
#include "tuner/measure/sampling/energy.h"

#include <algorithm>

namespace warptune::tuner {

namespace {

constexpr double patience_s = 1.1;  // how long the counter may take to move
constexpr double batch_s = 0.004;   // the time of the runs that are queued together
constexpr double least_ahead_s = 0.012, most_ahead_s = 0.1, looks_ahead = 2;
constexpr double most_lead_s = 0.03, lead_share = 0.6;

// Queues runs ahead of the device, so that it never waits as long as each run takes `run_ms`.
class Ahead {
 public:
  Ahead(const QueuedRuns& runs, double run_ms, const std::function<double()>& now_s)
      : runs_(runs), now_s_(now_s), run_s_(std::max(run_ms, 1e-6) / 1e3) {
    batch_ = static_cast<int>(std::clamp(batch_s / run_s_, 1.0, std::max(1.0, runs.most / 3.0)));
    most_s_ = std::min(most_ahead_s, run_s_ * (runs.most - batch_));
    least_s_ = std::min(least_ahead_s, most_s_);
  }

  // Says that reading the counter takes so many seconds, in which nothing can be queued: that much more is queued
  // beforehand.
  void expect_looks_of(double seconds) { least_s_ = std::min(std::max(least_s_, looks_ahead * seconds), most_s_); }

  // Returns the seconds of queued runs that the device has not done yet.
  double queued_s() const { return std::max(0.0, done_s_ - now_s_()); }
  // Queues runs until enough are ahead. The loop ends early where queueing takes as long as the runs do: the device is
  // busy then, and the queue does not grow.
  void top_up() {
    for (double before = -1; queued_s() <= least_s_ && queued_s() > before;) {
      before = queued_s();
      done_s_ = std::max(done_s_, now_s_()) + run_s_ * batch_;
      runs_.queue(batch_);
    }
  }

 private:
  const QueuedRuns& runs_;
  const std::function<double()>& now_s_;
  double run_s_;
  int batch_ = 1;
  double least_s_ = 0, most_s_ = 0;  // the least and the most that are kept in the queue
  double done_s_ = 0;                // the time at which the device has done everything queued
};

// The beginning of a stretch that continues an earlier one: the energy in it that does not belong to the runs, and the
// time in which the device did something else.
struct Lead {
  double joules = 0, foreign_s = 0;
};

std::optional<Lead> lead_of(const EnergyStretch& stretch, double joules, double now_s) {
  if (!stretch.since || joules != stretch.since->joules) return std::nullopt;
  const double lead_s = now_s - stretch.since->at_s;
  if (lead_s > most_lead_s) return std::nullopt;
  const double queued_s = std::min(stretch.since->queued_s, lead_s);
  return Lead{queued_s * stretch.since->power_w, queued_s + (lead_s - queued_s) * (1 - lead_share)};
}

class Stretch {
 public:
  Stretch(const QueuedRuns& runs, double run_ms, const std::function<std::optional<double>()>& counter,
          const std::function<double()>& now_s)
      : ahead_(runs, run_ms, now_s), run_ms_(run_ms), counter_(counter), now_s_(now_s) {}

  std::optional<RunEnergy> measure(const EnergyStretch& stretch) {
    const auto now_j = counter_();
    if (!now_j) return std::nullopt;
    const auto lead = lead_of(stretch, *now_j, now_s_());
    const auto begin = lead ? stretch.since : next_move(*now_j);
    for (auto end = begin; end;) {
      end = next_move(end->joules);
      if (!end || end->at_s - begin->at_s < stretch.least_s) continue;
      const Lead before = lead.value_or(Lead{});
      end->power_w = (end->joules - begin->joules - before.joules) / (end->at_s - begin->at_s - before.foreign_s);
      return RunEnergy{end->power_w * run_ms_ / 1e3, *end};
    }
    return std::nullopt;
  }

 private:
  // Keeps the device running until the counter moves away from `from`.
  std::optional<CounterMove> next_move(double from) {
    const double start_s = now_s_();
    while (now_s_() - start_s < patience_s) {
      ahead_.top_up();
      const double look_s = now_s_();
      const auto joules = counter_();
      if (!joules) return std::nullopt;
      if (*joules > from) return CounterMove{*joules, now_s_(), ahead_.queued_s(), 0};
      ahead_.expect_looks_of(now_s_() - look_s);
    }
    return std::nullopt;
  }

  Ahead ahead_;
  double run_ms_;
  const std::function<std::optional<double>()>& counter_;
  const std::function<double()>& now_s_;
};

}  // namespace

std::optional<RunEnergy> joules_per_run(const QueuedRuns& runs, double run_ms,
                                        const std::function<std::optional<double>()>& counter,
                                        const std::function<double()>& now_s, const EnergyStretch& stretch) {
  const auto energy = Stretch(runs, run_ms, counter, now_s).measure(stretch);
  runs.finish();
  return energy;
}

}  // namespace warptune::tuner
