// The host's limits as a CUDA device: a recent GPU's where a CPU has none of its own.
#pragma once

#include <cstdint>

namespace warptune::tuner::host {

inline constexpr std::int64_t kMaxThreads = 1024;                 // a block
inline constexpr std::int64_t kMaxStaticSharedBytes = 48 * 1024;  // a block
inline constexpr std::int64_t kMaxConstantBytes = 64 * 1024;      // a module, as on every NVIDIA GPU
inline constexpr std::int64_t kMaxSharedBytes = 227 * 1024;       // a block, static and dynamic together

}  // namespace warptune::tuner::host
