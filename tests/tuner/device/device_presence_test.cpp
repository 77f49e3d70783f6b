#include "tuner/device/device_presence.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "tests/support/temporary_folder.h"

namespace warptune::tuner {
namespace {

// Another process that measures on the device until it is killed.
class Process {
 public:
  Process(const std::filesystem::path& folder, const std::string& device) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    process_ = fork();
    if (process_ == 0) {
      const DevicePresence presence(folder, device, "gemm");
      if (write(ends[1], "!", 1) != 1) _exit(1);
      for (;;) pause();
    }
    char there = 0;
    EXPECT_EQ(read(ends[0], &there, 1), 1);
    close(ends[0]);
    close(ends[1]);
  }
  ~Process() { kill_it(); }
  void kill_it() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  std::string number() const { return std::to_string(process_); }

 private:
  pid_t process_ = 0;
};

TEST(DevicePresence, OthersOnTheDeviceAreHeardOfOnce) {
  const TemporaryFolder folder;
  const Process first(folder.path(), "GPU-1"), elsewhere(folder.path(), "GPU-12");
  DevicePresence own(folder.path(), "GPU-1", "copy");
  const auto others = own.newcomers();
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(others[0].process, first.number());
  EXPECT_EQ(others[0].what, "gemm");
  EXPECT_TRUE(own.newcomers().empty());
  const Process second(folder.path(), "GPU-1");  // comes while this one measures
  const auto newcomers = own.newcomers();
  ASSERT_EQ(newcomers.size(), 1u);
  EXPECT_EQ(newcomers[0].process, second.number());
}

TEST(DevicePresence, TheKilledAreNotHeardOfAndLeaveNothing) {
  const TemporaryFolder folder;
  Process killed(folder.path(), "GPU-1");
  killed.kill_it();
  {
    DevicePresence own(folder.path(), "GPU-1", "copy");
    EXPECT_TRUE(own.newcomers().empty());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(DevicePresence, AFolderThatCannotBeMadeIsNoReasonNotToMeasure) {
  DevicePresence own("/proc/nowhere", "GPU-1", "copy");
  EXPECT_TRUE(own.newcomers().empty());
}

}  // namespace
}  // namespace warptune::tuner
