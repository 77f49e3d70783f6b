// Several processes at one store on a server: submitting, working, dying, cancelling, waiting.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "db/queue.h"
#include "tests/support/http_server.h"
#include "tests/support/postgres_server.h"
#include "tests/tuner/cli/tuned_store.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

std::unique_ptr<PostgresServer> server;

class Server : public testing::Environment {
 public:
  void SetUp() override {
    if (const std::string why = PostgresServer::lacking(); !why.empty())
      GTEST_SKIP() << "NOT TESTED: several processes at a store on a server: " << why;
    server = std::make_unique<PostgresServer>();
  }
  void TearDown() override { server.reset(); }
};
[[maybe_unused]] const auto* const environment = testing::AddGlobalTestEnvironment(new Server);

class CliCluster : public TunedStore {
 protected:
  CliCluster() {
    static int tests = 0;
    database_ = "test" + std::to_string(++tests);
    address_ = server->address(database_);
    folder_.write("sizes.txt", "n=1000\nn=2000  # twice\n");
  }

  ProgramRun on_server(const std::string& arguments, const std::string& before = "") {
    return run_program(folder_, before + environment_text() + WARPTUNE_PROGRAM " " + arguments);
  }
  ProgramRun submit(const std::string& more) {
    return on_server("submit " + folder_.path().string() + " --strategy random --finals 0 --format csv " + more);
  }
  // As a tuner of the server, who is made with the first call.
  ProgramRun as_user(const std::string& user, const std::string& arguments) {
    if (users_.insert(user).second) {
      server->execute("postgres", "CREATE ROLE " + user + "_" + database_ + " LOGIN");
      on_server("grant tuner " + user + "_" + database_);
    }
    return run_program(folder_, "WARPTUNE_DB='" + server->address(database_, user + "_" + database_) +
                                    "' XDG_CACHE_HOME=" + path("cache") + " " WARPTUNE_PROGRAM " " + arguments);
  }
  std::string environment_text() {
    return "WARPTUNE_DB='" + address_ + "' XDG_CACHE_HOME=" + path("cache") + " " + compiler_;
  }

  // A worker that goes on until it is ended; it belongs to this process.
  pid_t start_worker(const std::string& log) {
    const std::string command =
        "exec env " + environment_text() + WARPTUNE_PROGRAM " work --device host >/dev/null 2>" + path(log);
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    return child;
  }
  static int end(pid_t child, int signal) {
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // Compiles the reference and three configurations, and the others once let_it_go() was called, or after a minute: a
  // worker that uses it is in the middle of its session for as long as a test needs.
  void make_the_compiler_wait() {
    const auto compiler = folder_.write("cxx", R"sh(#!/bin/sh
for source; do :; done
case "$*" in *" -c "*)
  case "$(cat "$source")" in *doubling/kernel.cu*)
    if ! mkdir "$0.1" 2>/dev/null && ! mkdir "$0.2" 2>/dev/null && ! mkdir "$0.3" 2>/dev/null; then
      tries=0
      while [ ! -e "$0.go" ] && [ $tries -lt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
    fi
  esac
esac
exec c++ "$@"
)sh");
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    compiler_ = "CXX=" + compiler.string() + " ";
  }
  void let_it_go() { folder_.write("cxx.go", ""); }
  db::Store shared() const { return db::Store::open(address_, db::OpenMode::read_write); }
  db::WorkQueue queue() const { return db::WorkQueue::open(address_, db::OpenMode::read_only); }
  // Until it holds, or long enough to be sure that it never will.
  static bool comes_true(const std::function<bool()>& condition) {
    for (int tries = 0; tries < 1200; ++tries, usleep(50'000))
      if (condition()) return true;
    return false;
  }

  std::string database_, address_, compiler_;
  std::set<std::string> users_;
};

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

TEST_F(CliCluster, WhatIsSubmittedIsTunedElsewhereWithItsFiles) {
  const ProgramRun submitted = submit("--sizes " + path("sizes.txt") + " --budget 3 --name nightly");
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  EXPECT_THAT(submitted.out, AllOf(HasSubstr("1,doubling,n=1000,"), HasSubstr("2,doubling,n=2000,")));
  std::filesystem::remove(folder_.path() / "kernel.cu");  // it went along
  const ProgramRun worked = on_server("work --device host --drain --format csv");
  ASSERT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_THAT(worked.out, AllOf(HasSubstr("1,doubling,n=1000,done,1"), HasSubstr("2,doubling,n=2000,done,2")));
  const auto sessions = shared().history({});
  ASSERT_EQ(sessions.size(), 2u);
  for (const db::SessionRecord& session : sessions) {
    EXPECT_EQ(session.trials, 3);
    EXPECT_EQ(session.state, db::SessionState::finished);
    EXPECT_EQ(session.name, "nightly");
  }
  EXPECT_EQ(on_server("wait 1 2").exit_code, 0);
  EXPECT_THAT(on_server("queue --format csv").out, HasSubstr("1,done,0,doubling,n=1000,"));
}

// Every verb's document is one of the schema's; without python3-jsonschema at least JSON.
TEST_F(CliCluster, DocumentsAreTheSchemas) {
  const std::string check =
      " | python3 -c 'import json, sys\ndocument = json.load(sys.stdin)\ntry: import jsonschema\n"
      "except ImportError: sys.exit(0)\n"
      "jsonschema.validate(document, json.load(open(sys.argv[1])))' " WARPTUNE_SOURCE_DIR
      "/tuner/report/output.schema.json";
  const std::string folder = folder_.path().string();
  for (const std::string& verb :
       {"submit " + folder + " --strategy random --finals 0 --budget 2", "submit " + folder + " --gpu H200",
        std::string("cancel 2"), std::string("queue"), std::string("work --device host --drain"), std::string("wait 1"),
        std::string("quota"), std::string("quota warptune 0s"), "submit " + folder, std::string("queue")}) {
    const ProgramRun run = on_server(verb + " --format json" + check);
    EXPECT_EQ(run.exit_code, 0) << verb << ": " << run.err;
  }
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

TEST_F(CliCluster, CancelledWorkIsNotTunedAndWaitSaysSo) {
  submit("--sizes " + path("sizes.txt") + " --budget 3");
  EXPECT_EQ(on_server("cancel 1").exit_code, 0);
  EXPECT_THAT(on_server("cancel 1").err, HasSubstr("has ended already"));
  EXPECT_EQ(on_server("cancel 9").exit_code, 3);
  EXPECT_EQ(on_server("cancel -1").exit_code, 2);
  EXPECT_EQ(on_server("wait 0").exit_code, 2);
  EXPECT_EQ(on_server("wait 2 --timeout 1").exit_code, 11);
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(on_server("wait 2").exit_code, 0);
  EXPECT_EQ(on_server("wait 1 2").exit_code, 11);
  EXPECT_EQ(shared().history({}).size(), 1u);
}

TEST_F(CliCluster, WorkGoesToDevicesOfItsNameAndFailsWhereItCannotBeTuned) {
  ASSERT_EQ(submit("--gpu 'NVIDIA H200' --budget 3 --priority -2").exit_code, 0);
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(queue().find(1)->state, db::WorkState::queued);
  change_kernel("#error nothing compiles");
  submit("--gpu host --budget 3");
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(queue().find(2)->state, db::WorkState::failed);
  EXPECT_THAT(queue().find(2)->message, testing::Not(testing::IsEmpty()));
}

// A later version of the program has brought the schema up to date meanwhile: sessions of this one cannot open it.
TEST_F(CliCluster, AWorkerWhoseSessionsCannotUseTheStoreEndsAndFailsNoWork) {
  ASSERT_EQ(submit("--gpu elsewhere --budget 3 --sizes " + path("sizes.txt")).exit_code, 0);
  const pid_t worker = start_worker("worker.log");
  ASSERT_TRUE(comes_true([&] {
    std::ifstream log(path("worker.log"));
    return std::string(std::istreambuf_iterator<char>(log), {}).find("offers") != std::string::npos;
  }));
  server->execute(database_, "UPDATE warptune.schema_version SET version = version + 1");
  server->execute(database_, "UPDATE warptune.work SET gpu = ''");
  int status = 0;
  ASSERT_TRUE(comes_true([&] { return waitpid(worker, &status, WNOHANG) == worker; }));
  EXPECT_EQ(WEXITSTATUS(status), 5);
  server->execute(database_, "UPDATE warptune.schema_version SET version = version - 1");
  for (const db::WorkRecord& work : queue().list(9)) {
    EXPECT_EQ(work.state, db::WorkState::queued);
    EXPECT_EQ(work.attempts, 0);
  }
  EXPECT_THAT(queue().find(1)->message, HasSubstr("update warptune"));
}

TEST_F(CliCluster, BeyondAQuotaWorkStaysQueuedAndEveryVerbSaysWhy) {
  const std::string submit_two =
      "submit " + folder_.path().string() + " --strategy random --finals 0 --budget 3 --sizes " + path("sizes.txt");
  EXPECT_EQ(on_server("gc").exit_code, 0);  // makes the store
  ASSERT_EQ(as_user("alice", submit_two).exit_code, 0);
  const std::string alice = "alice_" + database_;
  EXPECT_THAT(on_server("quota " + alice + " 0.01s").out, HasSubstr("0.01 s a week"));
  const ProgramRun worked = on_server("work --device host --drain");
  EXPECT_EQ(worked.exit_code, 0);
  EXPECT_THAT(worked.err, HasSubstr("1 of " + alice + " stay queued: over the quota of 0.01 s a week until 2"));
  EXPECT_EQ(queue().find(1)->state, db::WorkState::done);  // what had begun
  EXPECT_EQ(queue().find(2)->state, db::WorkState::queued);
  const std::string why = "over the quota of 0.01 s a week until 2";
  EXPECT_THAT(on_server("queue --format csv").out, HasSubstr(why));
  EXPECT_THAT(on_server("wait 2 --timeout 1 --format csv").out, HasSubstr(why));
  EXPECT_THAT(as_user("alice", submit_two).err, HasSubstr("stays queued for now: " + why));
  EXPECT_THAT(as_user("bob", submit_two).err, testing::Not(HasSubstr("quota")));
  EXPECT_THAT(as_user("bob", "quota --format csv").out, HasSubstr(why));
  EXPECT_EQ(on_server("quota " + alice + " none").exit_code, 0);
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(on_server("wait 1 2 3 4 5 6").exit_code, 0);
}

TEST_F(CliCluster, QuotasAreSetByOwnersInTimesOfDevices) {
  EXPECT_EQ(on_server("gc").exit_code, 0);
  EXPECT_THAT(on_server("quota warptune 90m --per month").out, HasSubstr("1.5 h a month"));
  EXPECT_THAT(on_server("quota warptune 10h --per day --format csv").out, HasSubstr("warptune,36000.0,day,"));
  EXPECT_THAT(on_server("quota").out, HasSubstr("10 h a day"));
  EXPECT_EQ(as_user("carol", "quota warptune 99h").exit_code, 5);
  EXPECT_THAT(as_user("carol", "quota warptune none").err, HasSubstr("only its owners may"));
  EXPECT_THAT(on_server("quota").out, HasSubstr("10 h a day"));
  for (const char* wrong : {"quota warptune -5h", "quota warptune 5", "quota warptune nanh",
                            "quota warptune 5h --per year", "quota warptune --per day"})
    EXPECT_EQ(on_server(wrong).exit_code, 2) << wrong;
  EXPECT_EQ(on_server("quota nobody_there 5h").exit_code, 5);
  EXPECT_EQ(on_server("quota nobody_there").exit_code, 3);
  EXPECT_THAT(on_server("quota --db " + path("file.db")).err, HasSubstr("PostgreSQL"));
  EXPECT_THAT(on_server("quota warptune none").out, testing::Not(HasSubstr("a day")));
  EXPECT_THAT(on_server("quota warptune none").err, HasSubstr("warptune had no quota"));
}

TEST_F(CliCluster, WhatCannotBeTunedAnywhereIsNotSubmitted) {
  EXPECT_EQ(submit("--size m=5").exit_code, 3);
  EXPECT_EQ(submit("--budget soon").exit_code, 2);
  EXPECT_THAT(on_server("submit " + folder_.path().string() + " --db " + path("s.db")).err, HasSubstr("PostgreSQL"));
  folder_.write("w.json", R"({"device_name": "A100", "kernel_name": "doubling", "tune_params_keys": ["BLOCK"],
      "tune_params": {"BLOCK": [32]}, "problem_size": [1], "objective": "time", "cache": {}})");
  const ProgramRun with_file = submit("--transfer " + path("w.json"));
  EXPECT_EQ(with_file.exit_code, 3);
  EXPECT_THAT(with_file.err, HasSubstr("nodes do not have this file"));
  folder_.write("elsewhere.h", "#define TWICE 2\n");
  change_kernel("#include \"" + path("elsewhere.h") + "\"");
  const ProgramRun absolute = submit("");
  EXPECT_EQ(absolute.exit_code, 3);
  EXPECT_THAT(absolute.err, HasSubstr("absolute path"));
  EXPECT_THAT(on_server("queue --format csv").out, testing::Not(HasSubstr("doubling")));
}

TEST_F(CliCluster, NodesShareMachineCodeWhereTheyChooseToAndNotWhereSubmittersDo) {
  const HttpServer trusted, planted;
  const auto on_node = [&](const std::string& node, const std::string& arguments) {
    return run_program(folder_,
                       environment_text() + "XDG_CACHE_HOME=" + path(node) + " " WARPTUNE_PROGRAM " " + arguments);
  };
  const std::string work = "work --device host --drain --cache-url " + trusted.url();
  submit("--size n=1000 --budget 3");
  server->execute(database_,
                  "UPDATE warptune.work SET arguments = replace(arguments, '[', '[' || chr(34) ||"
                  " '--cache-url=" +
                      planted.url() + "' || chr(34) || ',')");
  EXPECT_EQ(on_node("first", work).exit_code, 0);
  EXPECT_EQ(queue().find(1)->state, db::WorkState::done) << queue().find(1)->message;
  EXPECT_GE(trusted.files().size(), 3u);
  EXPECT_EQ(planted.gets() + planted.puts(), 0);
  const int puts = trusted.puts();
  submit("--size n=2000 --budget 3");
  EXPECT_EQ(on_node("second", work + " --cache-read-only").exit_code, 0);
  EXPECT_EQ(queue().find(2)->state, db::WorkState::done);
  EXPECT_EQ(trusted.puts(), puts);
  const std::string stats = on_node("second", "cache stats --format csv").out;
  EXPECT_THAT(stats, testing::Not(HasSubstr(",0,"))) << "nothing came from the first node";
}

// The verbs that list, move and examine say of a store on a server what they say of a file.
TEST_F(CliCluster, VerbsTakeAnAddressWhereverAFileIsTaken) {
  ASSERT_EQ(on_server("tune " + folder_.path().string() + " --device host --strategy random --budget 3").exit_code, 0);
  EXPECT_THAT(on_server("history --format csv").out, HasSubstr("doubling"));
  EXPECT_EQ(on_server("show 1").exit_code, 0);
  EXPECT_THAT(on_server("doctor").out, HasSubstr("1 session"));
  EXPECT_EQ(on_server("merge '" + address_ + "' --db " + path("taken.db")).exit_code, 0);
  EXPECT_EQ(on_server("export --format warptune-json -o " + path("a.json")).exit_code, 0);
  EXPECT_EQ(on_server("export --format warptune-json -o " + path("b.json") + " --db " + path("taken.db")).exit_code, 0);
  EXPECT_EQ(run_program(folder_, "cmp " + path("a.json") + " " + path("b.json")).exit_code, 0);
  EXPECT_EQ(on_server("import " + path("a.json")).exit_code, 0);
  EXPECT_EQ(on_server("gc").exit_code, 0);
  EXPECT_EQ(on_server("grant reader nobody_there").exit_code, 5);
  EXPECT_EQ(on_server("grant reader x --db " + path("taken.db")).exit_code, 3);
}

}  // namespace
}  // namespace warptune::tuner
