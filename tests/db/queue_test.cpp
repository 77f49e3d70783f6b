// Work that is submitted, taken, given back, cancelled, and taken up again after those who had it.
#include "db/queue.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <csignal>
#include <set>

#include "tests/db/on_server.h"
#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Queue : public StoreTest {
 protected:
  WorkQueue connect() {
    return WorkQueue::open(file(), OpenMode::read_write, [this] { return now_; });
  }
  static WorkOrder order(std::int64_t m, const std::string& gpu = "", std::int64_t priority = 0) {
    WorkOrder order;
    order.kernel = "gemm";
    order.problem = {{"M", m}, {"KIND", "half"}};
    order.gpu = gpu;
    order.arguments = {"--size=M=" + std::to_string(m), "--strategy=random"};
    order.budget_s = 600;
    order.priority = priority;
    order.manifest = "gemm/template.toml";
    return order;
  }
  std::vector<WorkId> submit(WorkQueue& queue, const std::vector<WorkOrder>& orders) {
    const std::string binary("\0\xff'\\x41\n", 7);
    return queue.submit(orders, std::vector<WorkFile>{{"gemm/template.toml", "name"}, {"gemm/kernel.cu", binary}});
  }
  const std::vector<std::string> h200{"NVIDIA H200 (cuda, sm_90)"};
};

TEST_F(Queue, GivesOutWhatWasSubmittedWithItsFiles) {
  WorkQueue queue = connect();
  const auto ids = submit(queue, {order(1), order(2)});
  ASSERT_EQ(ids.size(), 2u);
  const auto work = queue.claim(h200, "node:1");
  ASSERT_TRUE(work);
  EXPECT_EQ(work->id, ids[0]);
  EXPECT_EQ(work->state, WorkState::running);
  EXPECT_EQ(work->worker, "node:1");
  EXPECT_EQ(work->submitted_by, "warptune");
  EXPECT_EQ(work->submitted_at, "2026-03-14T15:09:26.000Z");
  EXPECT_THAT(work->order.arguments, ElementsAre("--size=M=1", "--strategy=random"));
  EXPECT_EQ(work->order.budget_s, 600.0);
  EXPECT_EQ(work->order.problem, (search::NamedValues{{"M", std::int64_t{1}}, {"KIND", "half"}}));
  const auto files = queue.files(work->id);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "gemm/kernel.cu");
  EXPECT_EQ(files[0].content, std::string("\0\xff'\\x41\n", 7));
  submit(queue, {order(3)});
  EXPECT_EQ(value_of("SELECT count(*) FROM work_contents"), "2");  // once for all of them
}

TEST_F(Queue, TemplatesGoWithTheirLastWorkWhenGarbageIsCollected) {
  WorkQueue queue = connect();
  submit(queue, {order(1), order(2)});
  const std::vector<WorkFile> other{{"gemm/template.toml", "name"}, {"gemm/kernel.cu", "another kernel"}};
  const WorkId others = queue.submit(std::vector<WorkOrder>{order(3)}, other).front();
  Store store = open();
  queue.finish(*queue.claim(h200, "a"), WorkState::done, {}, "");
  EXPECT_EQ(store.gc().templates_removed, 0);  // the second still needs it
  const auto running = queue.claim(h200, "a");
  EXPECT_EQ(store.gc().templates_removed, 0);
  EXPECT_EQ(queue.files(running->id).size(), 2u);
  queue.finish(*running, WorkState::failed, {}, "");
  EXPECT_EQ(store.gc(std::chrono::hours(24), Effect::preview).templates_removed, 1);
  const GcReport report = store.gc();
  EXPECT_EQ(report.templates_removed, 1);
  EXPECT_EQ(report.bytes_freed, 7);  // of its kernel; the manifest is the other one's too
  EXPECT_EQ(value_of("SELECT count(*) FROM work_contents"), "2");
  EXPECT_EQ(queue.files(others).size(), 2u);
  EXPECT_EQ(queue.find(running->id)->state, WorkState::failed);  // what became of it is kept
  const WorkId again = submit(queue, {order(1)}).front();
  EXPECT_EQ(queue.files(again).size(), 2u);
}

TEST_F(Queue, TakesHigherPrioritiesFirstAndOnlyWhatTheDevicesServe) {
  WorkQueue queue = connect();
  const auto ids = submit(queue, {order(1), order(2, "h200", 5), order(3, "A100", 9), order(4, "", 5)});
  WorkQueue other = connect(), third = connect();
  EXPECT_EQ(queue.claim(h200, "a")->id, ids[1]);
  EXPECT_EQ(other.claim(h200, "b")->id, ids[3]);
  EXPECT_EQ(third.claim(h200, "c")->id, ids[0]);
  WorkQueue fourth = connect();
  EXPECT_FALSE(fourth.claim(h200, "d"));
  const std::vector<std::string> a100{"NVIDIA A100 (cuda, sm_80)"};
  EXPECT_EQ(fourth.claim(a100, "d")->id, ids[2]);
}

TEST_F(Queue, OfManyWhoAskAtOnceEachGetsItsOwn) {
  constexpr int workers = 8, each = 6;
  {
    WorkQueue queue = connect();
    std::vector<WorkOrder> orders;
    for (int i = 0; i < workers * each; ++i) orders.push_back(order(i));
    submit(queue, orders);
  }
  std::vector<pid_t> children;
  for (int worker = 0; worker < workers; ++worker) {
    const pid_t child = fork();
    if (child == 0)
      _exit(run_in_child([&] {
        WorkQueue queue = connect();
        while (const auto work = queue.claim(h200, std::to_string(worker)))
          queue.finish(*work, WorkState::done, {}, "");
      }));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(value_of("SELECT count(*) FROM work WHERE state = 'done' AND attempts = 1"),
            std::to_string(workers * each));
}

TEST_F(Queue, WorkOfAProcessThatWasKilledIsTakenUp) {
  WorkQueue queue = connect();
  const WorkId id = submit(queue, {order(1)}).front();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    WorkQueue theirs = connect();
    const char taken = theirs.claim(h200, "dead") ? 'y' : 'n';
    if (write(ends[1], &taken, 1) != 1) _exit(1);
    pause();
  }
  char taken = 0;
  ASSERT_EQ(read(ends[0], &taken, 1), 1);
  EXPECT_EQ(taken, 'y');
  EXPECT_FALSE(queue.claim(h200, "alive"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::optional<WorkRecord> work;
  for (int tries = 0; tries < 200 && !work; ++tries) {  // the server has to see that the connection is gone
    work = queue.claim(h200, "alive");
    if (!work) usleep(20'000);
  }
  ASSERT_TRUE(work);
  EXPECT_EQ(work->id, id);
  EXPECT_EQ(work->attempts, 2);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Queue, WhatNobodySurvivesIsGivenUp) {
  WorkQueue queue = connect();
  const WorkId id = submit(queue, {order(1)}).front();
  for (int i = 0; i < WorkQueue::most_attempts; ++i) queue.give_back(*queue.claim(h200, "a"), true, "no GPU");
  EXPECT_FALSE(queue.claim(h200, "a"));
  EXPECT_EQ(queue.find(id)->state, WorkState::failed);
  EXPECT_THAT(queue.find(id)->message, HasSubstr("5 attempts ended without a result; the last by a: no GPU"));
  const WorkId other = submit(queue, {order(2)}).front();
  for (int i = 0; i < 20; ++i) queue.give_back(*queue.claim(h200, "a"), false, "");  // pre-empted: as often as need be
  EXPECT_EQ(queue.find(other)->state, WorkState::queued);
}

TEST_F(Queue, CancelledWorkIsNotGivenOutAndItsWorkerIsTold) {
  WorkQueue queue = connect(), user = connect();
  const auto ids = submit(queue, {order(1), order(2)});
  const WorkRecord work = queue.claim(h200, "a").value();
  EXPECT_TRUE(queue.beat(work, 3));
  EXPECT_EQ(user.find(work.id)->spent_s, 3);
  EXPECT_EQ(user.cancel(ids), ids);
  EXPECT_TRUE(user.cancel(ids).empty());
  EXPECT_FALSE(queue.beat(work, 4));
  queue.finish(work, WorkState::done, {}, "");
  EXPECT_EQ(user.find(work.id)->state, WorkState::cancelled);
  EXPECT_FALSE(queue.claim(h200, "a"));
}

// A beat asks for the lock again, which its holder has already: what was taken several times is free at once.
TEST_F(Queue, WorkIsFreeForOthersHoweverOftenItsWorkerHasBeaten) {
  WorkQueue ours = connect(), theirs = connect();
  const auto ids = submit(ours, {order(1), order(2)});
  const WorkRecord work = ours.claim(h200, "ours").value();
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(ours.beat(work, i));
  EXPECT_EQ(theirs.claim(h200, "theirs")->id, ids[1]);
  ours.give_back(work, false, "");
  EXPECT_EQ(theirs.claim(h200, "theirs")->id, ids[0]);
}

// The lock went with the connection. Who is quicker has it.
TEST_F(Queue, AfterARestartOfTheServerAClaimGoesOnUnlessAnotherHasIt) {
  WorkQueue ours = connect(), theirs = connect();
  submit(ours, {order(1), order(2)});
  const WorkRecord first = ours.claim(h200, "ours").value(), second = theirs.claim(h200, "theirs").value();
  test_server().kill();
  test_server().start();
  EXPECT_TRUE(ours.beat(first, 1));
  WorkQueue quicker = connect();
  EXPECT_EQ(quicker.claim(h200, "quicker")->id, second.id);
  EXPECT_FALSE(theirs.beat(second, 1));
  EXPECT_TRUE(ours.beat(first, 2));
}

TEST_F(Queue, ListsWhatIsOpenInItsOrderAndThenWhatEnded) {
  WorkQueue queue = connect();
  const auto ids = submit(queue, {order(1), order(2), order(3, "", 7), order(4)});
  queue.cancel(std::vector{ids[1]});
  const WorkRecord running = queue.claim(h200, "a").value();
  EXPECT_EQ(running.id, ids[2]);
  std::vector<WorkId> listed;
  for (const WorkRecord& work : queue.list(5)) listed.push_back(work.id);
  EXPECT_THAT(listed, ElementsAre(ids[2], ids[0], ids[3], ids[1]));
  EXPECT_EQ(queue.list(0).size(), 3u);
  EXPECT_EQ(cause_of_failure([&] { WorkQueue::open(folder_ / "file.db", OpenMode::read_write); }),
            StoreError::Cause::other);
  EXPECT_THAT(message_, HasSubstr("PostgreSQL"));
}

}  // namespace
}  // namespace warptune::db
