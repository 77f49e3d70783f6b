// The schema: fresh, from each earlier version, from a later one, and its views.
#include "db/schema/migrations.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "db/settled.h"
#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using testing::HasSubstr;

class Migrations : public StoreTest {
 protected:
  // A store as the program of that version left it, with a session, two trials and a winner. From version 7 on the rows
  // came there by migration.
  void make_version(std::size_t version) {
    SQLite::Database database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("PRAGMA foreign_keys = OFF");
    const std::size_t first = std::min<std::size_t>(version, 6);
    for (std::size_t i = 0; i < first; ++i) database.exec(migrations()[i].sql);
    set_version(database, static_cast<int>(version));
    database.exec(
        "INSERT INTO devices VALUES (1, 'cuda', 'NVIDIA H200', 'GPU-12ab', 'sm_90', '580.159', '{\"warp_size\":32}');"
        "INSERT INTO kernels VALUES (1, 'gemm', '5ce1', '3a9f');"
        "INSERT INTO sessions (id, kernel_id, device_id, problem_size, compiler, options, policy, strategy, seed,"
        " objective, space_size, state, tool_version, started_at, updated_at, store_id) VALUES (1, 1, 1, "
        "'{\"K\":512,\"M\":1024}', 'NVRTC 13.0', '--use_fast_math',"
        " 'median of 7..100 to 1 %', 'random', '7', 'time', '100', 'finished', '0.1.0', '2026-01-01T00:00:00.000Z',"
        " '2026-01-01T00:00:00.000Z', 1);"
        "INSERT INTO trials (session_id, configuration, outcome, objectives, metrics, message, recorded_at) VALUES"
        " (1, '{\"BLOCK\":64}', 'correct', '[2.5]', '{}', '', '2026-01-01T00:00:01.000Z'),"
        " (1, '{\"BLOCK\":128}', 'timeout', '[]', '{}', 'too slow', '2026-01-01T00:00:02.000Z');"
        "INSERT INTO winners VALUES (1, 1, 2.5, NULL, 5.0, '2026-01-01T00:00:03.000Z');");
    for (std::size_t i = first; i < version; ++i) database.exec(migrations()[i].sql);
  }

  void execute(const std::string& sql) { SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec(sql); }

  void add_second_gpu() {
    execute(
        "INSERT INTO devices VALUES (2, 'cuda', 'NVIDIA H200', 'GPU-34cd', 'sm_90', '580.159', '{\"warp_size\":32}');"
        "INSERT INTO sessions (id, kernel_id, device_id, problem_size, compiler, options, policy, strategy, seed,"
        " objective, space_size, state, tool_version, started_at, updated_at, store_id) SELECT 2, kernel_id, 2,"
        " problem_size, compiler, options, policy, strategy, seed, objective, space_size, state, tool_version,"
        " '2026-02-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', store_id FROM sessions WHERE id = 1;"
        "INSERT INTO trials (id, session_id, configuration, outcome, objectives, metrics, message, recorded_at) VALUES"
        " (10, 2, '{\"BLOCK\":64}', 'correct', '[2.25]', '{}', '', '2026-02-01T00:00:01.000Z'),"
        " (11, 2, '{\"BLOCK\":256}', 'correct', '[2.5]', '{}', '', '2026-02-01T00:00:02.000Z');"
        "INSERT INTO winners VALUES (2, 10, 2.25, NULL, NULL, '2026-02-01T00:00:03.000Z')");
  }

  void set_version(SQLite::Database& database, int version) {
    database.exec("PRAGMA application_id = " + std::to_string(application_id) +
                  "; PRAGMA user_version = " + std::to_string(version));
  }

  int version() { return SQLite::Database(file().string()).execAndGet("PRAGMA user_version").getInt(); }

  std::string schema_text() {
    SQLite::Database database(file().string());
    return database.execAndGet("SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)")
        .getString();
  }
};

TEST_F(Migrations, AFreshStoreHasTheNewestVersion) {
  open();
  EXPECT_EQ(version(), static_cast<int>(migrations().size()));
}

// From 013 on a number is one of both engines: what concerns the other one only is a gap here.
TEST_F(Migrations, AreNumberedInTheirOrder) {
  std::size_t before = 0;
  for (const Migration& migration : migrations()) {
    const std::size_t number = std::stoul(migration.name.substr(0, 3));
    if (before < 12)
      EXPECT_EQ(number, before + 1) << migration.name;
    else
      EXPECT_GT(number, before) << migration.name;
    before = number;
  }
}

TEST_F(Migrations, EveryEarlierVersionIsBroughtUpWithItsContents) {
  open("fresh.db");
  for (std::size_t from = 1; from < migrations().size(); ++from) {
    SCOPED_TRACE("from version " + std::to_string(from));
    make_version(from);
    Store store = open();
    EXPECT_EQ(version(), static_cast<int>(migrations().size()));
    const SessionRecord session = store.find_session(gemm_session().key).value();
    EXPECT_EQ(session.trials, 2);
    EXPECT_EQ(session.correct_trials, 1);
    EXPECT_EQ(store.trials(session.id).size(), 2u);
    EXPECT_EQ(store.best({}).at(0).winner.objective, 2.5);
    store.record(session.id, configuration(1), correct_trial(1));
    EXPECT_EQ(store.session(session.id)->trials, 3);
    EXPECT_EQ(session.origin + session.manifest, "");
    store.record_check({.trial = 1, .objective = 2.6});
    EXPECT_EQ(store.checks(session.id).size(), 1u);
    EXPECT_EQ(session.name + session.note + session.labelled_at, "");
    store.label(session.id, {.name = "old"});
    EXPECT_EQ(store.session(session.id)->name, "old");
    std::filesystem::remove(file());
  }
}

TEST_F(Migrations, CapturesAndRestrictionsOfEveryEarlierVersionBecomeFieldsOfTheKey) {
  for (std::size_t from = 1; from < 7; ++from) {
    SCOPED_TRACE("from version " + std::to_string(from));
    make_version(from);
    execute(
        "UPDATE sessions SET policy = policy || ' capture=77aa restrict=BLOCK <= 128 ; MODE == \"good\"';"
        "UPDATE devices SET limits = '{\"total_memory_bytes\":84929216512,\"multiprocessors\":132}'");
    SessionKey key = gemm_session().key;
    key.capture = "77aa";
    key.restrictions = {"BLOCK <= 128", "MODE == \"good\""};
    key.device.memory_gib = 79;
    key.device.multiprocessors = 132;
    EXPECT_EQ(open().find_session(key)->trials, 2);
    std::filesystem::remove(file());
  }
}

// Of the second GPU: one configuration measured again, one more, and a later winner.
TEST_F(Migrations, SessionsOfTwoEqualGpusOfEveryEarlierVersionBecomeOneAndLoseNothing) {
  for (std::size_t from = 1; from < 7; ++from) {
    SCOPED_TRACE("from version " + std::to_string(from));
    make_version(from);
    add_second_gpu();
    Store store = open();
    const SessionRecord session = store.find_session(gemm_session().key).value();
    EXPECT_EQ(session.id, 1);
    EXPECT_THAT(session.device_uuids, testing::ElementsAre("GPU-12ab", "GPU-34cd"));
    EXPECT_EQ(store.history({}).size(), 1u);
    EXPECT_EQ(session.trials, 3);
    EXPECT_EQ(session.correct_trials, 2);
    const StoredTrial again = store.find_trial(1, {{"BLOCK", std::int64_t{64}}}).value();
    EXPECT_EQ(again.trial.objectives, std::vector<double>{2.25});
    EXPECT_EQ(again.trial.device_uuid, "GPU-34cd");
    const Winner winner = store.winner(1).value();
    EXPECT_EQ(winner.trial, again.id);
    EXPECT_EQ(winner.objective, 2.25);
    EXPECT_EQ(store.create_session(gemm_session(64)), 3);  // 2 is not given again
    EXPECT_EQ(SQLite::Database(file().string()).execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt(),
              0);
    std::filesystem::remove(file());
  }
}

TEST_F(Migrations, WinnersOfOlderVersionsGetTheirSettledTimesFromTheFinals) {
  for (std::size_t from = 4; from < 7; ++from) {
    SCOPED_TRACE("from version " + std::to_string(from));
    make_version(from);
    execute(
        "INSERT INTO trials (session_id, configuration, outcome, objectives, median_ms, relative_error, metrics, "
        "message,"
        " recorded_at) VALUES (1, '{\"BLOCK\":32}', 'correct', '[5.0]', 5.0, 0.01, '{}', '', "
        "'2026-01-01T00:00:02.000Z');"
        "UPDATE winners SET objective = 2.75, relative_error = 0.002, default_objective = 5.5;"
        "INSERT INTO winner_finalists VALUES (1, 0, 1, 2.75, 0.002, 9, 0, 0, 0), (1, 1, 3, 5.5, 0.003, 9, 1, 0.9, "
        "1.1)");
    const Winner winner = open().winner(1).value();
    EXPECT_EQ(winner.time_ms, 2.75);
    EXPECT_EQ(winner.time_error, 0.002);
    EXPECT_EQ(winner.default_trial, 3);
    EXPECT_EQ(winner.default_time_ms, 5.5);
    EXPECT_EQ(winner.default_time_error, 0.003);
    EXPECT_EQ(speed_up(winner), 2);
    std::filesystem::remove(file());
  }
}

// The templates of the library numbered a problem's kinds among its sizes; another's numbers are left alone.
TEST_F(Migrations, NumberedKindsBecomeVariantsWithTheirNames) {
  make_version(6);
  {
    SQLite::Database database(file().string(), SQLite::OPEN_READWRITE);
    database.exec(
        "UPDATE sessions SET problem_size = "
        "'{\"K\":3,\"M\":1,\"N\":2,\"PRECISION\":2,\"TRANSPOSE_A\":1,\"TRANSPOSE_B\":2}';"
        "INSERT INTO kernels VALUES (2, 'own', 'a', 'b'), (3, 'scan', 'a', 'b');"
        "INSERT INTO sessions (id, kernel_id, device_id, problem_size, compiler, options, policy, strategy, seed,"
        " objective, space_size, state, tool_version, started_at, updated_at) SELECT 2, 2, device_id, '{\"KIND\":1}',"
        " compiler, options, policy, strategy, seed, objective, space_size, state, tool_version, started_at, updated_at"
        " FROM sessions WHERE id = 1;"
        "INSERT INTO sessions (id, kernel_id, device_id, problem_size, compiler, options, policy, strategy, seed,"
        " objective, space_size, state, tool_version, started_at, updated_at) SELECT 3, 3, device_id,"
        " '{\"KIND\":2,\"SIZE\":8}', compiler, options, policy, strategy, seed, objective, space_size, state,"
        " tool_version, started_at, updated_at FROM sessions WHERE id = 1;");
  }
  Store store = open();
  SessionKey gemm = store.session(1)->key;
  EXPECT_EQ(search::to_text(gemm.problem_size), "M=1,N=2,K=3");
  EXPECT_EQ(search::to_text(gemm.variants), "PRECISION=double,TRANSPOSE_A=false,TRANSPOSE_B=true");
  EXPECT_EQ(store.find_session(gemm)->id, 1);  // under the same text as if it had been created now
  EXPECT_EQ(store.session(2)->key.problem_size, (search::NamedValues{{"KIND", std::int64_t{1}}}));
  EXPECT_TRUE(store.session(2)->key.variants.empty());
  EXPECT_EQ(search::to_text(store.session(3)->key.problem()), "SIZE=8,KIND=exclusive");
}

TEST_F(Migrations, AnObjectiveBecomesAPartOfTheKeyUnlessItIsTheTime) {
  make_version(3);
  execute(
      "INSERT INTO kernels VALUES (2, 'copy', 'a', 'b');"
      "INSERT INTO sessions (id, kernel_id, device_id, problem_size, compiler, options, policy, strategy, seed,"
      " objective, space_size, state, tool_version, started_at, updated_at) SELECT 2, 2, device_id, problem_size,"
      " compiler, options, policy, strategy, seed, 'GFLOP/s', space_size, state, tool_version, started_at, updated_at"
      " FROM sessions WHERE id = 1");
  Store store = open();
  EXPECT_EQ(store.session(1)->key.policy, gemm_session().key.policy);
  EXPECT_EQ(store.session(2)->key.policy, gemm_session().key.policy + " objective=GFLOP/s");
}

// From the signs, once: the first trial that has the metric tells, else an objective below zero.
TEST_F(Migrations, TheDirectionsOfObjectivesAreFoundInTheirTrials) {
  make_version(14);
  const auto session = [&](int id, const std::string& objective, const std::string& trials) {
    const std::string number = std::to_string(id);
    execute("INSERT INTO kernels VALUES (" + number + ", 'copy', 'a', '" + number + "')");
    execute(
        "INSERT INTO sessions (id, kernel_id, device_id, problem_size, compiler, options, policy, capture, "
        "restrictions,"
        " strategy, seed, objective, space_size, state, tool_version, started_at, updated_at) SELECT " +
        number + ", " + number +
        ", device_id, problem_size, compiler, options, policy, capture, restrictions, strategy, seed, '" + objective +
        "', space_size, state, tool_version, started_at, updated_at FROM sessions WHERE id = 1");
    if (trials.empty()) return;
    execute(
        "INSERT INTO trials (session_id, configuration, outcome, objectives, metrics, message, recorded_at) SELECT " +
        number + ", column1, 'correct', column2, column3, '', '' FROM (VALUES " + trials + ")");
  };
  session(2, "rate", R"(('a', '[-3]', '{"rate":3}'))");
  session(3, "score", R"(('a', '[-3]', '{"score":-3}'))");
  session(4, "rate", R"(('a', '[{"double":"inf"}]', '{"rate":4}'), ('b', '[5]', '{"rate":-5}'))");
  session(5, "other", R"(('a', '[-2]', '{}'))");
  session(6, "time,depth,rate", R"(('a', '[2,-5,-4]', '{"depth":-5,"rate":4}'))");
  session(7, "rate", "");
  session(8, "a\"b/s,time", R"(('a', '[-2,1]', '{"a\"b/s":2.0}'))");
  const Store store = open();
  const std::vector<std::string> expected{"", "rate", "", "rate", "other", "rate", "", "a\"b/s"};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(store.session(static_cast<SessionId>(i + 1))->maximised, expected[i]) << "session " << i + 1;
}

TEST_F(Migrations, AnOlderSchemaCannotBeReadWithoutMigratingAndSaysSo) {
  make_version(1);
  EXPECT_EQ(cause_of_failure([&] { open("store.db", OpenMode::read_only); }), StoreError::Cause::read_only);
  EXPECT_THAT(message_, HasSubstr("older version"));
  EXPECT_EQ(version(), 1);
}

TEST_F(Migrations, AnEmptyFileCannotBeReadAndIsNotCalledOlder) {
  std::ofstream(folder_ / "store.db");
  EXPECT_EQ(cause_of_failure([&] { open("store.db", OpenMode::read_only); }), StoreError::Cause::cannot_open);
  EXPECT_THAT(message_, HasSubstr("it is empty"));
}

TEST_F(Migrations, ANewerSchemaIsRefusedAndLeftAlone) {
  open();
  const int newer = static_cast<int>(migrations().size()) + 1;
  {
    SQLite::Database database(file().string(), SQLite::OPEN_READWRITE);
    set_version(database, newer);
  }
  for (const OpenMode mode : {OpenMode::read_write, OpenMode::read_only}) {
    EXPECT_EQ(cause_of_failure([&] { open("store.db", mode); }), StoreError::Cause::newer_schema);
    EXPECT_THAT(message_, HasSubstr("update warptune"));
  }
  EXPECT_EQ(version(), newer);
}

TEST_F(Migrations, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
  {
    SQLite::Database database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("CREATE TABLE songs (title TEXT)");
  }
  const std::string before = schema_text();
  EXPECT_EQ(cause_of_failure([&] { open(); }), StoreError::Cause::other);
  EXPECT_THAT(message_, HasSubstr("another program"));
  EXPECT_EQ(schema_text(), before);
}

TEST_F(Migrations, WhatIsPlantedInAStoreIsRefusedAndLeftAlone) {
  for (const char* planted :
       {"CREATE VIEW planted AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "DROP VIEW session_list; CREATE VIEW session_list AS SELECT 1",
        "ALTER TABLE sessions RENAME TO hidden; CREATE VIEW sessions AS WITH RECURSIVE n(i) AS (SELECT 1 "
        "UNION ALL SELECT i + 1 FROM n) SELECT h.* FROM hidden h, n",
        "CREATE TRIGGER planted AFTER INSERT ON trials BEGIN DELETE FROM winners; END",
        "CREATE INDEX planted ON trials (message)"}) {
    SCOPED_TRACE(planted);
    open();
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec(planted);
    const std::string before = schema_text();
    for (const OpenMode mode : {OpenMode::read_write, OpenMode::read_only}) {
      EXPECT_EQ(cause_of_failure([&] { open("store.db", mode); }), StoreError::Cause::corrupt);
      EXPECT_THAT(message_, HasSubstr("which warptune does not make"));
    }
    EXPECT_EQ(schema_text(), before);
    std::filesystem::remove(file());
  }
}

TEST_F(Migrations, StatisticsThatSQLiteKeepsAreNothingPlanted) {
  open().create_session(gemm_session());
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("ANALYZE");
  EXPECT_EQ(open("store.db", OpenMode::read_only).history({}).size(), 1u);
}

TEST_F(Migrations, AFailingMigrationLeavesTheOldSchema) {
  make_version(1);
  {
    SQLite::Database database(file().string(), SQLite::OPEN_READWRITE);
    database.exec("CREATE VIEW winner_list AS SELECT 1");  // in the way of a later migration
  }
  const std::string before = schema_text();
  cause_of_failure([&] { open(); });
  EXPECT_EQ(version(), 1);
  EXPECT_EQ(schema_text(), before);
}

TEST_F(Migrations, ViewsAnswerTheQueriesOfTheReadme) {
  {
    Store store = open();
    const SessionId session = store.create_session(gemm_session());
    const TrialId trial = store.record(session, configuration(64), correct_trial(2));
    store.record(session, configuration(128), failed_trial(search::Outcome::compile_error, "error: no such thing"));
    store.set_winner(session, {trial, 2.0, 0.01, 5.0, {}});
  }
  SQLite::Database database(file().string());
  const auto answer = [&](const char* sql) { return database.execAndGet(sql).getString(); };
  EXPECT_EQ(answer("SELECT trials || '/' || correct_trials FROM session_list WHERE kernel = 'gemm'"), "2/1");
  EXPECT_EQ(answer("SELECT configuration ->> 'BLOCK' FROM trial_list WHERE outcome = 'correct'"), "64");
  EXPECT_EQ(answer("SELECT samples FROM trial_list WHERE outcome = 'correct'"), "3");
  EXPECT_EQ(answer("SELECT speedup FROM winner_list WHERE problem_size ->> 'M' = 1024"), "2.5");
  EXPECT_EQ(answer("SELECT outcome || ': ' || example FROM failure_list"), "compile_error: error: no such thing");
}

}  // namespace
}  // namespace warptune::db
