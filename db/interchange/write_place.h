#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace warptune::db {

// Where text for a file that a user named goes. Never throws.
struct WritePlace {
  std::filesystem::path path;  // behind links, so that a link stays one; the name itself for a device or a pipe
  bool in_place = false;       // a device, a pipe or a file without a name takes the text: nothing is to replace it
  // /dev/stdout, /dev/fd/3: what is open already takes the text, where and how its owner opened it. By its name it
  // would be opened again: from its beginning, and emptied.
  std::optional<int> descriptor = {};
};

WritePlace write_place(const std::filesystem::path& file);

// What to do about a file that could not be written, for the end of its error: "name a file in this folder". Never
// throws.
std::string advice_on_writing(const std::filesystem::path& file);

}  // namespace warptune::db
