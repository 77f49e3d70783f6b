// Finds or writes the manifest of a source, for `warptune init` and for verbs that get a .cu where they expect a
// template.
#pragma once

#include <filesystem>
#include <string>

namespace warptune::tuner::cli {

// Returns whether the name is that of a CUDA or C++ source.
bool is_kernel_source(const std::filesystem::path& file);

// Returns whether it is a file with a name that OpenCL sources have.
bool is_opencl_source(const std::filesystem::path& file);

// Returns the manifest beside the source that names it. If there is none, it asks on a terminal whether to write one at
// once. Throws RequestError with the command to give.
std::filesystem::path manifest_of_source(const std::filesystem::path& source);

// Does the same for the only source in a folder that has no manifest. Throws RequestError if there are none or several.
std::filesystem::path manifest_of_folder(const std::filesystem::path& folder);

}  // namespace warptune::tuner::cli
