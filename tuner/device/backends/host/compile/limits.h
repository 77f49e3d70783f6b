// Declares the host's limits as a CUDA device. They are a recent GPU's where a CPU has none of its own.
#pragma once

#include <cstdint>

namespace warptune::tuner::host {

inline constexpr std::int64_t kMaxThreads = 1024;                 // per block
inline constexpr std::int64_t kMaxStaticSharedBytes = 48 * 1024;  // per block
inline constexpr std::int64_t kMaxConstantBytes = 64 * 1024;      // per module, as on every NVIDIA GPU
inline constexpr std::int64_t kMaxSharedBytes = 227 * 1024;       // per block, static and dynamic together

// A module sets memory aside at the end of its thread-local storage: for `extern __shared__` arrays, if it has any, and
// these bytes for what lies behind them, where nobody may go. Its symbol of the name below says how much that is in
// all.
inline constexpr std::int64_t kBehindSharedBytes = 61 * 1024;
inline constexpr char set_aside_name[] = "warptune_set_aside";

}  // namespace warptune::tuner::host
