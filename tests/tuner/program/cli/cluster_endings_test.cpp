// What is left when a server stays away, or a worker is killed or told to end.
#include <chrono>
#include <thread>

#include "tests/tuner/program/cli/cluster_fixture.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

TEST_F(CliCluster, AServerThatStaysAwayEndsTheSessionWithTheBestSoFar) {
  for (const char* format : {"table", "json", "csv"}) {
    make_the_compiler_wait();
    ProgramRun run;
    std::thread tuning([&] {
      run = on_server(
          "tune " + folder_.path().string() + " --device host --strategy exhaustive --no-cache --format " + format,
          "WARPTUNE_RECONNECT=1s ");
    });
    const bool begun = comes_true([&] {
      const auto sessions = shared().history({});
      return !sessions.empty() && sessions.front().correct_trials > 0;
    });
    server->kill();
    let_it_go();
    tuning.join();
    server->start();
    EXPECT_TRUE(begun);
    EXPECT_EQ(run.exit_code, 5) << run.err;
    EXPECT_THAT(run.out, AnyOf(HasSubstr("Winner"), HasSubstr("\"best\": [\n    {"), HasSubstr("rank,"))) << format;
    EXPECT_THAT(run.err,
                AllOf(testing::ContainsRegex("of session 1 (is|are) in the store"), HasSubstr("no connection")));
    database_ += format;
    address_ = server->address(database_);
    for (const char* file : {"cxx.1", "cxx.2", "cxx.3", "cxx.go"}) std::filesystem::remove(folder_.path() / file);
  }
}

TEST_F(CliCluster, AWorkerEndsSoonAfterAServerThatStaysAwayAndSaysTheBestSoFar) {
  ASSERT_EQ(submit("").exit_code, 0);
  make_the_compiler_wait();
  ProgramRun run;
  std::thread working([&] { run = on_server("work --device host --drain", "WARPTUNE_RECONNECT=1s "); });
  const bool begun = comes_true([&] {
    const auto sessions = shared().history({});
    return !sessions.empty() && sessions.front().correct_trials > 0;
  });
  server->kill();
  const auto since = std::chrono::steady_clock::now();
  sleep(4);  // beats fail meanwhile
  let_it_go();
  working.join();
  EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(30));
  server->start();
  EXPECT_TRUE(begun);
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("work 1: the best so far is {"), HasSubstr("no connection")));
  const std::string beat = "cannot go on with work";  // each beat fails, and it is told once
  EXPECT_NE(run.err.find(beat), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find(beat), run.err.rfind(beat)) << run.err;
}

TEST_F(CliCluster, ATimeToWaitForTheServerHasAUnit) {
  const ProgramRun refused = on_server("history", "WARPTUNE_RECONNECT=long ");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("WARPTUNE_RECONNECT=long is no time"));
}

// The one is killed in the middle of its session; the other goes on where it was.
TEST_F(CliCluster, TheWorkOfAKilledWorkerIsResumedAndNothingIsLostOrTwice) {
  make_the_compiler_wait();
  ASSERT_EQ(submit("--budget 6").exit_code, 0);
  const pid_t first = start_worker("first.log");
  std::set<db::TrialId> committed;
  ASSERT_TRUE(comes_true([&] {
    for (const db::SessionRecord& session : shared().history({}))
      for (const db::StoredTrial& trial : shared().trials(session.id)) committed.insert(trial.id);
    return committed.size() >= 2;
  }));
  end(first, SIGKILL);
  let_it_go();
  const pid_t second = start_worker("second.log");
  EXPECT_TRUE(comes_true([&] { return queue().find(1)->state == db::WorkState::done; }));
  EXPECT_EQ(end(second, SIGTERM), 130);
  const auto work = queue().find(1);
  EXPECT_EQ(work->attempts, 2);
  ASSERT_EQ(shared().history({}).size(), 1u);
  EXPECT_EQ(work->session, shared().history({}).front().id);
  std::set<std::string> configurations;
  for (const db::StoredTrial& trial : shared().trials(*work->session)) {
    committed.erase(trial.id);
    configurations.insert(search::to_text(trial.values.at(0).second) + ' ' +
                          search::to_text(trial.values.at(1).second));
  }
  EXPECT_TRUE(committed.empty()) << committed.size() << " trials that were committed are gone";
  EXPECT_GE(configurations.size(), 6u);
  EXPECT_EQ(shared().trials(*work->session).size(), configurations.size());
  EXPECT_TRUE(shared().winner(*work->session));
}

TEST_F(CliCluster, ATerminatedWorkerGivesItsWorkBackInOrder) {
  ASSERT_EQ(submit("--budget 1h").exit_code, 0);
  const pid_t worker = start_worker("worker.log");
  ASSERT_TRUE(comes_true([&] { return !shared().history({}).empty() && shared().history({}).front().trials > 0; }));
  EXPECT_EQ(end(worker, SIGTERM), 130);
  const auto work = queue().find(1);
  EXPECT_TRUE(work->state == db::WorkState::queued || work->state == db::WorkState::done);  // it may just have ended
  if (work->state == db::WorkState::queued) {
    EXPECT_EQ(work->attempts, 0);
  }
  EXPECT_NE(shared().history({}).front().state, db::SessionState::running);
}

// Under srun, Slurm's SIGTERM comes directly and by way of srun.
TEST_F(CliCluster, AWorkerThatIsTerminatedTwiceStillGivesItsWorkBack) {
  ASSERT_EQ(submit("--budget 1h").exit_code, 0);
  const pid_t worker = start_worker("worker.log");
  ASSERT_TRUE(comes_true([&] { return !shared().history({}).empty() && shared().history({}).front().trials > 0; }));
  while (waitpid(worker, nullptr, WNOHANG) == 0) {
    kill(worker, SIGTERM);
    usleep(1000);
  }
  const auto work = queue().find(1);
  EXPECT_TRUE(work->state == db::WorkState::queued || work->state == db::WorkState::done);  // it may just have ended
  if (work->state == db::WorkState::queued) {
    EXPECT_EQ(work->attempts, 0);
  }
}

}  // namespace
}  // namespace warptune::tuner
