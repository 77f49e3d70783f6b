#include "tuner/device/scratch_folder.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

namespace warptune::tuner {

namespace fs = std::filesystem;

namespace {

// The process's number says whose a folder is, should a kill leave it behind.
std::string prefix_of(pid_t process) {
  return fmt::format("warptune-{}-", process);
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = P_tmpdir "/" + prefix_of(getpid()) + "XXXXXX";
  if (mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot create a folder " + name + " to compile in");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // a leftover in /tmp is no reason to fail
  fs::remove_all(path_, ignored);
}

void ScratchFolder::remove_all_of(pid_t process) {
  const std::string prefix = prefix_of(process);
  std::error_code ignored;
  for (fs::directory_iterator entry(P_tmpdir, ignored), end; entry != end; entry.increment(ignored))
    if (entry->path().filename().string().starts_with(prefix)) fs::remove_all(entry->path(), ignored);
}

}  // namespace warptune::tuner
