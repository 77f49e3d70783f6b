// The seam between a session and whatever turns configurations into trials: a device, a pool of workers, a recording.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/configuration.h"
#include "search/trial.h"
#include "tuner/device_info.h"

namespace warptune {

enum class Purpose : std::uint8_t {
  trial,     // verified, then sampled under the whole stopping rule
  finalist,  // known to be right: sampled again, briefly, to be compared with others measured at the same time
};

// One thing to do for an evaluator.
struct Evaluation {
  Configuration configuration;
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
  virtual Trial next() = 0;

  // Forgets what was submitted and has not begun; the number of trials that `next` will still return.
  virtual std::size_t cancel() = 0;

  // Seconds on this evaluator's clock: the wall's, or for a recording the simulated one.
  virtual double now_s() const = 0;
};

}  // namespace warptune
