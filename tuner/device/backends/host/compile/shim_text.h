// Declares the texts that the build makes of the files in shim/ and of LIMITS.md.
#pragma once

#include <span>
#include <string_view>

namespace warptune::tuner::host {

// This is the shim, which stands before a CUDA source so that a C++ compiler takes it. It is generated from shim/*.h.
extern const std::string_view kShimText;
// This is the source of the functions that a tracked module is linked with (hooks.h).
extern const std::string_view kHooksText;

// This is LIMITS.md (limits_page.h).
extern const std::string_view kLimitsPage;

// Holds one of CUDA's headers that declare something here (shim/include), or one of those that they include.
struct CudaHeader {
  std::string_view name;  // "cuda_fp16.h"
  std::string_view text;
};
std::span<const CudaHeader> cuda_headers();

}  // namespace warptune::tuner::host
