// Declares one run of one configuration, as a launcher sees it. Arguments are taken by type where the launcher is
// compiled, and travel as bytes. Nothing is launched while the launcher runs: what it queues is written down, and the
// engine that manifests have launches it, as often as it takes and on memory of its choice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tuner/device/launch_geometry.h"
#include "tuner/library/api/values.h"

namespace warptune {

// A DeviceArray is an array as a kernel's argument.
struct DeviceArray {
  std::string name;
};

// A RunArgument is an argument as it travels: an array, or a number's bytes.
struct RunArgument {
  std::string array;  // its name; empty for a number
  std::array<std::byte, 8> bytes{};
  std::size_t size = 8;  // of the number's type, or of an address
};

// A RunQueue takes a run's launches. It is the library's own; a program has no use for it. All functions throw
// std::invalid_argument for an unknown name.
class RunQueue {
 public:
  virtual ~RunQueue() = default;
  virtual void launch(const std::string& kernel, const tuner::LaunchGeometry& geometry,
                      std::vector<RunArgument> arguments) = 0;
  virtual DeviceArray array(const std::string& name) = 0;
  virtual void clear(const std::string& name) = 0;
};

// A Run is given to a launcher, which queues whatever kernels the run consists of, in any number and order. The
// launcher is called once for a measurement, not for each run of it. So the same configuration must always queue the
// same, and what else the launcher does is not timed. A Run is for the thread that called the launcher, until it
// returns.
class Run {
 public:
  Run(const Values& values, RunQueue& queue) : values_(values), queue_(queue) {}

  // Returns the values of parameters, sizes and device limits.
  const Values& values() const { return values_; }
  std::int64_t operator[](std::string_view name) const { return values_.integer(name); }

  DeviceArray array(const std::string& name) const { return queue_.array(name); }
  // Queues setting an array to zero bytes, before the next launch.
  void clear(const std::string& name) const { queue_.clear(name); }

  // Queues a launch. Arguments are arrays and numbers, whose types must be the kernel's own: `std::int32_t{3}` for int.
  template <class... Arguments>
  void launch(const std::string& kernel, const tuner::LaunchGeometry& geometry, const Arguments&... arguments) const {
    queue_.launch(kernel, geometry, {argument_of(arguments)...});
  }

 private:
  template <class T>
  static RunArgument argument_of(const T& value) {
    RunArgument argument;
    if constexpr (std::is_same_v<T, DeviceArray>) {
      argument.array = value.name;
    } else {
      static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "a kernel's argument is an array or a number");
      std::memcpy(argument.bytes.data(), &value, sizeof value);
      argument.size = sizeof value;
    }
    return argument;
  }

  const Values& values_;
  RunQueue& queue_;
};

}  // namespace warptune
