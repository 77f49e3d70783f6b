// Defines the interface between a session and whatever turns configurations into trials: a device, a pool of workers,
// or a recording. Rejected: one call that measures and returns, because compiling would wait for measuring; futures,
// because they have no order. All evaluators keep the promises below, and
// tests/conformance/evaluator_conformance_test.cpp tests them on all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/configuration.h"
#include "search/space/search_space.h"
#include "search/trial.h"
#include "tuner/device/device_info.h"
#include "tuner/measure/sampling/rivals.h"

namespace warptune::tuner {

enum class Purpose : std::uint8_t {
  trial,  // verified, then sampled under the whole stopping rule
  // The configuration is known to be right. It is sampled again, briefly, to be compared with others that are measured
  // at the same time. An evaluator of several devices gives all finalists to one of them.
  finalist,
  // The configuration is known to be right. It runs on inputs that no run has seen, where a remembered answer is wrong.
  // Nothing is measured; the trial is correct or says what is wrong. It runs on the device that finalists run on.
  proof,
  // The configuration is known to be right. It runs once more, outside all samples, to have its events counted; nothing
  // is measured. The trial is correct and has `counters`, which may say why there are none. It runs on the device that
  // finalists run on.
  counted,
};

inline bool is_measured(Purpose purpose) {
  return purpose == Purpose::trial || purpose == Purpose::finalist;
}

// One task of an evaluator: a configuration and what to do with it.
struct Evaluation {
  search::Configuration configuration;
  Purpose purpose = Purpose::trial;
};

// Takes evaluations and returns trials in separate calls, so that compiling the next configurations never waits for
// measuring this one. Only one thread may use an evaluator at a time. An evaluator may be destroyed with work in
// flight, which is then lost.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual const DeviceInfo& device() const = 0;

  // Returns how many configurations should be in flight so that the device never waits; at least 1. An evaluator takes
  // more than that, too.
  virtual std::size_t capacity() const = 0;

  // Queues an evaluation and returns at once. Takes any configuration whose values are in the space's domains, even one
  // that the constraints forbid. One that was evaluated before is evaluated again. Throws std::invalid_argument for any
  // other, and queues nothing then.
  virtual void submit(const Evaluation& evaluation) = 0;

  // Waits for the next finished trial, in completion order. Each evaluation comes back once. Whatever a configuration
  // does wrong is its trial's outcome; only a lost device throws. Throws std::logic_error if nothing is in flight,
  // since the wait would never end.
  virtual search::Trial next() = 0;

  // Waits for at most so many seconds until `next` would return without waiting for a compiler or another process.
  // Returns whether that is so. An evaluator that cannot tell returns true at once. Throws what `next` throws, except
  // that having nothing in flight is no error: the function returns at once.
  virtual bool wait(double /*seconds*/) { return true; }

  // Lets trials that are hopeless beside these rivals be cut short or go without their energy, from now on. An
  // evaluator that cannot cut ignores the call.
  virtual void race_against(const Rivals& rivals) = 0;

  // Returns whether evaluating a configuration again measures it again; a recording only repeats itself.
  virtual bool can_measure_again() const { return true; }

  // Drops the evaluations that have not begun. Returns the number of trials that `next` will still return. More may be
  // submitted afterwards.
  virtual std::size_t cancel() = 0;

  // Returns the seconds on this evaluator's clock: real time, or the simulated time of a recording.
  virtual double now_s() const = 0;
};

// Returns whether the code must report its accesses (CompileRequest::tracked): on the host, the code itself counts.
bool has_to_be_tracked(const DeviceInfo& device, Purpose purpose);

// Returns the counters of a trial whose purpose was Purpose::counted. If the trial failed, they say why there are none.
search::Counters counters_of_run(search::Trial counted);

// Check the arguments of `submit` and the state for `next`, for classes that implement them. Throw
// std::invalid_argument and std::logic_error respectively.
void require_fitting(const search::SearchSpace& space, const search::Configuration& configuration);
void require_in_flight(bool any);

}  // namespace warptune::tuner
