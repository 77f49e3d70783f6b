// Reads the one clock, in monotonic seconds. Wall time is only ever written into records, never subtracted.
#pragma once

#include <chrono>

namespace warptune::tuner {

// Returns seconds since an arbitrary start. No adjustment of the system's clock moves it. Thread-safe.
inline double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace warptune::tuner
