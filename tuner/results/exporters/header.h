// Exports winners as a C++ header that chooses among them.
#pragma once

#include "tuner/results/exporters/exporter.h"

namespace warptune::tuner {

// Returns a header that needs nothing but the language (C++14, nvcc included). It has `namespace warptune_tuned {
// namespace <kernel>` with a struct that has a member for each parameter, a constexpr table of winners, and the choice
// among them by candidates()'s rule, at run time by the GPU's name or in device code by __CUDA_ARCH__. README.md shows
// its use.
std::string export_header(const Wisdom& wisdom);

}  // namespace warptune::tuner
