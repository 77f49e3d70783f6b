// A manifest for a source that has none yet: `warptune init`, and what other verbs do with a .cu where they expect a
// template.
#pragma once

#include <filesystem>
#include <string>

namespace warptune::tuner::cli {

// Whether the name is that of a CUDA source.
bool is_kernel_source(const std::filesystem::path& file);

// Whether it is a file with a name that OpenCL sources have.
bool is_opencl_source(const std::filesystem::path& file);

// The manifest beside the source that names it. Without one, asks on a terminal whether to write it at once. Throws
// RequestError with the command to give.
std::filesystem::path manifest_of_source(const std::filesystem::path& source);

// The same of the only source in a folder that has no manifest. Throws RequestError if there are none or several.
std::filesystem::path manifest_of_folder(const std::filesystem::path& folder);

}  // namespace warptune::tuner::cli
