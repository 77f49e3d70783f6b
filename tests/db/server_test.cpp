// What only stores on a server have: roles, restarts, addresses, and the way to files and back.
#include "db/server.h"

#include <gmock/gmock.h>

#include <sstream>
#include <thread>

#include "db/health.h"
#include "db/interchange/session_json.h"
#include "db/postgresql/postgres_engine.h"
#include "db/schema/open.h"
#include "db/store_address.h"
#include "tests/db/on_server.h"
#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using Cause = StoreError::Cause;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ServerStore : public StoreTest {
 protected:
  // Of each kind of row one at least, and values that the two engines could keep differently.
  SessionId fill(Store& store) {
    SessionRecord record = gemm_session();
    record.key.variants = {{"PRECISION", std::string("d\"ouble")}, {"TURNED", true}};
    record.key.restrictions = {"A < 3", "B"};
    record.name = "baseline \xc3\xa9";
    record.capture_file = "/data/call";
    record.objective = "time,rate";
    record.maximised = "rate";
    const SessionId id = store.create_session(record);
    const TrialId first = store.record(id, configuration(1), correct_trial(1.0 / 3));
    search::Trial second = correct_trial(0.1 + 0.2);
    second.measurement->samples_ms = {5e-324, -0.0, 1e300};
    second.objectives = {std::numeric_limits<double>::infinity(), -0.0};
    second.launches = {{"scan<float>", {64, 2, 1}, {256, 1, 1}, 3, {40, 16, 0, 4096, 256, 0.75}}};
    second.work = {1e18 / 3, 12.5, "tensor_bf16"};
    const TrialId other = store.record(id, configuration(2), second);
    store.record_counters(other, {{{"dram_bytes", 1.0 / 3}}, {}, {}, "no \xff"}, {{"reuse", 4.0}});
    store.record(id, configuration(3), failed_trial(search::Outcome::timeout, "slow\n'quoted' ?1 $1"));
    Winner winner{first, 1.0 / 3, 0.01, 9.0, {other}, {{first, 1.0 / 3, 0.01, 15, 0, 0, 0}}};
    winner.finalists.push_back({other, 0.4, 0.02, 3, 0.5, -INFINITY, INFINITY, 0.4, 0.02, {{"GB/s", 7.5}}});
    store.set_winner(id, winner);
    store.record_check({.trial = first, .objective = 2.5, .recorded_objective = 1.0 / 3, .differs = "driver"});
    store.record_roofs(record.key.device, std::vector{Roof{"dram", 4.8e12, "copy"}});
    store.set_session_state(id, SessionState::finished);
    return id;
  }

  Store open_file(const std::string& name) {
    return Store::open(folder_ / name, OpenMode::read_write, [this] { return now_; });
  }

  // A user of the server with a role in the store, and its address.
  std::string address_of(const std::string& user, StoreRole role) {
    test_server().execute("postgres", "CREATE ROLE " + user + " LOGIN");
    grant(file().string(), role, user);
    std::string address = file().string();
    return address.replace(address.find("warptune@"), 8, user);
  }

  Cause failure_at(const std::string& address, OpenMode mode) {
    return cause_of_failure([&] { Store::open(address, mode); });
  }
};

std::string as_file(const Store& store, SessionId session) {
  SessionDump dump = store.dump(session);
  dump.session.id = 1;
  std::ostringstream text;
  write_sessions(std::vector{std::move(dump)}, text);
  return text.str();
}

TEST_F(ServerStore, LosesNothingOnTheWayToAFileAndBack) {
  Store ours = open("ours.db");
  ours.create_session(gemm_session(9));  // shifts the numbers
  const SessionId session = fill(ours);
  Store between = open_file("between.db");
  const MergeReport there = between.merge(file("ours.db"));
  EXPECT_EQ(there.sessions_added, 2);
  EXPECT_EQ(there.trials_added, 3);
  EXPECT_EQ(there.winners_changed, 1);
  EXPECT_EQ(there.checks_added, 1);
  const SessionKey key = ours.session(session)->key;
  const SessionId in_file = between.find_session(key)->id;
  EXPECT_EQ(as_file(between, in_file), as_file(ours, session));
  Store back = open("back.db");
  EXPECT_EQ(back.merge(folder_ / "between.db").trials_added, 3);
  EXPECT_EQ(as_file(back, back.find_session(key)->id), as_file(ours, session));
  EXPECT_EQ(back.find_session(key)->merged_from, file("ours.db").string());  // where it was first recorded
  ASSERT_EQ(back.roofs(key.device).size(), 1u);
  EXPECT_EQ(back.roofs(key.device).front().value, 4.8e12);
  EXPECT_EQ(back.merge(folder_ / "between.db").trials_added, 0);
}

TEST_F(ServerStore, AReaderReadsAndCannotWrite) {
  Store store = open();
  const SessionId session = fill(store);
  const std::string address = address_of("some_reader", StoreRole::reader);
  EXPECT_EQ(Store::open(address, OpenMode::read_only).trials(session).size(), 3u);
  EXPECT_EQ(failure_at(address, OpenMode::read_write), Cause::read_only);
  EXPECT_THAT(message_, HasSubstr("warptune grant tuner"));
  // Nor past the program: with a connection that says it writes.
  std::string writing = address + "&options=-cdefault_transaction_read_only%3Doff";
  const auto connection =
      open_connection(writing, OpenMode::read_only, [] { return std::chrono::system_clock::now(); });
  for (const char* sql : {"SET default_transaction_read_only = off; DELETE FROM checks",
                          "SET default_transaction_read_only = off; UPDATE trials SET message = ''",
                          "SET default_transaction_read_only = off; INSERT INTO outcome_counts VALUES (1, 'x', 1)",
                          "SET default_transaction_read_only = off; CREATE TABLE mine (x INTEGER)",
                          "SET default_transaction_read_only = off; DROP TABLE trials"})
    EXPECT_EQ(cause_of_failure([&] { connection->attempt("do harm", [&] { return connection->execute(sql); }); }),
              Cause::read_only)
        << sql << ": " << message_;
  EXPECT_EQ(store.trials(session).size(), 3u);
}

TEST_F(ServerStore, ATunerRecordsButIsNoOwner) {
  open();
  const std::string address = address_of("some_tuner", StoreRole::tuner);
  Store store = Store::open(address, OpenMode::read_write);
  const SessionId session = fill(store);
  EXPECT_EQ(store.session(session)->trials, 3);
  EXPECT_EQ(store.remove(std::vector{session}).trials, 3);
  EXPECT_EQ(cause_of_failure([&] { grant(address, StoreRole::tuner, "some_tuner"); }), Cause::read_only) << message_;
  const auto connection =
      open_connection(address, OpenMode::read_write, [] { return std::chrono::system_clock::now(); });
  EXPECT_EQ(cause_of_failure([&] {
              connection->attempt("do harm",
                                  [&] { return connection->execute("UPDATE schema_version SET version = 1"); });
            }),
            Cause::read_only);
}

TEST_F(ServerStore, ARoleCanBeTakenBackAndAnOwnerCanGrant) {
  open();
  const std::string owner = address_of("some_owner", StoreRole::owner);
  const std::string reader = address_of("another", StoreRole::tuner);
  Store::open(reader, OpenMode::read_write);
  grant(owner, StoreRole::reader, "another");
  EXPECT_EQ(failure_at(reader, OpenMode::read_write), Cause::read_only);
  EXPECT_EQ(cause_of_failure([&] { grant(owner, StoreRole::reader, "no_such_user"); }), Cause::other);
  EXPECT_THAT(message_, HasSubstr("createuser no_such_user"));
}

// As docs/howto/cluster.md sets it up: createuser, createdb --owner. Nobody of the store is a superuser.
class OrdinaryOwner : public ServerStore {
 protected:
  OrdinaryOwner() {
    test_server().execute("postgres", "CREATE ROLE " + owner_ + " LOGIN");
    test_server().execute("postgres", "CREATE ROLE " + other_ + " LOGIN");
    test_server().execute("postgres", "CREATE DATABASE " + owner_ + " OWNER " + owner_);
    Store::open(of(owner_), OpenMode::read_write);
  }
  std::string of(const std::string& user) const {
    std::string address = file().string();
    address.replace(address.find("warptune@"), 8, user);
    const std::size_t begin = address.find("@/") + 2;
    return address.replace(begin, address.find('?') - begin, owner_);
  }

  const std::string owner_ = "ordinary" + std::to_string(number_), other_ = "other" + std::to_string(number_);
};

TEST_F(OrdinaryOwner, GrantsAndTakesBack) {
  EXPECT_EQ(grant(of(owner_), StoreRole::tuner, other_), "");
  Store theirs = Store::open(of(other_), OpenMode::read_write);
  fill(theirs);
  EXPECT_EQ(grant(of(owner_), StoreRole::reader, other_), "");
  EXPECT_EQ(failure_at(of(other_), OpenMode::read_write), Cause::read_only);
  EXPECT_EQ(grant(of("warptune"), StoreRole::tuner, other_), "");  // nor does it matter that a superuser asks
  Store::open(of(other_), OpenMode::read_write);
}

TEST_F(OrdinaryOwner, SaysWhatOnlyASuperuserMayDo) {
  EXPECT_EQ(cause_of_failure([&] { grant(of(owner_), StoreRole::owner, other_); }), Cause::read_only);
  EXPECT_THAT(message_, HasSubstr("let a superuser of the server run: GRANT " + owner_ + " TO " + other_));
  EXPECT_EQ(grant(of("warptune"), StoreRole::owner, other_), "");
  EXPECT_THAT(grant(of(owner_), StoreRole::reader, other_),
              HasSubstr("let a superuser of the server run: REVOKE " + owner_ + " FROM " + other_));
  Store::open(of(other_), OpenMode::read_write);
  EXPECT_EQ(grant(of("warptune"), StoreRole::reader, other_), "");
  EXPECT_EQ(failure_at(of(other_), OpenMode::read_write), Cause::read_only);
}

TEST_F(ServerStore, AStrangerIsToldWhatToDo) {
  open();
  test_server().execute("postgres", "CREATE ROLE stranger LOGIN");
  std::string address = file().string();
  address.replace(address.find("warptune@"), 8, "stranger");
  EXPECT_EQ(failure_at(address, OpenMode::read_only), Cause::read_only);
  EXPECT_THAT(message_, AllOf(HasSubstr("has no role"), HasSubstr("warptune grant reader")));
}

// Whatever anybody may lock who may only log in, or only read.
TEST_F(ServerStore, WhoMayNotWriteHoldsUpNoWriter) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  const std::string reader = address_of("locking_reader", StoreRole::reader);
  test_server().execute("postgres", "CREATE ROLE locking_stranger LOGIN");
  std::string stranger = file().string();
  stranger.replace(stranger.find("warptune@"), 8, "locking_stranger");
  PostgresEngine theirs(stranger, "", OpenMode::read_write), reading(reader, "", OpenMode::read_write);
  theirs.execute("SELECT pg_advisory_lock(1465148514)");  // "WTdb"
  EXPECT_THROW(theirs.execute("LOCK TABLE warptune.sessions IN ACCESS SHARE MODE"), PostgresError);
  reading.execute("BEGIN; LOCK TABLE warptune.sessions IN ACCESS SHARE MODE");
  store.record(session, configuration(1), correct_trial(1));
  EXPECT_EQ(store.remove(std::vector{session}).trials, 1);  // which has to be alone
  for (const char* mode : {"ROW EXCLUSIVE", "SHARE ROW EXCLUSIVE", "ACCESS EXCLUSIVE"}) {
    reading.execute("ROLLBACK; BEGIN");
    EXPECT_THROW(reading.execute(std::string("LOCK TABLE warptune.sessions IN ") + mode + " MODE"), PostgresError)
        << mode;
  }
}

TEST_F(ServerStore, WhoMustBeAloneWaitsForWritersAndTheyForIt) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  PostgresEngine writing(file().string(), "", OpenMode::read_write), alone(file().string(), "", OpenMode::read_write);
  for (PostgresEngine* engine : {&writing, &alone}) engine->execute("SET lock_timeout = '20ms'");
  writing.begin(Isolation::writing);
  EXPECT_THROW(alone.begin(Isolation::alone), PostgresError);
  store.record(session, configuration(1), correct_trial(1));  // beside the other
  writing.execute("COMMIT");
  alone.begin(Isolation::alone);
  EXPECT_THROW(writing.begin(Isolation::writing), PostgresError);
  alone.execute("COMMIT");
  writing.begin(Isolation::writing);
  writing.execute("COMMIT");
}

TEST_F(ServerStore, ARestartOfTheServerLosesNoTrialAndEndsNoSession) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  for (std::int64_t i = 0; i < 60; ++i) {
    std::thread recording([&] { store.record(session, configuration(i), correct_trial(1)); });
    if (i % 20 == 10) {
      test_server().kill();
      test_server().start();
    }
    recording.join();
  }
  EXPECT_EQ(store.trials(session).size(), 60u);
  EXPECT_EQ(store.session(session)->trials, 60);  // and none was counted twice
}

TEST_F(ServerStore, AServerThatStaysAwayIsWaitedForOnce) {
  using namespace std::chrono_literals;
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  const auto usual = reconnecting_limit();
  set_reconnecting_limit(1s);
  test_server().kill();
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(cause_of_failure([&] { store.record(session, configuration(1), correct_trial(1)); }), Cause::cannot_open);
  const auto waited = std::chrono::steady_clock::now();
  EXPECT_GE(waited - begun, 1s);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(cause_of_failure([&] { store.set_session_state(session, SessionState::interrupted); }),
              Cause::cannot_open);
  EXPECT_LT(std::chrono::steady_clock::now() - waited, 1s);
  test_server().start();
  std::this_thread::sleep_for(2100ms);  // it is looked for now and then
  store.record(session, configuration(1), correct_trial(1));
  EXPECT_EQ(store.trials(session).size(), 1u);
  set_reconnecting_limit(usual);
}

TEST_F(ServerStore, NamesNoPassword) {
  EXPECT_EQ(shown_name("postgresql://me:s3cret@db.site/tuning?sslmode=require"),
            "postgresql://me@db.site/tuning?sslmode=require");
  EXPECT_EQ(shown_name("postgres://db.site/tuning?user=me&password=s3cret&sslmode=require"),
            "postgres://db.site/tuning?user=me&password=***&sslmode=require");
  EXPECT_EQ(failure_at("postgresql://me:s3cret@/none?host=" + folder_.string(), OpenMode::read_only),
            Cause::cannot_open);
  EXPECT_THAT(message_,
              AllOf(HasSubstr("postgresql://me@/none"), Not(HasSubstr("s3cret")), HasSubstr("check the address")));
}

TEST_F(ServerStore, ADatabaseWithoutAStoreIsNotRead) {
  EXPECT_EQ(failure_at(file("empty").string(), OpenMode::read_only), Cause::cannot_open);
  EXPECT_THAT(message_, HasSubstr("tune a kernel first"));
}

std::string database_of(const std::string& address) {
  return address.substr(address.find("@/") + 2, address.find('?') - address.find("@/") - 2);
}

TEST_F(ServerStore, OfAStoreOfTheVersionBeforeTheSignsTellTheDirections) {
  const auto add = [](Store& store, const std::string& objective, std::vector<double> stored) {
    SessionRecord record = gemm_session();
    record.key.kernel = record.objective = objective;
    search::Trial trial = correct_trial(1);
    trial.objectives = std::move(stored);
    trial.metrics = {{"rate", 3.0}, {"depth", -5.0}};
    store.record(store.create_session(record), configuration(1), trial);
  };
  {
    Store store = open();
    add(store, "rate", {-3});
    add(store, "depth", {-5});
    add(store, "time,depth,rate", {2, -5, -3});
    add(store, "other", {-1});
  }
  test_server().execute(database_of(file().string()),
                        "ALTER TABLE warptune.sessions DROP COLUMN maximised, DROP COLUMN expected;"
                        " UPDATE warptune.schema_version SET version = 16");
  const Store store = open();
  const std::vector<std::string> expected{"rate", "", "rate", "other"};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(store.session(static_cast<SessionId>(i + 1))->maximised, expected[i]) << "session " << i + 1;
}

TEST_F(ServerStore, OtherTablesAndNewerSchemasAreLeftAlone) {
  const std::string foreign = file("foreign").string();
  const std::string database = database_of(foreign);
  test_server().execute(database, "CREATE SCHEMA warptune; CREATE TABLE warptune.theirs (x INTEGER)");
  EXPECT_EQ(failure_at(foreign, OpenMode::read_write), Cause::other);
  EXPECT_THAT(message_, HasSubstr("another program"));
  test_server().execute(database, "DROP SCHEMA warptune CASCADE; CREATE TABLE public.theirs (x INTEGER)");
  Store::open(foreign, OpenMode::read_write);  // beside it there is room
  test_server().execute(database, "UPDATE warptune.schema_version SET version = version + 1");
  EXPECT_EQ(failure_at(foreign, OpenMode::read_write), Cause::newer_schema);
  EXPECT_EQ(failure_at(foreign, OpenMode::read_only), Cause::newer_schema);
}

TEST_F(ServerStore, IsExaminedWithoutChangingIt) {
  EXPECT_EQ(examine_store(file("empty")).schema, 0);
  EXPECT_EQ(failure_at(file("empty").string(), OpenMode::read_only), Cause::cannot_open);
  Store store = open();
  fill(store);
  const StoreHealth health = examine_store(file());
  EXPECT_EQ(health.sessions, 1);
  EXPECT_EQ(health.schema, health.newest_schema);
  EXPECT_GT(health.bytes, 0u);
}

// What people ask in a SQL shell has the same columns in both kinds.
TEST_F(ServerStore, HasTheViewsOfAFile) {
  Store ours = open("ours.db"), embedded = open_file("embedded.db");
  const auto columns = [&](const std::filesystem::path& name, const std::string& sql) {
    const auto connection = open_connection(name, OpenMode::read_only, [] { return std::chrono::system_clock::now(); });
    std::vector<std::string> found;
    connection->attempt("list columns", [&] {
      Query query = connection->query(sql);
      while (query.step()) found.push_back(query.text());
      return true;
    });
    return found;
  };
  const auto theirs = columns(folder_ / "embedded.db",
                              "SELECT m.name || '.' || p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p"
                              " WHERE m.type = 'view' ORDER BY m.name, p.cid");
  EXPECT_GT(theirs.size(), 100u);
  EXPECT_EQ(columns(file("ours.db"),
                    "SELECT c.table_name || '.' || c.column_name FROM information_schema.columns c"
                    " JOIN information_schema.views v USING (table_schema, table_name)"
                    " WHERE table_schema = 'warptune' ORDER BY c.table_name COLLATE \"C\", c.ordinal_position"),
            theirs);
  EXPECT_GE(examine_store(file("ours.db")).newest_schema, examine_store(folder_ / "embedded.db").newest_schema);
  fill(ours);
  EXPECT_EQ(value_of("SELECT count(*) FROM launch_list", "ours.db"), "1");
  EXPECT_EQ(value_of("SELECT sum(CAST(CAST(value AS TEXT) AS FLOAT8)) FROM counter_list WHERE counter = 'dram_bytes'",
                     "ours.db")
                .substr(0, 6),
            "0.3333");
  EXPECT_EQ(value_of("SELECT problem_size ->> 'PRECISION' FROM winner_list", "ours.db"), "d\"ouble");
}

}  // namespace
}  // namespace warptune::db
