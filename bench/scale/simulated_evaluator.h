// An Evaluator that answers from a recording and takes the time that its compilers and devices would take: on a
// simulated clock, or asleep on the wall's. Apart from the replay's own, whose slots each do all of a trial: here
// compilers work ahead of the devices, as in the pool of workers, and what a recording lacks of a row is filled in, so
// that rows weigh what a GPU's weigh.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "tuner/measure/evaluator.h"
#include "tuner/session/replay/recording.h"

namespace warptune::tuner::bench {

struct Machine {
  std::size_t devices = 1;
  std::size_t compilers = 0;  // of all devices together; 0: a device compiles what it measures, one after the other
  double speed = 0;           // recorded seconds in one of the wall's; 0: a simulated clock, nobody sleeps
  // Configurations in flight: as the pool of workers has them, which keeps all compilers and devices busy.
  std::size_t capacity() const { return compilers == 0 ? devices : compilers + 4 * devices; }
};

class SimulatedEvaluator : public Evaluator {
 public:
  // The recording must outlive it. Throws std::invalid_argument without a device.
  SimulatedEvaluator(const replay::Recording& recording, const Machine& machine);

  const DeviceInfo& device() const override { return recording_.device(); }
  std::size_t capacity() const override { return machine_.capacity(); }
  void submit(const Evaluation& evaluation) override;
  search::Trial next() override;
  void race_against(const Rivals&) override {}  // its samples are taken
  bool can_measure_again() const override { return false; }
  std::size_t cancel() override;
  double now_s() const override;

  // When `next` last had a trial: what follows is the session's own time.
  std::chrono::steady_clock::time_point returned_at() const { return returned_at_; }

 private:
  struct Flight {
    const search::Trial* recorded = nullptr;
    std::size_t compiler = 0;
    double begin_s = 0, compiled_s = 0, end_s = 0;
  };

  void assign_devices();
  void wait_until(double time_s);

  const replay::Recording& recording_;
  const Machine machine_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), returned_at_ = start_;
  double simulated_s_ = 0;
  std::vector<double> compiler_free_s_, device_free_s_;
  std::vector<Flight> compiling_;  // or waiting for a device
  std::vector<Flight> measuring_;  // with a known end
};

}  // namespace warptune::tuner::bench
