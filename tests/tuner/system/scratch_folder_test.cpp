#include "tuner/system/scratch_folder.h"

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

TEST(ScratchFolder, OneThatNobodyHoldsIsRemovedByWhoeverComesNext) {
  const ScratchFolder own;
  fs::path abandoned;
  {
    const ScratchFolder pattern;  // a name that nobody else has
    abandoned = pattern.path();
  }
  fs::create_directory(abandoned);
  std::ofstream(abandoned / "left") << "behind";
  const fs::path foreign = fs::path(P_tmpdir) / ("warptune-mine-" + std::to_string(getpid()));
  fs::create_directory(foreign);
  ScratchFolder::remove_abandoned();
  EXPECT_TRUE(fs::exists(abandoned)) << "it may have been made this moment";
  ScratchFolder::remove_abandoned(std::chrono::seconds(0));
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(own.path()));
  EXPECT_TRUE(fs::exists(foreign));
  fs::remove_all(foreign);
}

}  // namespace
}  // namespace warptune::tuner
