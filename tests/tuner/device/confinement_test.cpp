#include "tuner/device/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace warptune::tuner {
namespace {

// In a process of its own: a thread cannot be freed again. The bits that come back say what was possible.
int possible_when_confined() {
  std::array<int, 2> sealed{}, other{};
  if (pipe(sealed.data()) != 0 || pipe(other.data()) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    confine_kernels(sealed[1]);
    confine_this_thread();
    int possible = 0;
    possible |= (write(sealed[1], "x", 1) == 1 || dup(sealed[1]) >= 0) ? 1 : 0;
    possible |= write(other[1], "x", 1) == 1 ? 2 : 0;
    possible |= (open("/dev/null", O_WRONLY) >= 0 || kill(getppid(), 0) == 0 || system("true") == 0) ? 4 : 0;
    std::thread inheriting([&] { possible |= write(sealed[1], "x", 1) == 1 ? 8 : 0; });
    inheriting.join();
    possible |= (open("/dev/null", O_RDONLY) >= 0 && std::malloc(64 << 20) != nullptr) ? 16 : 0;
    _exit(possible);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (const int end : {sealed[0], sealed[1], other[0], other[1]}) close(end);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

TEST(Confinement, SealsTheDescriptorAndOtherProcessesAndLeavesTheRest) {
  EXPECT_EQ(possible_when_confined(), 2 | 16);
}

TEST(Confinement, IsForThoseWhoAskForItAlone) {
  confine_this_thread();
  const int file = open("/dev/null", O_WRONLY);
  EXPECT_GE(file, 0);
  close(file);
}

}  // namespace
}  // namespace warptune::tuner
