#pragma once

#include <string_view>

namespace warptune::tuner::host {

// The shim: what stands before a CUDA source so that a C++ compiler takes it. Generated from shim/*.h.
extern const std::string_view kShimText;

}  // namespace warptune::tuner::host
