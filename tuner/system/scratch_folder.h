// Makes the folders that compilers put their files in.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>

#include "tuner/system/file_descriptor.h"

namespace warptune::tuner {

// A ScratchFolder is a new folder of this process's own, which is removed with everything in it on destruction. Its
// constructor throws std::system_error.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Removes the folders that a killed process has left.
  static void remove_all_of(pid_t process);
  // Removes the folders of this user that nobody holds any more. Programs that were killed together with their workers
  // leave such folders. A folder that is younger than `youngest` stays, since whoever makes it may not have locked it
  // yet.
  static void remove_abandoned(std::chrono::seconds youngest = std::chrono::seconds(10));

 private:
  std::filesystem::path path_;
  // The folder is locked as long as this lives. (A process's number alone would not tell: containers that share a
  // folder for temporary files number their processes each for itself.)
  FileDescriptor held_;
};

}  // namespace warptune::tuner
