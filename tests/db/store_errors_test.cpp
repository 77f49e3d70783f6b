// Every way a file can be unfit: the right kind, a sentence that says what to do, and nothing lost.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>

#include "db/engine/connection.h"
#include "db/engine/sqlite_engine.h"
#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

namespace fs = std::filesystem;
using Cause = StoreError::Cause;
using testing::HasSubstr;

class StoreErrors : public StoreTest {
 protected:
  void write_text(const std::string& name, const std::string& text) { std::ofstream(file(name)) << text; }

  SessionId make_store() {
    Store store = open();
    const SessionId session = store.create_session(gemm_session());
    store.record(session, configuration(1), correct_trial(1));
    return session;
  }

  void forbid_writing() {
    fs::permissions(file(), fs::perms(0444));
    fs::permissions(folder_, fs::perms(0555));
  }

  void allow_writing() { fs::permissions(folder_, fs::perms(0755)); }

  // In a child without rights: the kind of failure, as the exit status, with its message on stderr if unexpected.
  int failure_of_nobody(Cause expected, const std::string& sentence, const std::function<void()>& action) {
    return run_unprivileged([&] {
      EXPECT_EQ(cause_of_failure(action), expected) << message_;
      EXPECT_THAT(message_, HasSubstr(sentence));
    });
  }
};

TEST_F(StoreErrors, FoldersAreCreatedOnTheWay) {
  open("a/b/store.db").create_session(gemm_session());
  EXPECT_TRUE(fs::exists(file("a/b/store.db")));
}

TEST_F(StoreErrors, AFolderIsNoStore) {
  EXPECT_EQ(cause_of_failure([&] { open("."); }), Cause::cannot_open);
  EXPECT_THAT(message_, HasSubstr("it is a folder"));
}

// Whoever opened one would wait for somebody at its other end.
TEST_F(StoreErrors, APipeIsNoStoreNorMayItLieBesideOne) {
  ASSERT_EQ(mkfifo(file("pipe.db").c_str(), 0600), 0);
  for (const OpenMode mode : {OpenMode::read_only, OpenMode::read_write}) {
    EXPECT_EQ(cause_of_failure([&] { open("pipe.db", mode); }), Cause::cannot_open);
    EXPECT_THAT(message_, HasSubstr("it is a pipe"));
    EXPECT_EQ(cause_of_failure([&] { Store::open("/dev/null", mode); }), Cause::cannot_open);
  }
  EXPECT_EQ(cause_of_failure([&] { open("other.db").merge(file("pipe.db")); }), Cause::cannot_open);
  open("beside.db").create_session(gemm_session());
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    const std::string beside = file("beside.db").string() + suffix;
    fs::remove(beside);
    ASSERT_EQ(mkfifo(beside.c_str(), 0600), 0);
    EXPECT_EQ(cause_of_failure([&] { open("beside.db", OpenMode::read_only); }), Cause::cannot_open);
    EXPECT_THAT(message_, HasSubstr(beside + " is a pipe"));
    fs::remove(beside);
  }
}

TEST_F(StoreErrors, AWinnerOfTrialsThatItsSessionLacksIsDamage) {
  Store store = open();
  std::int64_t size = 0;
  for (const char* damage : {"UPDATE winner_ties SET trial_id = 999", "UPDATE winner_finalists SET trial_id = 999",
                             "UPDATE winners SET default_trial_id = 999"}) {
    const SessionId session = store.create_session(gemm_session(++size));
    const TrialId first = store.record(session, configuration(1), correct_trial(2));
    const TrialId second = store.record(session, configuration(2), correct_trial(3));
    store.set_winner(session, {first, 2, 0.01, 3.0, {second}, {{second, 3, 0.01, 15, 0, 0, 0}}, "", second});
    EXPECT_EQ(store.dump(session).winner->ties, std::vector{second});
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE)
        .exec("PRAGMA foreign_keys = OFF;" + std::string(damage) + " WHERE session_id = " + std::to_string(session));
    EXPECT_EQ(cause_of_failure([&] { store.dump(session); }), Cause::corrupt) << damage;
    EXPECT_THAT(message_, HasSubstr("is trial 999, which it lacks"));
  }
}

TEST_F(StoreErrors, ANameThatIsTooLongForAFileIsNone) {
  const fs::path longest = folder_ / std::string(300, 'd'), deepest = folder_ / std::string(40'000, 'd');
  for (const fs::path& name : {longest, deepest})
    for (const OpenMode mode : {OpenMode::read_only, OpenMode::read_write})
      EXPECT_EQ(cause_of_failure([&] { Store::open(name, mode); }), Cause::cannot_open) << message_;
}

TEST_F(StoreErrors, AFileInTheWayOfTheFolderIsNamed) {
  write_text("plain", "text");
  EXPECT_EQ(cause_of_failure([&] { open("plain/store.db"); }), Cause::cannot_open);
  EXPECT_THAT(message_, HasSubstr("Not a directory"));
}

TEST_F(StoreErrors, ReadingAMissingFileDoesNotCreateIt) {
  EXPECT_EQ(cause_of_failure([&] { open("none.db", OpenMode::read_only); }), Cause::cannot_open);
  EXPECT_THAT(message_, HasSubstr("tune a kernel first"));
  EXPECT_FALSE(fs::exists(file("none.db")));
}

TEST_F(StoreErrors, AFileThatIsDeletedOrReplacedWhileItIsOpenTakesNothingMore) {
  for (const bool replaced : {false, true}) {
    Store store = open();
    const SessionId session = store.create_session(gemm_session());
    fs::remove(file());
    if (replaced) open();
    const auto refused = [&](const std::function<void()>& action) {
      EXPECT_EQ(cause_of_failure(action), Cause::cannot_open);
      EXPECT_THAT(message_, HasSubstr("was deleted or moved while it was in use"));
    };
    refused([&] { store.record(session, configuration(1), correct_trial(1)); });
    refused([&] { store.set_session_state(session, SessionState::finished); });
    refused([&] { store.set_winner(session, {}); });
    fs::remove(file());
  }
}

TEST_F(StoreErrors, WhatARowHoldsInPlaceOfWhatItShouldIsCorrupt) {
  make_store();
  for (const char* damage : {"UPDATE sessions SET seed = 'none'", "UPDATE sessions SET problem_size = '[[['",
                             "UPDATE devices SET limits = '7'"}) {
    SCOPED_TRACE(damage);
    const std::string copy = file("copy.db");
    fs::copy_file(file(), copy, fs::copy_options::overwrite_existing);
    SQLite::Database(copy, SQLite::OPEN_READWRITE).exec(damage);
    EXPECT_EQ(cause_of_failure([&] { open("copy.db").history({}); }), Cause::corrupt) << message_;
  }
}

TEST_F(StoreErrors, AFileThatIsNoDatabaseIsLeftAlone) {
  const std::string text(8192, 'x');
  write_text("notes.txt", text);
  for (const OpenMode mode : {OpenMode::read_write, OpenMode::read_only}) {
    EXPECT_EQ(cause_of_failure([&] { open("notes.txt", mode); }), Cause::corrupt);
    EXPECT_THAT(message_, testing::AllOf(HasSubstr("SQLITE_NOTADB"),
                                         HasSubstr("; if it is no store, name another file; if it was one, move")));
    EXPECT_THAT(message_, HasSubstr("move the file away"));
  }
  EXPECT_EQ(fs::file_size(file("notes.txt")), text.size());
}

TEST_F(StoreErrors, ADamagedFileIsCorruptAndSaysHowToRecover) {
  const SessionId session = make_store();
  {
    std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(4096);  // all but the first page, which holds the schema's root
    bytes << std::string(fs::file_size(file()) - 4096, '\x55');
  }
  EXPECT_EQ(cause_of_failure([&] { open().trials(session); }), Cause::corrupt);
  EXPECT_THAT(message_, HasSubstr(".recover"));
}

TEST_F(StoreErrors, ATruncatedFileIsCorrupt) {
  make_store();
  fs::resize_file(file(), 4096);
  EXPECT_EQ(cause_of_failure([&] { open().history({}); }), Cause::corrupt);
}

TEST_F(StoreErrors, AFileWithoutWritePermissionCannotBeTunedInto) {
  make_store();
  fs::permissions(file(), fs::perms(0444));
  EXPECT_EQ(failure_of_nobody(Cause::read_only, "get write permission", [&] { open(); }), 0);
}

TEST_F(StoreErrors, AFolderWithoutWritePermissionCannotBeTunedInto) {
  make_store();
  fs::permissions(file(), fs::perms(0666));
  fs::permissions(folder_, fs::perms(0555));
  EXPECT_EQ(run_unprivileged([&] {
              const Cause kind = cause_of_failure([&] { open().set_session_state(1, SessionState::finished); });
              EXPECT_TRUE(kind == Cause::read_only || kind == Cause::cannot_open) << message_;
            }),
            0);
  allow_writing();
}

TEST_F(StoreErrors, ReadersNeedNoWritePermission) {
  const SessionId session = make_store();
  forbid_writing();
  EXPECT_EQ(run_unprivileged([&] {
              Store store = open("store.db", OpenMode::read_only);
              EXPECT_EQ(store.trials(session).size(), 1u);
              EXPECT_THAT(store.notice(), HasSubstr("snapshot"));
            }),
            0);
  allow_writing();
}

TEST_F(StoreErrors, ReadersWithoutPermissionSeeALiveWritersCommits) {
  Store writer = open();
  const SessionId session = writer.create_session(gemm_session());
  writer.record(session, configuration(1), correct_trial(1));
  fs::permissions(folder_, fs::perms(0555));
  EXPECT_EQ(run_unprivileged([&] {
              Store store = open("store.db", OpenMode::read_only);
              EXPECT_EQ(store.trials(session).size(), 1u);
              EXPECT_EQ(store.notice(), "");
            }),
            0);
  allow_writing();
}

// What a killed writer and a careful copy leave: the file and its log, without the shared-memory index.
TEST_F(StoreErrors, ReadersNeverMissCommitsThatWaitInTheLog) {
  Store writer = open();
  const SessionId session = writer.create_session(gemm_session());
  writer.record(session, configuration(1), correct_trial(1));
  fs::create_directory(file("copy"));
  for (const char* name : {"store.db", "store.db-wal"}) fs::copy_file(file(name), file("copy") / name);
  fs::permissions(file("copy"), fs::perms(0555));
  EXPECT_EQ(run_unprivileged([&] {
              try {
                EXPECT_EQ(open("copy/store.db", OpenMode::read_only).trials(session).size(), 1u);
              } catch (const StoreError& error) {
                EXPECT_EQ(error.cause(), Cause::read_only);
                EXPECT_THAT(error.what(), HasSubstr("copy both files"));
              }
            }),
            0);
  fs::permissions(file("copy"), fs::perms(0755));
}

// Whoever copies or commits the file alone has everything.
TEST_F(StoreErrors, AWriterLeavesOneCompleteFileAlsoWhileOthersRead) {
  open().create_session(gemm_session(1));
  const Store reader = open("store.db", OpenMode::read_only);
  EXPECT_EQ(reader.history({}).size(), 1u);
  open().create_session(gemm_session(2));
  fs::copy_file(file(), file("copy.db"));
  EXPECT_EQ(open("copy.db", OpenMode::read_only).history({}).size(), 2u);
}

TEST_F(StoreErrors, AReaderCannotWrite) {
  const SessionId session = make_store();
  Store store = open("store.db", OpenMode::read_only);
  EXPECT_EQ(cause_of_failure([&] { store.record(session, configuration(2), correct_trial(1)); }), Cause::read_only);
  EXPECT_EQ(store.trials(session).size(), 1u);
}

TEST_F(StoreErrors, NamesWithSpecialCharactersOpenForReadingToo) {
  open("a?b#c%20 d.db").create_session(gemm_session());
  EXPECT_EQ(open("a?b#c%20 d.db", OpenMode::read_only).history({}).size(), 1u);
}

// A file size limit fails writes as a full disk does (EFBIG for ENOSPC), anywhere and without a file system of its own.
TEST_F(StoreErrors, ASizeLimitIsAFullDiskAndLeavesTheStoreUsable) {
  EXPECT_EQ(run_in_child([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              Store store = open();
              const SessionId session = store.create_session(gemm_session());
              const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
              const rlimit small{1 << 20, RLIM_INFINITY};
              std::int64_t recorded = 0;
              const auto fill = [&] {
                for (;; ++recorded) store.record(session, configuration(recorded), correct_trial(1));
              };
              setrlimit(RLIMIT_FSIZE, &small);
              EXPECT_EQ(cause_of_failure(fill), Cause::disk_full) << message_;
              EXPECT_THAT(message_, HasSubstr("free space there"));
              EXPECT_GT(recorded, 0);
              EXPECT_EQ(static_cast<std::int64_t>(store.trials(session).size()), recorded);
              setrlimit(RLIMIT_FSIZE, &unlimited);
              store.record(session, configuration(-1), correct_trial(1));
              EXPECT_EQ(static_cast<std::int64_t>(store.trials(session).size()), recorded + 1);
            }),
            0);
}

TEST_F(StoreErrors, AFullFileSystemLosesNothingThatWasCommitted) {
  const fs::path mount = folder_ / "small";
  fs::create_directory(mount);
  const std::string command = "mount -t tmpfs -o size=2m tmpfs '" + mount.string() + "' 2>/dev/null";
  if (geteuid() != 0 || std::system(command.c_str()) != 0)
    GTEST_SKIP() << "NOT TESTED on a full file system: mounting one of 2 MiB needs root and CAP_SYS_ADMIN";
  std::int64_t recorded = 0;
  {
    Store store = open("small/store.db");
    const SessionId session = store.create_session(gemm_session());
    const auto fill = [&] {
      for (;; ++recorded) store.record(session, configuration(recorded), correct_trial(1));
    };
    EXPECT_EQ(cause_of_failure(fill), Cause::disk_full) << message_;
    EXPECT_EQ(static_cast<std::int64_t>(store.trials(session).size()), recorded);
    EXPECT_EQ(std::system(("mount -o remount,size=8m '" + mount.string() + "'").c_str()), 0);
    store.record(session, configuration(-1), correct_trial(1));
  }
  EXPECT_EQ(open("small/store.db").session(1)->trials, recorded + 1);
  EXPECT_EQ(std::system(("umount '" + mount.string() + "'").c_str()), 0);
}

TEST(Connection, GivesUpOnAQueryThatDoesNotEndAndGoesOn) {
  auto engine = std::make_unique<SqliteEngine>(
      SQLite::Database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE), "planted.db");
  engine->limit_queries(1'000'000);
  Connection connection(
      std::move(engine), "planted.db", [] { return std::chrono::system_clock::time_point{}; }, "");
  const auto count = [&](const char* rows) {
    return connection.attempt("count the rows", [&] {
      Query query = connection.query(std::string("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n ") +
                                     rows + ") SELECT count(*) FROM n");
      query.step();
      return query.integer();
    });
  };
  try {
    count("");
    FAIL() << "it counts rows without end";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.cause(), Cause::corrupt);
    EXPECT_THAT(error.what(), HasSubstr("cannot count the rows in the store planted.db: gave up after"));
  }
  EXPECT_EQ(count("WHERE x < 10"), 10);
}

}  // namespace
}  // namespace warptune::db
