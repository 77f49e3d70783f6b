// Where compilers put their files.
#pragma once

#include <sys/types.h>

#include <filesystem>

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

 private:
  std::filesystem::path path_;
};

}  // namespace warptune::tuner
