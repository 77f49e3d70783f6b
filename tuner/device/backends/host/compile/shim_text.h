#pragma once

#include <span>
#include <string_view>

namespace warptune::tuner::host {

// The shim: what stands before a CUDA source so that a C++ compiler takes it. Generated from shim/*.h.
extern const std::string_view kShimText;
// What a tracked module is linked with (hooks.h).
extern const std::string_view kHooksText;

// LIMITS.md (limits_page.h).
extern const std::string_view kLimitsPage;

// CUDA's headers that have something to say here (shim/include), and what they include.
struct CudaHeader {
  std::string_view name;  // "cuda_fp16.h"
  std::string_view text;
};
std::span<const CudaHeader> cuda_headers();

}  // namespace warptune::tuner::host
