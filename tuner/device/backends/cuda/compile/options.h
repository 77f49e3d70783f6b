// A compile request as NVRTC's options.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/device/compile/compiler.h"

namespace warptune::tuner::cuda {

// The request's macros as lines before its source. As options, NVRTC's own headers, which it reads before the source,
// would see them too, and a parameter named `type` or `T` breaks those. Empty where an option has a header read before
// the source, which is to know them: then they are options.
std::string define_lines(const CompileRequest& request);

// The architecture, the request's own options, perhaps defines, and include folders (the request's before the
// toolkit's).
// An architecture option of the request replaces `architecture` ("sm_90") if it is a variant of it ("sm_90a"); others
// are for other devices and are dropped. As one text: --gpu-architecture=sm_90a or -arch=sm_90a.
std::vector<std::string> compiler_options(const CompileRequest& request, const std::string& architecture,
                                          const std::vector<std::filesystem::path>& toolkit_includes);

// The architecture among such options: "sm_90a".
std::string chosen_architecture(const std::vector<std::string>& options);

}  // namespace warptune::tuner::cuda
