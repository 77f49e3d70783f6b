// Where compilers put their files.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>

#include "tuner/system/file_descriptor.h"

namespace warptune::tuner {

// A new folder of this process's own, removed with everything in it on destruction. Throws std::system_error.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Removes those that a process has left, which was killed.
  static void remove_all_of(pid_t process);
  // Removes those of this user that nobody holds any more: of programs that were killed, together with their workers.
  // One that is younger than `youngest` may not be locked yet by who makes it.
  static void remove_abandoned(std::chrono::seconds youngest = std::chrono::seconds(10));

 private:
  std::filesystem::path path_;
  // Locked as long as this lives. (A process's number alone would not tell: containers that share a folder for
  // temporary files number their processes each for itself.)
  FileDescriptor held_;
};

}  // namespace warptune::tuner
