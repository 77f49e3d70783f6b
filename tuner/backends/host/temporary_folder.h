#pragma once

#include <filesystem>

namespace warptune::host {

// A new folder of this process's own, removed with everything in it on destruction. Throws std::system_error.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace warptune::host
