// A compile request as NVRTC's options.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/device/compiler.h"

namespace warptune::tuner::cuda {

// The architecture, the request's own options, defines, and include folders (the request's before the toolkit's).
// An architecture option of the request replaces `architecture` ("sm_90") if it is a variant of it ("sm_90a"); others
// are for other devices and are dropped. As one text: --gpu-architecture=sm_90a or -arch=sm_90a.
std::vector<std::string> compiler_options(const CompileRequest& request, const std::string& architecture,
                                          const std::vector<std::filesystem::path>& toolkit_includes);

// The architecture among such options: "sm_90a".
std::string chosen_architecture(const std::vector<std::string>& options);

}  // namespace warptune::tuner::cuda
