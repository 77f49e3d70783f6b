// The one clock: monotonic seconds. Wall time is only ever written into records, never subtracted.
#pragma once

#include <chrono>

namespace warptune::tuner {

// Seconds since an arbitrary start that no adjustment of the system's clock moves. Thread-safe.
inline double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace warptune::tuner
