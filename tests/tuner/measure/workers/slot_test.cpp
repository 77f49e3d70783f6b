// A place for a worker, with shells for workers.
#include "tuner/measure/workers/slot.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

namespace warptune::tuner::workers {
namespace {

constexpr double stopped_s = 0.2, limit_s = 0.3;

class ShellSlot : public WorkerSlot {
 public:
  explicit ShellSlot(const Program& program) : WorkerSlot(program, stopped_s) {}

  pid_t pid() const { return pid_; }
  const std::optional<End>& ended() const { return ended_; }
  // Serves it until `done`; false if that does not come to be.
  bool serve_until(const std::function<bool()>& done) {
    for (int turns = 0; turns < 1500 && !done(); ++turns) {
      std::vector<pollfd> polled;
      add_to(polled);
      poll(polled.data(), polled.size(), 20);
      serve(polled);
    }
    return done();
  }

 private:
  std::unique_ptr<Process> begin() override {
    auto process = WorkerSlot::begin();
    pid_ = process->pid();
    expect_within(limit_s);
    return process;
  }
  void on_answer(const json&, std::string) override {}
  void on_end(const End& end) override {
    ended_ = end;
    retire();
  }

  pid_t pid_ = 0;
  std::optional<End> ended_;
};

Program shell(const std::string& script) {
  return {"/bin/sh", {"-c", script}};
}

TEST(WorkerSlot, TheTimeOfAWorkerThatStopsItselfAgainAndAgainCounts) {
  const Program program = shell("while :; do kill -STOP $$; done");
  ShellSlot slot(program);
  ASSERT_TRUE(slot.serve_until([&] { return slot.ended().has_value(); }));
  EXPECT_TRUE(slot.ended()->timed_out);
}

TEST(WorkerSlot, AStoppedChildOfAWorkerIsWaitedForOnce) {
  const Program program = shell("sh -c 'while :; do kill -STOP $$; done'; true");
  ShellSlot slot(program);
  ASSERT_TRUE(slot.serve_until([&] { return slot.ended().has_value(); }));
  EXPECT_TRUE(slot.ended()->timed_out);
}

TEST(WorkerSlot, AWorkerThatWasStoppedIsContinued) {
  const Program program = shell("kill -STOP $$; exit 7");
  ShellSlot slot(program);
  ASSERT_TRUE(slot.serve_until([&] { return slot.ended().has_value(); }));
  EXPECT_FALSE(slot.ended()->timed_out);
  EXPECT_EQ(WEXITSTATUS(slot.ended()->status), 7);
}

}  // namespace
}  // namespace warptune::tuner::workers
