#include "tuner/system/child.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "tuner/system/clock.h"

namespace warptune::tuner {
namespace {

// To the end of what it writes.
std::string text_of(FileDescriptor& end) {
  std::string text;
  std::array<char, 256> part{};
  for (ssize_t bytes = 0; (bytes = read(end.get(), part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(bytes));
  return text;
}

struct Shell {
  explicit Shell(const std::string& words, ChildGroup group = ChildGroup::own,
                 std::vector<std::string> environment = {})
      : child(Child::start({.command = {"sh", "-c", words},
                            .environment = std::move(environment),
                            .descriptors = {{output.write.get(), 1}},
                            .closes_others = false},
                           group)) {
    output.write.reset();
  }
  Pipe output;
  Child child;
};

TEST(Child, TellsHowItEnded) {
  EXPECT_EQ(describe_end(Shell("exit 3").child.reap()), "ended with exit code 3");
  const int killed = Shell("kill -9 $$").child.reap();
  EXPECT_EQ(describe_end(killed), "was killed by SIGKILL (Killed)");
  EXPECT_EQ(exit_code_of(killed), 137);
}

TEST(Child, ThatCannotBeStartedIsAnErrorThatNamesIt) {
  try {
    Child::start({.command = {"no-such-program"}}, ChildGroup::own);
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot start 'no-such-program'"));
  }
}

TEST(Child, GetsTheDescriptorsAndTheEnvironmentThatItIsGiven) {
  Shell shell("echo $LC_ALL; echo $WARPTUNE_NOT_SET", ChildGroup::own, environment_with({"LC_ALL=C"}));
  EXPECT_EQ(text_of(shell.output.read), "C\n\n");
  EXPECT_EQ(shell.child.reap(), 0);
}

// A program that ignores a signal would hand that on to compilers and workers.
TEST(Child, BeginsWithNoSignalIgnoredOrBlocked) {
  const auto before = ::signal(SIGTERM, SIG_IGN);
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, &old);
  Shell ignoring("kill -TERM $$; exit 0"), blocking("kill -USR1 $$; exit 0");
  sigprocmask(SIG_SETMASK, &old, nullptr);
  ::signal(SIGTERM, before);
  EXPECT_EQ(exit_code_of(ignoring.child.reap()), 128 + SIGTERM);
  EXPECT_EQ(exit_code_of(blocking.child.reap()), 128 + SIGUSR1);
}

TEST(Child, IsWaitedForUntilADeadline) {
  Shell sleeping("sleep 1000");
  EXPECT_FALSE(sleeping.child.ends_by(Deadline::in_s(0.02)));
  EXPECT_EQ(sleeping.child.try_reap(), std::nullopt);
  sleeping.child.kill();
  EXPECT_TRUE(sleeping.child.ends_by({}));
  EXPECT_EQ(exit_code_of(sleeping.child.try_reap().value()), 137);
}

// The output ends once nobody holds it: the sleeping child of the shell does until it is killed.
TEST(Child, LeavesNobodyBehindInAGroupOfItsOwn) {
  Shell leaving("sleep 1000 & exit 0");
  EXPECT_EQ(leaving.child.reap(), 0);
  EXPECT_EQ(text_of(leaving.output.read), "");
}

TEST(Child, IsKilledWithItsGroupAtItsEnd) {
  Pipe output;
  {
    Shell shell("sleep 1000 & echo begun; wait");
    std::array<char, 6> begun{};
    EXPECT_EQ(read(shell.output.read.get(), begun.data(), begun.size()), 6);
    output = std::move(shell.output);
  }
  EXPECT_EQ(text_of(output.read), "");
}

TEST(Child, IsNotSignalledOnceItsEndWasSeen) {
  Shell shell("exit 0");
  shell.child.reap();
  shell.child.kill();  // its number may be another's
  EXPECT_EQ(shell.child.reap(), 0);
  EXPECT_TRUE(shell.child.has_been_reaped());
}

TEST(Child, OfAProcessThatIgnoresSigchldEndsInAWayThatNobodyKnows) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  Shell failing("exit 3");
  EXPECT_EQ(failing.child.reap(), 0);
  EXPECT_FALSE(failing.child.end_is_known());
  ::signal(SIGCHLD, before);
  Shell known("exit 0");
  EXPECT_EQ(known.child.reap(), 0);
  EXPECT_TRUE(known.child.end_is_known());
}

TEST(Child, ForkedRunsAFunctionAndExitsWithItsResult) {
  Pipe pipe;
  Child child = Child::fork(ChildGroup::own, [&] {
    EXPECT_EQ(write(pipe.write.get(), "here", 4), 4);
    return 7;
  });
  pipe.write.reset();
  EXPECT_EQ(text_of(pipe.read), "here");
  EXPECT_EQ(exit_code_of(child.reap()), 7);
}

// It must not outlive the program that wanted its answer.
TEST(Child, ForkedEndsWithItsParent) {
  Pipe pipe;
  Child parent = Child::fork(ChildGroup::own, [&] {
    Child child = Child::fork(ChildGroup::own_session, [&] {
      EXPECT_EQ(write(pipe.write.get(), "x", 1), 1);
      return pause();
    });
    std::array<char, 1> begun{};
    EXPECT_EQ(read(pipe.read.get(), begun.data(), begun.size()), 1);
    return raise(SIGKILL);
  });
  parent.reap();
  pipe.write.reset();
  EXPECT_EQ(text_of(pipe.read), "");
}

TEST(RunChild, CollectsBothStreamsAndTheStatus) {
  const ChildResult result = run_child({"sh", "-c", "cat; echo problem >&2; exit 3"}, "hello", {});
  EXPECT_EQ(result.output, "hello");
  EXPECT_EQ(result.log, "problem\n");
  EXPECT_EQ(result.exit_status, 3);
}

TEST(RunChild, ATimeoutEndsGrandchildrenToo) {
  // Returns only when every holder of the stream is gone.
  const ChildResult result =
      run_child({"sh", "-c", "sleep 1000 & echo $!; wait"}, "", {.deadline = Deadline::in_s(0.2)});
  EXPECT_TRUE(result.timed_out);
  const std::string state = "/proc/" + result.output.substr(0, result.output.find('\n')) + "/stat";
  for (int i = 0; i < 100 && std::filesystem::exists(state); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::string line;
  std::getline(std::ifstream(state), line);
  EXPECT_TRUE(line.empty() || line.find(") Z ") != std::string::npos) << line;
}

TEST(RunChild, AnEndlessLogIsCut) {
  const ChildResult result = run_child({"sh", "-c", "head -c 100000 /dev/zero >&2"}, "", {.log_bytes = 1000});
  EXPECT_LT(result.log.size(), 1100u);
  EXPECT_THAT(result.log, testing::HasSubstr("left out"));
}

}  // namespace
}  // namespace warptune::tuner
