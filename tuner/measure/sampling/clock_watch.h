#pragma once

#include "tuner/device/device.h"

namespace warptune::tuner {

// Tells when a device runs well under the clock that it has shown it can hold: what is sampled then says more about its
// temperature or its power limit than about the kernel.
class ClockWatch {
 public:
  // To be asked once for each batch of samples. Never throttled if the clock is unknown. A device that stays slow is
  // taken as it is after a while, for a measurement at a low clock beats none.
  bool throttled(const search::DeviceState& state);

 private:
  double highest_mhz_ = 0;
  int slow_in_a_row_ = 0;
};

}  // namespace warptune::tuner
