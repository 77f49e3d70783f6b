// Writes files that users name. It is the one way for all of the program's writers.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

namespace warptune::db {

// A WritePlace says where text for a file that a user named goes.
struct WritePlace {
  std::filesystem::path path;  // links are followed, and so stay links; the name itself for a device or a pipe
  bool in_place = false;       // the file itself takes the text: nothing is to replace it
  // For /dev/stdout or /dev/fd/3, the open descriptor takes the text, where and how its owner opened it. By its name
  // the file would be opened again: from its beginning, and emptied.
  std::optional<int> descriptor = {};
  std::optional<struct stat> replaced = {};  // the file that is there
};

// Returns where the text for a file goes. Never throws. Written in place are devices, pipes, files without a name, and
// regular files that a new one could not stand for: those with further names (hard links) or access lists, of another
// owner or group, or in a folder that takes no new files.
WritePlace write_place(const std::filesystem::path& file);

// An OutputFile is an open file that appears complete or not at all, unless it is written in place: it is written
// beside its place, in a folder that is made if it is not there, and moved by `commit`. It has the mode and owner of
// the file that it replaces, from its first byte on; a new one follows the umask. Not thread-safe.
class OutputFile {
 public:
  // Throws std::system_error.
  explicit OutputFile(const std::filesystem::path& file);
  ~OutputFile();  // without a commit, no draft remains
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  int descriptor() const { return descriptor_; }
  // Completes the file after all was written. Throws std::system_error.
  void commit();

 private:
  void open_draft();
  void remove_draft();

  WritePlace place_;
  std::filesystem::path draft_;  // empty if the file is written in place
  int descriptor_ = -1;
};

// Returns what to do about a file that could not be written, for the end of its error: "name a file in this folder".
// Never throws.
std::string advice_on_writing(const std::filesystem::path& file);

}  // namespace warptune::db
