// Writes two parts of a tuned header: constants with the parameters' names for a kernel's source, and what it says of
// launches beyond grid, block and shared memory.
#pragma once

#include <string>

#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner {

// Returns the name of the header's macro, as "WARPTUNE_GEMM_CONSTANTS": WARPTUNE_GEMM_CONSTANTS(0); declares the
// constants of entry 0. It is empty if a parameter is text, which no constant can be.
std::string constants_macro(const Wisdom& wisdom);

// Returns the macro's definition, which is empty where the macro has no name.
std::string constants_definition(const Wisdom& wisdom);

// Returns the branches of the header in which Warptune compiles, from "#if …" up to the "#else" of the header itself.
// The parameters that are given are macros then. Constants with the default's values stand for the others, as in a file
// with another kernel, which is tuned and has some of them too.
std::string branches_when_tuning(const Wisdom& wisdom);

// Returns a struct, a look-up by entry and kernel, and for CUDA a function that launches with cudaLaunchKernelEx. The
// text is empty where all launches are plain: such headers stay as they are.
std::string launch_code(const Wisdom& wisdom);

}  // namespace warptune::tuner
