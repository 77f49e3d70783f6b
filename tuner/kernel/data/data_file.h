// Reads files of numbers that templates and requests name.
#pragma once

#include <filesystem>
#include <string>

namespace warptune::tuner {

// Returns the whole content. Only regular files (and links to them) are read: a FIFO would wait for a writer for ever,
// and a device may have no end. Throws search::DataError that names the file and the system's reason.
std::string read_data_file(const std::filesystem::path& file);

}  // namespace warptune::tuner
