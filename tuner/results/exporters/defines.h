// Exports winners as macros for C, OpenCL C and CUDA sources.
#pragma once

#include "tuner/results/exporters/exporter.h"

namespace warptune::tuner {

// Returns macros for C, OpenCL C and CUDA sources, one for each parameter as a template gets them by -D. The
// preprocessor cannot compare names or logarithms, so the program says which entry it wants (-D
// WARPTUNE_<KERNEL>_ENTRY=2, 0 is the default). CUDA device code takes the first entry of its architecture by itself,
// and a single entry needs no choice. With a `prefix`, as "GEMM_", a kernel's source says GEMM_TILE: kernels with
// parameters of one name fit into one file.
std::string export_defines(const Wisdom& wisdom, const std::string& prefix = "");

}  // namespace warptune::tuner
