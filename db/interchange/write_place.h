// Files that users name to be written: the one way for all of the program's writers.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

namespace warptune::db {

// Where text for a file that a user named goes. Never throws.
struct WritePlace {
  std::filesystem::path path;  // behind links, so that a link stays one; the name itself for a device or a pipe
  bool in_place = false;       // the file itself takes the text: nothing is to replace it
  // /dev/stdout, /dev/fd/3: what is open already takes the text, where and how its owner opened it. By its name it
  // would be opened again: from its beginning, and emptied.
  std::optional<int> descriptor = {};
  std::optional<struct stat> replaced = {};  // the file that is there
};

// In place are devices, pipes, files without a name, and regular files that a new one could not stand for: with further
// names (hard links) or access lists, of another owner or group, or in a folder that takes no new files.
WritePlace write_place(const std::filesystem::path& file);

// An open file that appears complete or not at all, unless it is written in place: it is written beside its place, in a
// folder that is made if it is not there, and moved by `commit`. It has the mode and owner of the file that it
// replaces, from its first byte on; a new one follows the umask. Not thread-safe.
class OutputFile {
 public:
  // Throws std::system_error.
  explicit OutputFile(const std::filesystem::path& file);
  ~OutputFile();  // without a commit, no draft remains
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  int descriptor() const { return descriptor_; }
  // After all was written. Throws std::system_error.
  void commit();

 private:
  void open_draft();
  void remove_draft();

  WritePlace place_;
  std::filesystem::path draft_;  // empty in place
  int descriptor_ = -1;
};

// What to do about a file that could not be written, for the end of its error: "name a file in this folder". Never
// throws.
std::string advice_on_writing(const std::filesystem::path& file);

}  // namespace warptune::db
