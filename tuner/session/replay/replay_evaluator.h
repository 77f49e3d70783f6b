// Declares an Evaluator that answers from a recording, on a simulated clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/measure/evaluator.h"
#include "tuner/session/replay/recording.h"

namespace warptune::tuner::replay {

// Configurations begin in the order of submission, as soon as one of `slots` equal workers is free, and take what the
// recording says. The clock moves when `next` waits. A configuration that was not recorded is a constraint_violation
// that costs nothing. The evaluator is for one thread, and the recording must outlive it.
class ReplayEvaluator : public Evaluator {
 public:
  // `slots` must not be 0.
  explicit ReplayEvaluator(const Recording& recording, std::size_t slots = 1);

  const DeviceInfo& device() const override { return recording_.device(); }
  std::size_t capacity() const override { return free_at_s_.size(); }
  void submit(const Evaluation& evaluation) override;
  // Throws std::logic_error with nothing in flight.
  search::Trial next() override;
  void race_against(const Rivals&) override {}  // its samples are taken
  bool can_measure_again() const override { return false; }
  std::size_t cancel() override;
  double now_s() const override { return now_s_; }

  // Lets time pass without waiting for a trial, for what the caller spent on thinking.
  void pass_s(double seconds) { now_s_ += seconds; }

 private:
  struct Flight {
    const search::Trial* recorded;        // nullptr: not recorded
    search::Configuration configuration;  // set only if it was not recorded
    std::size_t slot = 0;
    double begin_s = 0, end_s = 0;
  };

  const Recording& recording_;
  double now_s_ = 0;
  std::vector<double> free_at_s_;  // by slot
  std::vector<Flight> flights_;    // in order of submission
};

}  // namespace warptune::tuner::replay
