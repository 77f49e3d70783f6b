#pragma once

#include <filesystem>

namespace warptune::db {

// Where text for a file that a user named goes. Never throws.
struct WritePlace {
  std::filesystem::path path;  // behind links, so that a link stays one; the name itself for a device or a pipe
  bool in_place = false;       // a device, a pipe or a file without a name takes the text: nothing is to replace it
};

WritePlace write_place(const std::filesystem::path& file);

}  // namespace warptune::db
