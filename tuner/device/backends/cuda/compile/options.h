// Converts a compile request to NVRTC's options.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/device/compile/compiler.h"

namespace warptune::tuner::cuda {

// Returns the request's macros as lines before its source. If they were options, NVRTC's own headers, which it reads
// before the source, would see them too, and a parameter named `type` or `T` breaks those. The text is empty where an
// option has a header read before the source, because that header is to know the macros: then they are options.
std::string define_lines(const CompileRequest& request);

// Returns the architecture, the request's own options, perhaps defines, and include folders (the request's before the
// toolkit's).
// An architecture option of the request (in one text: --gpu-architecture=sm_90a or -arch=sm_90a) replaces
// `architecture` ("sm_90") if it is a variant of it ("sm_90a"). Other architectures are for other devices and are
// dropped.
std::vector<std::string> compiler_options(const CompileRequest& request, const std::string& architecture,
                                          const std::vector<std::filesystem::path>& toolkit_includes);

// Returns the architecture among such options: "sm_90a".
std::string chosen_architecture(const std::vector<std::string>& options);

}  // namespace warptune::tuner::cuda
