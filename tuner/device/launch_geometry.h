// How many threads a launch has, and in what shape. Apart from device.h, because programs that embed the tuner say it
// too.
#pragma once

#include <cstdint>

namespace warptune::tuner {

struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t volume() const { return x * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

struct LaunchGeometry {
  Dim3 grid;
  Dim3 block;
  std::int64_t dynamic_shared_bytes = 0;
};

}  // namespace warptune::tuner
