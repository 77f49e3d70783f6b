// Warptune's headers for kernels, <warptune/device/...>, as part of the library: the program, its workers and
// applications find them wherever they were carried to, and their text is that of the version that compiles.
// (Rejected: looking for files beside the program or the templates. An application that links the runtime has neither.)
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner {

struct DeviceHeader {
  std::string_view name;  // as kernels include it: "warptune/device/vectors.cuh"
  std::string_view text;
};

// All of templates/include, by name.
std::span<const DeviceHeader> device_headers();

// Nothing if there is none of this name.
const DeviceHeader* find_device_header(std::string_view name);

// Writes every header below the folder, under its name. Throws std::system_error.
void write_device_headers(const std::filesystem::path& folder);

// What to say of a name below warptune/device/ that is none of them: which there are.
std::string no_such_device_header(std::string_view name);

// The same, with a line's end, if a compiler's log tells of such an include. Else empty.
std::string hint_about_device_headers(std::string_view log);

}  // namespace warptune::tuner
