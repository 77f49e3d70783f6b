// Declares the part of CUPTI that the backend uses: the Range Profiler and the Profiler Host API of CUDA 12.6 and
// later, whose structures grow at their ends only. It is declared here because a machine with the toolkit's headers
// need not have CUPTI's. Where it has them, tests/tuner/device/backends/cuda/cupti_api_test.cpp compares both.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace warptune::tuner::cuda::cupti {

using Result = int;  // CUptiResult; 0 is success

constexpr int range_profiler = 0;           // CUpti_ProfilerType, CUpti_Profiler_API
constexpr int auto_range = 1;               // CUpti_ProfilerRange: each launch by itself
constexpr int user_replay = 3;              // CUpti_ProfilerReplayMode: the caller launches again
constexpr int configuration_supported = 3;  // CUpti_Profiler_Support_Level

// The parameters of each function begin with these members.
struct Parameters {
  std::size_t struct_size = 0;
  void* reserved = nullptr;
};

struct Initialize : Parameters {};

struct DeviceSupported : Parameters {
  CUdevice device = 0;
  int supported = 0, architecture = 0, sli = 0, virtual_gpu = 0, confidential_computing = 0, mining = 0, wsl = 0;
  int api = range_profiler;
};

struct ChipName : Parameters {
  std::size_t device = 0;
  const char* name = nullptr;
};

struct CounterAvailability : Parameters {
  CUcontext context = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};

struct HostInitialize : Parameters {
  int type = range_profiler;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  void* host = nullptr;
};

struct HostDeinitialize : Parameters {
  void* host = nullptr;
};

struct AddMetrics : Parameters {
  void* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};

struct ConfigImageSize : Parameters {
  void* host = nullptr;
  std::size_t bytes = 0;
};

struct ConfigImage : Parameters {
  void* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};

struct NumberOfPasses : Parameters {
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0;
};

struct Evaluate : Parameters {
  void* host = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::size_t range = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};

struct RangeEnable : Parameters {
  CUcontext context = nullptr;
  void* object = nullptr;
};

// Holds the parameters of the functions that take nothing but the object: disable, start.
struct RangeObject : Parameters {
  void* object = nullptr;
};

struct RangeConfig : Parameters {
  void* object = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t data_bytes = 0;
  std::uint8_t* data = nullptr;
  int range = auto_range;
  int replay = user_replay;
  std::size_t most_ranges = 0;
  std::uint16_t nesting_levels = 1;
  std::uint16_t least_nesting_level = 1;
  std::size_t pass = 0;
  std::uint16_t target_nesting_level = 1;
};

struct RangeStop : Parameters {
  void* object = nullptr;
  std::size_t pass = 0;
  std::size_t target_nesting_level = 0;
  std::uint8_t all_passes_submitted = 0;
};

struct RangeDecode : Parameters {
  void* object = nullptr;
  std::size_t dropped = 0;
};

struct CounterDataSize : Parameters {
  void* object = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
  std::size_t most_ranges = 0;
  std::uint32_t most_nodes = 0;
  std::size_t bytes = 0;
};

struct CounterDataInitialize : Parameters {
  void* object = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* data = nullptr;
};

struct CounterDataInfo : Parameters {
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::size_t ranges = 0;
};

// This is what `struct_size` says: the size up to the last member's end, without the padding behind it.
template <class T>
constexpr std::size_t size_of = sizeof(T);
template <>
inline constexpr std::size_t size_of<DeviceSupported> = sizeof(Parameters) + 9 * sizeof(int);
template <>
inline constexpr std::size_t size_of<RangeConfig> = sizeof(RangeConfig) - sizeof(std::size_t) + sizeof(std::uint16_t);
template <>
inline constexpr std::size_t size_of<RangeStop> = sizeof(RangeStop) - sizeof(std::size_t) + sizeof(std::uint8_t);

}  // namespace warptune::tuner::cuda::cupti
