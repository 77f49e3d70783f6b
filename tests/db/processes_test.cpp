// Several processes on one store, and processes that are killed.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

class Processes : public StoreTest {
 protected:
  // Starts `work` in a child; `run_in_child` for one that is waited for.
  pid_t start(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child != 0) return child;
    _exit(run_guarded(work));
  }

  static int run_guarded(const std::function<void()>& work) {
    try {
      work();
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      return 99;
    }
  }

  static int status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
};

TEST_F(Processes, MayAllCreateTheFileAtTheSameTime) {
  for (int round = 0; round < 15; ++round) {
    const std::string name = "store" + std::to_string(round) + ".db";
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) children.push_back(start([&] { open(name).create_session(gemm_session()); }));
    for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
    EXPECT_EQ(open(name).history({}).size(), 1u);
  }
}

TEST_F(Processes, EightWritersOnAStoreThatDoesNotExistYetLoseNothing) {
  constexpr int writers = 8;
  constexpr int trials = 60;
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer)
    children.push_back(start([&] {
      Store store = open();
      const SessionId common = store.create_session(gemm_session());
      const SessionId own = store.create_session(gemm_session(writer));
      for (int i = 0; i < trials; ++i) {
        store.record(common, configuration(writer * trials + i), correct_trial(1 + i));
        store.record(own, configuration(i), correct_trial(1 + i));
      }
      store.set_session_state(own, SessionState::finished);
    }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  Store store = open();
  EXPECT_EQ(store.history({}).size(), 1u + writers);
  EXPECT_EQ(store.find_session(gemm_session().key)->trials, writers * trials);
  for (int writer = 0; writer < writers; ++writer)
    EXPECT_EQ(store.find_session(gemm_session(writer).key)->trials, trials);
}

// Each child reports a trial only after record() returned; whatever was reported must be there after the kill.
TEST_F(Processes, SigkillLosesNoCommittedTrial) {
  const SessionId session = open().create_session(gemm_session());
  std::int64_t committed = 0;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = start([&] {
      Store store = open();
      for (std::int64_t i = committed;; ++i) {
        store.record(session, configuration(i), correct_trial(1));
        if (write(ends[1], &i, sizeof i) != sizeof i) throw std::runtime_error("cannot report");
      }
    });
    close(ends[1]);
    std::int64_t last = -1;
    // Killed after a different number of reports each time, at whatever point of the next transaction it then is.
    for (int reports = 0; reports < 3 + 7 * kill_number && read(ends[0], &last, sizeof last) == sizeof last;
         ++reports) {
    }
    kill(child, SIGKILL);
    ASSERT_EQ(WTERMSIG(status_of(child)), SIGKILL);
    while (read(ends[0], &last, sizeof last) == sizeof last) {
    }
    close(ends[0]);
    committed = last + 1;
    const std::vector<StoredTrial> trials = open().trials(session);
    ASSERT_GE(static_cast<std::int64_t>(trials.size()), committed);
    ASSERT_LE(static_cast<std::int64_t>(trials.size()), committed + 1);  // one may be committed and not reported
  }
  EXPECT_EQ(open().session(session)->trials, static_cast<std::int64_t>(open().trials(session).size()));
}

TEST_F(Processes, AReaderSeesCommitsWhileAWriterIsAtWork) {
  Store writer = open();
  const SessionId session = writer.create_session(gemm_session());
  Store reader = open("store.db", OpenMode::read_only);
  for (int i = 1; i <= 5; ++i) {
    writer.record(session, configuration(i), correct_trial(1));
    EXPECT_EQ(reader.trials(session).size(), static_cast<std::size_t>(i));
  }
}

}  // namespace
}  // namespace warptune::db
