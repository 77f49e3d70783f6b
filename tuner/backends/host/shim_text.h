#pragma once

#include <string_view>

namespace warptune::host {

// The shim: what stands before a CUDA source so that a C++ compiler takes it. Generated from shim/*.h.
extern const std::string_view kShimText;

}  // namespace warptune::host
