// Tells what lies under a name that comes from a store, a manifest or a command line. The standard library's own
// functions throw for a name that is too long for any file, or that leads through a folder that may not be read; one
// such name in a store stopped every verb that asks for its sessions' templates.
#pragma once

#include <filesystem>
#include <system_error>

namespace warptune::tuner {

// Returns whether a regular file can be found under the name, links followed. Thread-safe.
inline bool is_file(const std::filesystem::path& name) {
  std::error_code none;
  return std::filesystem::is_regular_file(name, none);
}

// Returns the same for a folder.
inline bool is_folder(const std::filesystem::path& name) {
  std::error_code none;
  return std::filesystem::is_directory(name, none);
}

}  // namespace warptune::tuner
