// Detects that a device is throttled, from the clocks that it reports between batches of samples.
#pragma once

#include "tuner/device/device.h"

namespace warptune::tuner {

// Tells when a device runs well under the clock that it has shown it can hold. Samples taken then say more about its
// temperature or its power limit than about the kernel.
class ClockWatch {
 public:
  // Returns whether the device is throttled now. It is called once for each batch of samples. A device whose clock is
  // unknown is never throttled. A device that stays slow counts as normal after a while, since a measurement at a low
  // clock beats none.
  bool throttled(const search::DeviceState& state);

 private:
  double highest_mhz_ = 0;
  int slow_in_a_row_ = 0;
};

}  // namespace warptune::tuner
