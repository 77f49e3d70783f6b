#include "tuner/device/scratch_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

namespace warptune::tuner {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolder, GoesWithEverythingInIt) {
  fs::path path;
  {
    const ScratchFolder folder;
    path = folder.path();
    std::ofstream(path / "file") << "text";
    EXPECT_TRUE(fs::exists(path / "file"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, OfAKilledProcessIsRemovedAndNoOther) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ScratchFolder folder;
    const std::string path = folder.path();
    _exit(write(ends[1], path.c_str(), path.size() + 1) < 0);
  }
  std::array<char, 256> path{};
  ASSERT_GT(read(ends[0], path.data(), path.size() - 1), 0);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  ASSERT_TRUE(fs::exists(path.data()));
  const ScratchFolder own;
  ScratchFolder::remove_all_of(child);
  EXPECT_FALSE(fs::exists(path.data()));
  EXPECT_TRUE(fs::exists(own.path()));
}

}  // namespace
}  // namespace warptune::tuner
