#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/api/values.h"
#include "tuner/device/device.h"

namespace warptune {

// An array as a kernel's argument.
struct DeviceArray {
  std::uint64_t address = 0;
};

// One run of one configuration, given to a launcher: it queues whatever kernels the run consists of, in any number and
// order, and waits for nothing.
class Run {
 public:
  struct Parts {
    std::function<tuner::Kernel&(const std::string&)> kernel;
    std::function<tuner::MemorySpan(const std::string&)> array;
    std::function<void(tuner::MemorySpan)> clear;
    std::function<void(tuner::Kernel&, const tuner::LaunchGeometry&)> on_launch;  // before each; may be empty
  };

  Run(const Values& values, const Parts& parts) : values_(values), parts_(parts) {}

  // Parameters, sizes and device limits.
  const Values& values() const { return values_; }
  std::int64_t operator[](std::string_view name) const { return values_.integer(name); }

  DeviceArray array(const std::string& name) const { return {parts_.array(name).address}; }
  // Queues setting an array to zero bytes.
  void clear(const std::string& name) const { parts_.clear(parts_.array(name)); }

  // Queues a launch. Arguments are arrays and numbers, whose types must be the kernel's own: `std::int32_t{3}` for int.
  template <class... Arguments>
  void launch(const std::string& kernel, const tuner::LaunchGeometry& geometry, const Arguments&... arguments) const {
    std::array<std::array<std::byte, 8>, sizeof...(Arguments) + 1> bytes = {bytes_of(arguments)...};
    std::array<void*, sizeof...(Arguments) + 1> pointers{};
    for (std::size_t i = 0; i < sizeof...(Arguments); ++i) pointers[i] = bytes[i].data();
    queue(kernel, geometry, std::span<void* const>(pointers.data(), sizeof...(Arguments)));
  }

 private:
  template <class T>
  static std::array<std::byte, 8> bytes_of(const T& value) {
    std::array<std::byte, 8> bytes{};
    if constexpr (std::is_same_v<T, DeviceArray>) {
      std::memcpy(bytes.data(), &value.address, sizeof value.address);
    } else {
      static_assert(std::is_arithmetic_v<T>, "a kernel's argument is an array or a number");
      std::memcpy(bytes.data(), &value, sizeof value);
    }
    return bytes;
  }

  void queue(const std::string& name, const tuner::LaunchGeometry& geometry, std::span<void* const> arguments) const {
    tuner::Kernel& kernel = parts_.kernel(name);
    if (parts_.on_launch) parts_.on_launch(kernel, geometry);
    kernel.launch(geometry, arguments);
  }

  const Values& values_;
  const Parts& parts_;
};

}  // namespace warptune
