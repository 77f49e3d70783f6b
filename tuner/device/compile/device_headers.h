// Holds Warptune's headers for kernels, <warptune/device/...>, as part of the library. The program, its workers and
// applications find them wherever they were carried to, and their text is that of the version that compiles. (Rejected:
// looking for files beside the program or the templates. An application that links the runtime has neither.)
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

// Returns all of templates/include, by name.
std::span<const DeviceHeader> device_headers();

// Returns the header of this name, or null if there is none.
const DeviceHeader* find_device_header(std::string_view name);

// Writes every header below the folder, under its name. Throws std::system_error.
void write_device_headers(const std::filesystem::path& folder);

// Says of a name below warptune/device/ that it is none of these headers, and which there are.
std::string no_such_device_header(std::string_view name);

// Returns the same with a line's end, if a compiler's log tells of such an include. Otherwise the text is empty.
std::string hint_about_device_headers(std::string_view log);

}  // namespace warptune::tuner
