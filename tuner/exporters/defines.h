#pragma once

#include "tuner/exporters/exporter.h"

namespace warptune::tuner {

// Macros, one for each parameter as a template gets them by -D, for C, OpenCL C and CUDA sources. The preprocessor
// cannot compare names or logarithms, so the program says which entry it wants (-D WARPTUNE_<KERNEL>_ENTRY=2, 0 is the
// default); CUDA device code takes the first entry of its architecture by itself, and a single entry needs no choice.
std::string export_defines(const Wisdom& wisdom);

}  // namespace warptune::tuner
