#include "tuner/program/cli/tuning/tracked_child.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::cli {

namespace {

constexpr std::size_t step_bytes = 4096;  // zeros at first, and the last one stays

[[noreturn]] void throw_last_error() {
  throw std::system_error(errno, std::generic_category(), "cannot start a process for the run");
}

}  // namespace

TrackedChild::TrackedChild() {
  void* const shared = mmap(nullptr, step_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw_last_error();
  step_ = static_cast<char*>(shared);
  std::fflush(nullptr);  // or both would print what is waiting
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  } else if (process_ < 0) {
    munmap(step_, step_bytes);
    throw_last_error();
  }
}

TrackedChild::~TrackedChild() {
  munmap(step_, step_bytes);
}

void TrackedChild::note(const std::string& step) {
  const std::size_t bytes = std::min(step.size(), step_bytes - 1);
  std::memcpy(step_, step.data(), bytes);
  step_[bytes] = '\0';
}

int TrackedChild::wait() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status)) ScratchFolder::remove_all_of(process_);
  return status;
}

std::string TrackedChild::step() const {
  return step_;
}

}  // namespace warptune::tuner::cli
