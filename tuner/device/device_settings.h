// Declares what a device is set to while it is measured.
#pragma once

#include "search/error.h"

namespace warptune::tuner {

// Says what a device is to be set to. A setting of 0 is left as it is.
struct DeviceSettings {
  int clock_mhz = 0;    // the graphics clock is locked at this
  int power_cap_w = 0;  // what the board may draw

  bool any() const { return clock_mhz > 0 || power_cap_w > 0; }
};

// Says what was changed and so has to be put back.
struct ChangedSettings {
  bool clock_locked = false;
  unsigned previous_cap_mw = 0;  // 0: not changed
};

// Says that a device did not take its settings, or could not be put back.
using DeviceSettingsError = search::ErrorOf<search::ErrorKind::no_device>;

}  // namespace warptune::tuner
