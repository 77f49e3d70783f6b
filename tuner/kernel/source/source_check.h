// Checks what a manifest says of its sources against their text, before anything is compiled or measured.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/device/compile/source_tokens.h"
#include "tuner/kernel/source/macro_check.h"

namespace warptune::tuner {

// Returns the names of the __global__ functions, in order, each once.
std::vector<std::string> kernel_names(const std::vector<SourceToken>& tokens);

// Finds
//  - a launch, also of the reference, of a kernel whose name the source and its headers do not hold at all;
//  - a scalar of a launch that is a real number where the kernel takes an integer, or the other way round;
//  - a buffer whose type differs in size or kind from that of the kernel's pointer, where both are known for certain;
//  - a scalar or buffer that a reference in C++ takes as another type, where both are known for certain;
//  - extern __shared__ memory in the source where no launch says how many bytes of it there are.
// Throws ManifestError with a line for each, naming the kernels there are, or file and line. Where names are pasted
// together (##), a header cannot be found or the source has no function, no kernel is called missing.
void check_sources(const KernelTemplate& kernel, const SourceReader& read = read_file);

}  // namespace warptune::tuner
