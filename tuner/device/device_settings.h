// What a device is set to while it is measured.
#pragma once

#include "search/error.h"

namespace warptune::tuner {

// 0: left as it is.
struct DeviceSettings {
  int clock_mhz = 0;    // of the graphics clock, locked
  int power_cap_w = 0;  // what the board may draw

  bool any() const { return clock_mhz > 0 || power_cap_w > 0; }
};

// What was changed, and so has to be put back.
struct ChangedSettings {
  bool clock_locked = false;
  unsigned previous_cap_mw = 0;  // 0: not changed
};

// A device that did not take its settings, or could not be put back.
using DeviceSettingsError = search::ErrorOf<search::ErrorKind::no_device>;

}  // namespace warptune::tuner
