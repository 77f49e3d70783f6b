// The host's limits as a CUDA device: a recent GPU's where a CPU has none of its own.
#pragma once

#include <cstdint>

namespace warptune::tuner::host {

inline constexpr std::int64_t kMaxThreads = 1024;                 // a block
inline constexpr std::int64_t kMaxStaticSharedBytes = 48 * 1024;  // a block
inline constexpr std::int64_t kMaxConstantBytes = 64 * 1024;      // a module, as on every NVIDIA GPU
inline constexpr std::int64_t kMaxSharedBytes = 227 * 1024;       // a block, static and dynamic together

// What a module sets aside at the end of its thread-local storage: for `extern __shared__` arrays, if it has any, and
// for what lies behind them, where nobody may go.
inline constexpr std::int64_t kBehindSharedBytes = 61 * 1024;
inline constexpr char set_aside_name[] = "warptune_set_aside";

}  // namespace warptune::tuner::host
