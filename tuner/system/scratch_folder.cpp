// Makes folders that name their process and hold a lock, and finds those that nobody holds any more.
#include "tuner/system/scratch_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <system_error>

namespace warptune::tuner {

namespace fs = std::filesystem;

namespace {

// The process's number says whose a folder is, should a kill leave it behind.
std::string prefix_of(pid_t process) {
  return fmt::format("warptune-{}-", process);
}

// Returns whether a name is one of warptune-PROCESS-XXXXXX.
bool is_scratch_name(std::string_view name) {
  if (!name.starts_with("warptune-")) return false;
  name.remove_prefix(9);
  const auto digits = std::min(name.find_first_not_of("0123456789"), name.size());
  return digits > 0 && name.size() == digits + 7 && name[digits] == '-';
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = P_tmpdir "/" + prefix_of(getpid()) + "XXXXXX";
  if (mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot create a folder " + name + " to compile in");
  path_ = name;
  held_ = FileDescriptor(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held_.get() >= 0) flock(held_.get(), LOCK_EX | LOCK_NB);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // a leftover in /tmp is no reason to fail
  fs::remove_all(path_, ignored);
}

void ScratchFolder::remove_abandoned(std::chrono::seconds youngest) {
  std::error_code ignored;
  for (fs::directory_iterator entry(P_tmpdir, ignored), end; entry != end; entry.increment(ignored)) {
    if (!is_scratch_name(entry->path().filename().string())) continue;
    const FileDescriptor folder(
        open(entry->path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat about {};
    if (folder.get() < 0 || fstat(folder.get(), &about) != 0 || about.st_uid != geteuid()) continue;
    if (std::time(nullptr) - about.st_ctime < youngest.count() || flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    fs::remove_all(entry->path(), ignored);
  }
}

void ScratchFolder::remove_all_of(pid_t process) {
  const std::string prefix = prefix_of(process);
  std::error_code ignored;
  for (fs::directory_iterator entry(P_tmpdir, ignored), end; entry != end; entry.increment(ignored))
    if (entry->path().filename().string().starts_with(prefix)) fs::remove_all(entry->path(), ignored);
}

}  // namespace warptune::tuner
