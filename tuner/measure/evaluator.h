// The seam between a session and whatever turns configurations into trials: a device, a pool of workers, a recording.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/configuration.h"
#include "search/trial.h"
#include "tuner/device/device_info.h"

namespace warptune::tuner {

enum class Purpose : std::uint8_t {
  trial,  // verified, then sampled under the whole stopping rule
  // Known to be right: sampled again, briefly, to be compared with others measured at the same time. An evaluator of
  // several devices gives all of them to one.
  finalist,
};

// One thing to do for an evaluator.
struct Evaluation {
  search::Configuration configuration;
  Purpose purpose = Purpose::trial;
};

// Work goes in and comes out separately, so that compiling the next configurations never waits for measuring this one.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual const DeviceInfo& device() const = 0;

  // How many configurations should be in flight for the device never to wait.
  virtual std::size_t capacity() const = 0;

  // Queues an evaluation; returns at once.
  virtual void submit(const Evaluation& evaluation) = 0;

  // Waits for the next finished trial, in completion order. Only with something in flight. Whatever a configuration
  // does wrong is its trial's outcome; only a lost device throws.
  virtual search::Trial next() = 0;

  // The time of the best configuration so far: from now on a trial that is hopelessly slower may be cut short. Only
  // called while the time is what a session minimises; an evaluator that cannot cut ignores it.
  virtual void race_against(double incumbent_ms) = 0;

  // Whether evaluating a configuration again measures it again; a recording only repeats itself.
  virtual bool can_measure_again() const { return true; }

  // Forgets what was submitted and has not begun; the number of trials that `next` will still return.
  virtual std::size_t cancel() = 0;

  // Seconds on this evaluator's clock: the wall's, or for a recording the simulated one.
  virtual double now_s() const = 0;
};

}  // namespace warptune::tuner
