// The fault suite's kills and full disks, on the fake GPU, where a trial takes a millisecond.
#include <fstream>
#include <random>

#include "tests/tuner/measure/workers/fault_suite_gpu.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

class Kills : public FakeGpuFaults {
 protected:
  // Starts a run in the background; its process.
  pid_t start(const std::string& options) {
    const std::string log = (folder_.path() / "background.log").string();
    const std::string command = tune_command(options) + " >" + log + " 2>&1 </dev/null";
    const pid_t pid = fork();
    if (pid == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    return pid;
  }
  // What the run in the background printed.
  std::string log() const {
    std::ifstream file(folder_.path() / "background.log");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static int wait_for(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  static bool running(pid_t pid) { return waitpid(pid, nullptr, WNOHANG) == 0; }

  std::mt19937 random_{7};
};

TEST_F(Kills, WorkersKilledAtRandomMomentsCostNothingButTime) {
  write_template("0", 30000);  // more than any machine measures during 100 kills
  const pid_t program = start("--device cuda:0 --compile-jobs 2");
  while (trials().empty()) std::this_thread::sleep_for(5ms);
  int kills = 0;
  while (kills < 100) {
    std::vector<pid_t> workers = processes();
    std::erase(workers, program);
    ASSERT_TRUE(running(program)) << "after " << kills << " kills: " << log();
    if (workers.empty()) continue;
    kills += kill(workers[random_() % workers.size()], SIGKILL) == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + random_() % 50));
  }
  kill(program, SIGINT);
  EXPECT_EQ(wait_for(program), 130);
  const auto known = trials();
  EXPECT_GT(known.size(), 0u);
  // A job whose workers were killed again and again is given up, and says why.
  int given_up = 0;
  for (const auto& stored : known) {
    if (stored.trial.correct()) continue;
    ++given_up;
    EXPECT_THAT(stored.trial.message, HasSubstr("SIGKILL"));
  }
  EXPECT_LE(given_up, 3);
}

TEST_F(Kills, TheProgramKilledAtRandomMomentsLosesOnlyWhatWasInFlight) {
  write_template("0", 400);
  std::map<std::string, std::string> recorded;  // configuration -> when
  for (int i = 0; i < 100; ++i) {
    const pid_t program = start("--device cuda:0 --compile-jobs 1");
    std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 120));
    kill(program, SIGKILL);
    wait_for(program);
    const auto now = by_configuration();
    for (const auto& [configuration, when] : recorded) {
      ASSERT_TRUE(now.contains(configuration)) << configuration << " was lost";
      ASSERT_EQ(now.at(configuration).recorded_at, when) << configuration << " was measured twice";
    }
    for (const auto& [configuration, stored] : now) recorded[configuration] = stored.recorded_at;
  }
  EXPECT_TRUE(all_gone());
  EXPECT_EQ(tune("--device cuda:0 --compile-jobs 1").exit_code, 0);
  EXPECT_EQ(trials().size(), 400u);
}

TEST_F(Kills, AnInterruptLeavesNoProcessBehindEvenInAHang) {
  write_template(R"("0", "600", "hang")", 20);
  const pid_t program = start("--device cuda:0 --compile-jobs 2 --kernel-timeout 100 --compile-timeout 100");
  while (trials().empty() && processes().size() < 5) std::this_thread::sleep_for(5ms);
  std::this_thread::sleep_for(500ms);
  kill(program, SIGINT);
  EXPECT_EQ(wait_for(program), 130);
  EXPECT_TRUE(all_gone());
}

TEST_F(Kills, TwoSessionsAtOnceShareOneStore) {
  write_template("0", 200);
  const pid_t one = start("--device cuda:0 --compile-jobs 1"), two = start("--device cuda:0 --compile-jobs 1");
  EXPECT_EQ(wait_for(one), 0);
  EXPECT_EQ(wait_for(two), 0);
  EXPECT_EQ(trials().size(), 200u);
}

TEST_F(Kills, AFullDiskForTheCacheCostsTheCacheOnly) {
  write_template("0", 50);
  std::filesystem::create_directories(folder_.path() / "warptune");
  folder_.write("warptune/code-2", "a file where a folder should be");
  EXPECT_EQ(tune("--device cuda:0 --compile-jobs 2").exit_code, 0);
  EXPECT_EQ(trials().size(), 50u);
}

TEST_F(Kills, AFullDiskForTheStoreEndsTheSessionAndItGoesOnLater) {
  write_template("0", 3000);
  // A limit on file size stands for the full disk.
  const ProgramRun full = tune("--device cuda:0 --compile-jobs 2", "ulimit -f 500; ");
  EXPECT_EQ(full.exit_code, 5) << full.err;
  const std::size_t kept = trials().size();
  EXPECT_GT(kept, 0u);
  EXPECT_EQ(tune("--device cuda:0 --compile-jobs 2 --budget 20").exit_code, 0);
  EXPECT_EQ(trials().size(), kept + 20);
}

}  // namespace
}  // namespace warptune::tuner
