// Declares the timer of the CUDA backend.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "tuner/device/backends/cuda/driver/event.h"
#include "tuner/device/device.h"

namespace warptune::tuner::cuda {

// Times work between events of the device's own clock. Events are kept for the next time.
class Timer {
 public:
  explicit Timer(Context& context) : context_(context) {}

  // Does what Device::sample_ms does. `meanwhile` is called when all is queued, while the device works on it.
  std::vector<double> sample_ms(const Timing& timing, const std::function<void()>& meanwhile);

 private:
  Event& event(std::size_t index);

  Context& context_;
  std::deque<Event> events_;  // before and after each sample
};

}  // namespace warptune::tuner::cuda
