// Writes what a header says of launches beyond grid, block and shared memory, and how it makes them.
#pragma once

#include <string>

#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner {

// Returns a struct, a look-up by entry and kernel, and for CUDA a function that launches with cudaLaunchKernelEx. The
// text is empty where all launches are plain: such headers stay as they are.
std::string launch_code(const Wisdom& wisdom);

}  // namespace warptune::tuner
