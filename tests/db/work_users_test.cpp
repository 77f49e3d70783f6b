// Whose work is given out first, what it is charged with, and what a quota holds back. Time is the server's: tests move
// what was spent into the past instead of the clock.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <set>

#include "db/queue.h"
#include "db/schema/open.h"
#include "db/server.h"
#include "tests/db/on_server.h"
#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using Cause = StoreError::Cause;
using testing::ElementsAre;
using testing::HasSubstr;

class WorkUsers : public StoreTest {
 protected:
  WorkUsers() { open(); }

  WorkQueue connect(const std::string& address) {
    return WorkQueue::open(address, OpenMode::read_write, [this] { return now_; });
  }
  WorkQueue worker() { return connect(file().string()); }
  // The address of a tuner of the server, who is made with the first call. Users are the server's, shared by all tests.
  std::string address_of(const std::string& user, StoreRole role = StoreRole::tuner) {
    static std::set<std::string> made;
    if (made.insert(user).second) test_server().execute("postgres", "CREATE ROLE " + user + " LOGIN");
    if (granted_.insert(user).second) grant(file().string(), role, user);
    std::string address = file().string();
    return address.replace(address.find("warptune@"), 8, user);
  }
  std::vector<WorkId> submit(const std::string& user, int count, std::optional<double> budget_s = {},
                             std::int64_t priority = 0) {
    WorkOrder order;
    order.kernel = "gemm";
    order.budget_s = budget_s;
    order.priority = priority;
    order.manifest = "template.toml";
    return connect(address_of(user))
        .submit(std::vector(static_cast<std::size_t>(count), order), std::vector<WorkFile>{{"template.toml", "name"}});
  }
  // As the superuser.
  void execute(const std::string& sql) {
    test_server().execute(database(), "SET search_path = warptune, pg_catalog; " + sql);
  }
  // What a user did so many hours ago.
  void spend(const std::string& user, double device_s, int hours_ago = 0) {
    execute("INSERT INTO work_spending VALUES (date_trunc('hour', now()) - interval '" + std::to_string(hours_ago) +
            " hours', " + std::to_string(device_s) + ", '" + user + "')");
  }
  static WorkUser user_of(const WorkQueue& queue, const std::string& name) {
    for (const WorkUser& user : queue.users())
      if (user.name == name) return user;
    throw std::logic_error("nothing is known of " + name);
  }
  std::vector<WorkId> queued(const WorkQueue& queue) {
    std::vector<WorkId> ids;
    for (const WorkRecord& work : queue.list(0))
      if (work.state == WorkState::queued) ids.push_back(work.id);
    return ids;
  }
  // Statements of somebody who has no need of the program.
  Cause failure_by_hand(const std::string& address, const std::string& sql) {
    const auto connection =
        open_connection(address, OpenMode::read_write, [] { return std::chrono::system_clock::now(); });
    return cause_of_failure([&] { connection->attempt("do harm", [&] { return connection->execute(sql); }); });
  }
  void by_hand(const std::string& address, const std::string& sql) {
    const auto connection =
        open_connection(address, OpenMode::read_write, [] { return std::chrono::system_clock::now(); });
    connection->attempt("try something", [&] { return connection->execute(sql); });
  }
  std::string database() const {
    const std::string address = file().string();
    const std::size_t begin = address.find("@/") + 2;
    return address.substr(begin, address.find('?') - begin);
  }

  const std::vector<std::string> gpu{"NVIDIA H200 (cuda, sm_90)"};
  const std::vector<std::string> four_gpus = std::vector<std::string>(4, gpu.front());
  std::set<std::string> granted_;
};

TEST_F(WorkUsers, WhoHasTheFewestDevicesAtWorkGoesFirst) {
  const auto first = submit("alice", 4), later = submit("bob", 2);
  std::vector<WorkQueue> workers;
  std::vector<WorkId> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(workers.emplace_back(worker()).claim(gpu, "w")->id);
  EXPECT_THAT(taken, ElementsAre(first[0], later[0], first[1], later[1]));
}

TEST_F(WorkUsers, DevicesCountAndNotSessions) {
  const auto first = submit("alice", 3), later = submit("bob", 3);
  WorkQueue node = worker();
  EXPECT_EQ(node.claim(four_gpus, "node")->devices, 4);  // alice's
  std::vector<WorkQueue> workers;
  for (const WorkId id : later) EXPECT_EQ(workers.emplace_back(worker()).claim(gpu, "w")->id, id);
}

TEST_F(WorkUsers, ThenWhoHasSpentLeastInADay) {
  const auto first = submit("alice", 3), later = submit("bob", 2);
  spend("bob", 1000, 30);  // is forgotten
  spend("alice", 20, 3);
  WorkQueue queue = worker();
  const auto next = [&](double spends_s) {
    const WorkRecord work = queue.claim(gpu, "w").value();
    queue.beat(work, spends_s);
    queue.finish(work, WorkState::done, {}, "");
    return work.id;
  };
  EXPECT_EQ(next(15), later[0]);
  EXPECT_EQ(next(15), later[1]);  // 15 s are less than 20
  EXPECT_EQ(next(5), first[0]);
  const WorkId more = submit("bob", 1).front();
  EXPECT_EQ(next(10), first[1]);  // 25 are less than 30
  EXPECT_EQ(next(1), more);
}

TEST_F(WorkUsers, PriorityGoesBeforeShares) {
  submit("bob", 1);
  const WorkId urgent = submit("alice", 1, {}, 3).front();
  spend("alice", 1e6);
  EXPECT_EQ(worker().claim(gpu, "w")->id, urgent);
}

TEST_F(WorkUsers, OfManyUsersAndWorkersEachWorkIsDoneOnce) {
  constexpr int workers = 8, each = 15;
  for (const char* user : {"alice", "bob", "carol"}) submit(user, each, 5);
  worker().set_quota("carol", {3600, QuotaPeriod::day});
  std::vector<pid_t> children;
  for (int i = 0; i < workers; ++i) {
    const pid_t child = fork();
    if (child == 0)
      _exit(run_in_child([&] {
        WorkQueue queue = worker();
        while (const auto work = queue.claim(gpu, "w")) {
          queue.beat(*work, 1);
          queue.finish(*work, WorkState::done, {}, "");
        }
        // It was told that there is nothing: no more is left than the others were just taking.
        EXPECT_LT(queued(queue).size(), workers);
      }));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(value_of("SELECT count(*) FROM work WHERE state = 'done' AND attempts = 1"), std::to_string(3 * each));
  for (const WorkUser& user : worker().users()) EXPECT_EQ(user.day_s, each) << user.name;
}

TEST_F(WorkUsers, TheListIsInTheOrderInWhichWorkIsGivenOut) {
  const auto first = submit("alice", 3), later = submit("bob", 2);
  const WorkId urgent = submit("alice", 1, {}, 1).front();
  WorkQueue queue = worker();
  EXPECT_THAT(queued(queue), ElementsAre(urgent, later[0], first[0], later[1], first[1], first[2]));
  queue.set_quota("bob", {0, QuotaPeriod::day});
  EXPECT_THAT(queued(queue), ElementsAre(urgent, first[0], first[1], first[2], later[0], later[1]));
}

TEST_F(WorkUsers, TheTimeOfEachDeviceIsChargedOnceAndToWhoSubmitted) {
  submit("alice", 1);
  WorkQueue queue = worker();
  WorkRecord work = queue.claim(four_gpus, "node").value();
  queue.beat(work, 5);
  queue.beat(work, 7);
  EXPECT_EQ(user_of(queue, "alice").day_s, 28);
  EXPECT_EQ(user_of(queue, "alice").running_devices, 4);
  queue.give_back(work, false, "");
  EXPECT_EQ(user_of(queue, "alice").running_devices, 0);
  EXPECT_EQ(user_of(queue, "alice").queued, 1);
  work = queue.claim(gpu, "another").value();
  queue.beat(work, work.spent_s + 3);
  const WorkUser user = user_of(queue, "alice");
  EXPECT_EQ(user.day_s, 31);
  EXPECT_EQ(user.month_s, 31);
  EXPECT_EQ(queue.users().size(), 1u);  // nothing was charged to the worker's user
}

TEST_F(WorkUsers, BeyondAQuotaWorkWaitsAndWhatRunsGoesOn) {
  const auto first = submit("alice", 2);
  WorkQueue queue = worker();
  queue.set_quota("alice", {10, QuotaPeriod::week});
  const WorkRecord running = queue.claim(gpu, "w").value();
  EXPECT_TRUE(queue.beat(running, 12));
  WorkQueue other = worker();
  EXPECT_FALSE(other.claim(gpu, "w"));
  EXPECT_TRUE(queue.beat(running, 13));
  const WorkId theirs = submit("bob", 1).front();
  EXPECT_EQ(other.claim(gpu, "w")->id, theirs);
  queue.finish(running, WorkState::done, {}, "");
  EXPECT_EQ(queue.find(running.id)->state, WorkState::done);
  EXPECT_FALSE(queue.claim(gpu, "w"));
  EXPECT_TRUE(user_of(queue, "alice").over);
  execute("UPDATE work_spending SET hour = hour - interval '7 days'");
  EXPECT_FALSE(user_of(queue, "alice").over);
  EXPECT_EQ(queue.claim(gpu, "w")->id, first[1]);
}

TEST_F(WorkUsers, AQuotaSaysUntilWhenItHolds) {
  submit("alice", 1);
  spend("alice", 5 * 3600, 150);
  spend("alice", 6 * 3600, 100);
  spend("alice", 6 * 3600, 20);
  WorkQueue queue = worker();
  const auto until = [&] { return user_of(queue, "alice").over_until; };
  // Hours are the server's, read back so that none begins between here and there.
  const auto leaves = [&](int oldest, const std::string& length) {
    return value_of("SELECT to_char((hour + interval '" + length +
                    "') AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.000\"Z\"') FROM work_spending ORDER BY hour"
                    " OFFSET " +
                    std::to_string(oldest) + " LIMIT 1");
  };
  queue.set_quota("alice", {12 * 3600, QuotaPeriod::week});
  EXPECT_EQ(until(), leaves(1, "168 hours"));  // 12 h are left when the first is gone, and that is still too much
  queue.set_quota("alice", {12.5 * 3600, QuotaPeriod::week});
  EXPECT_EQ(until(), leaves(0, "168 hours"));
  queue.set_quota("alice", {6 * 3600, QuotaPeriod::day});
  EXPECT_EQ(until(), leaves(2, "24 hours"));
  queue.set_quota("alice", {17 * 3600, QuotaPeriod::month});
  EXPECT_EQ(until(), leaves(0, "720 hours"));
  queue.set_quota("alice", {18 * 3600, QuotaPeriod::month});
  EXPECT_EQ(until(), "");
  EXPECT_FALSE(user_of(queue, "alice").over);
}

TEST_F(WorkUsers, WhatRunningSessionsMayStillSpendIsTakenAlready) {
  submit("alice", 3, 600.0);
  WorkQueue queue = worker(), other = worker();
  queue.set_quota("alice", {1201, QuotaPeriod::day});
  const WorkRecord first = queue.claim(std::vector{gpu[0], gpu[0]}, "w").value();
  EXPECT_EQ(user_of(queue, "alice").reserved_s, 1200);
  ASSERT_TRUE(other.claim(gpu, "w"));
  EXPECT_EQ(user_of(queue, "alice").reserved_s, 1800);
  WorkQueue third = worker();
  EXPECT_FALSE(third.claim(gpu, "w"));
  EXPECT_EQ(user_of(queue, "alice").over_until, "");  // whenever they end
  queue.beat(first, 10);
  EXPECT_EQ(user_of(queue, "alice").reserved_s, 1780);
  queue.finish(first, WorkState::done, {}, "");  // sooner than it might have
  EXPECT_TRUE(third.claim(gpu, "w"));
}

TEST_F(WorkUsers, AQuotaOfNothingHoldsEverythingBackUntilItIsGone) {
  submit("alice", 1);
  WorkQueue queue = worker();
  queue.set_quota("alice", {0, QuotaPeriod::month});
  EXPECT_FALSE(queue.claim(gpu, "w"));
  EXPECT_EQ(user_of(queue, "alice").over_until, "");
  EXPECT_TRUE(queue.remove_quota("alice"));
  EXPECT_FALSE(queue.remove_quota("alice"));
  EXPECT_TRUE(queue.claim(gpu, "w"));
}

TEST_F(WorkUsers, QuotasAreOfUsersWhomTheServerKnows) {
  WorkQueue queue = worker();
  EXPECT_EQ(cause_of_failure([&] { queue.set_quota("no_such_user", {}); }), Cause::other);
  EXPECT_THAT(message_, HasSubstr("no user 'no_such_user'"));
  test_server().execute("postgres", "CREATE ROLE some_group");
  EXPECT_EQ(cause_of_failure([&] { queue.set_quota("some_group", {}); }), Cause::other);
  EXPECT_THAT(message_, HasSubstr("is a group"));
  EXPECT_EQ(cause_of_failure([&] { queue.set_quota("warptune", {-1, QuotaPeriod::day}); }), Cause::other);
}

TEST_F(WorkUsers, OnlyOwnersSetQuotasWhateverProgramATunerUses) {
  const std::string tuner = address_of("alice"), owner = address_of("dora", StoreRole::owner);
  WorkQueue theirs = connect(tuner), owners = connect(owner);
  owners.set_quota("alice", {3600, QuotaPeriod::day});
  EXPECT_EQ(cause_of_failure([&] { theirs.set_quota("alice", {1e9, QuotaPeriod::day}); }), Cause::read_only);
  EXPECT_THAT(message_, HasSubstr("only its owners may"));
  EXPECT_EQ(cause_of_failure([&] { theirs.remove_quota("alice"); }), Cause::read_only);
  EXPECT_EQ(user_of(theirs, "alice").quota->device_s, 3600);  // but sees it
  for (const char* sql : {"UPDATE work_quotas SET device_s = 1e9", "DELETE FROM work_quotas", "TRUNCATE work_quotas",
                          "INSERT INTO work_quotas VALUES ('bob', 1, 'day')", "UPDATE work_spending SET device_s = 0",
                          "INSERT INTO work_spending VALUES (now(), -1e9, 'alice')", "DELETE FROM work_spending",
                          "ALTER TABLE work DISABLE TRIGGER work_spent", "DROP TABLE work_quotas"})
    EXPECT_EQ(failure_by_hand(tuner, sql), Cause::read_only) << sql << ": " << message_;
}

TEST_F(WorkUsers, WhoSubmittedItIsTheServersToSay) {
  const WorkId id = submit("alice", 1).front();
  const std::string tuner = address_of("alice");
  by_hand(tuner, "UPDATE work SET submitted_by = 'bob'");
  EXPECT_EQ(worker().find(id)->submitted_by, "alice");
  by_hand(tuner,
          "INSERT INTO work (priority, state, kernel, problem, gpu, arguments, bundle, manifest, submitted_at,"
          " submitted_by) SELECT priority, state, kernel, problem, gpu, arguments, bundle, manifest, submitted_at,"
          " 'bob' FROM work");
  EXPECT_EQ(value_of("SELECT string_agg(submitted_by, ' ') FROM work"), "alice alice");
}

TEST_F(WorkUsers, WhatWasSpentStaysSpent) {
  submit("alice", 2);
  WorkQueue queue = worker();
  const WorkRecord work = queue.claim(four_gpus, "node").value();
  queue.beat(work, 10);
  const std::string tuner = address_of("alice");
  by_hand(tuner, "UPDATE work SET spent_s = 0, devices = -1 WHERE state = 'running'");
  EXPECT_EQ(user_of(queue, "alice").day_s, 40);
  by_hand(tuner,
          "CREATE TEMPORARY TABLE work_spending (hour TIMESTAMPTZ, device_s FLOAT8, submitter TEXT);"
          " UPDATE work SET spent_s = 1, devices = 1 WHERE state = 'running'");
  EXPECT_EQ(user_of(queue, "alice").day_s, 41);
  EXPECT_TRUE(queue.beat(work, 11));
  EXPECT_EQ(user_of(queue, "alice").day_s, 81);  // of four devices again
  by_hand(tuner, "DELETE FROM work");
  EXPECT_EQ(user_of(queue, "alice").day_s, 81);
}

// Who may write tables by default, by an earlier grant, may not write these; and who had the store open goes on.
TEST_F(WorkUsers, AStoreOfTheVersionBeforeIsBroughtUpWhileOthersWork) {
  const std::string tuner = address_of("alice");
  const WorkId id = submit("alice", 2).front();
  execute(
      "DROP VIEW bits_list; ALTER TABLE trials DROP COLUMN data_hash, DROP COLUMN output_hash;"
      " ALTER TABLE sessions DROP COLUMN maximised, DROP COLUMN expected;"
      " DROP TABLE work_quotas, work_spending; DROP FUNCTION keep_submitter, charge_work CASCADE;"
      " ALTER TABLE work DROP COLUMN devices; UPDATE schema_version SET version = 13;"
      " UPDATE work SET state = 'running', attempts = 1, spent_s = 30 WHERE id = " +
      std::to_string(id));
  EXPECT_EQ(cause_of_failure([&] { WorkQueue::open(tuner, OpenMode::read_only); }), Cause::read_only);
  WorkQueue queue = worker();
  EXPECT_EQ(queue.find(id)->devices, 1);
  EXPECT_EQ(user_of(queue, "alice").day_s, 0);
  by_hand(tuner, "UPDATE work SET spent_s = 31.5 WHERE state = 'running'");  // as the earlier version says it
  EXPECT_EQ(user_of(queue, "alice").day_s, 1.5);
  for (const char* sql : {"INSERT INTO work_quotas VALUES ('alice', 1, 'day')", "DELETE FROM work_spending"})
    EXPECT_EQ(failure_by_hand(tuner, sql), Cause::read_only) << sql << ": " << message_;
}

}  // namespace
}  // namespace warptune::db
