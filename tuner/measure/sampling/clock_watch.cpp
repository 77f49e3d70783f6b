// Compares each clock with the highest one seen, and forgets that one once the device stays slow.
#include "tuner/measure/sampling/clock_watch.h"

#include <algorithm>

namespace warptune::tuner {

namespace {

constexpr double well_under = 0.9;  // of the highest clock; boost clocks move by some percent all the time
constexpr int patience = 12;        // in batches: a device that is slow for longer is not throttled any more

}  // namespace

bool ClockWatch::throttled(const search::DeviceState& state) {
  if (!state.clock_mhz) return false;
  highest_mhz_ = std::max(highest_mhz_, *state.clock_mhz);
  if (*state.clock_mhz >= well_under * highest_mhz_) {
    slow_in_a_row_ = 0;
    return false;
  }
  if (++slow_in_a_row_ <= patience) return true;
  highest_mhz_ = *state.clock_mhz;
  slow_in_a_row_ = 0;
  return false;
}

}  // namespace warptune::tuner
