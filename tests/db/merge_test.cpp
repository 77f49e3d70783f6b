// Merging: nothing twice, the later one stays, and everything remembers where it came from.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <fstream>
#include <limits>

#include "db/settled.h"
#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using testing::HasSubstr;

class Merge : public StoreTest {
 protected:
  // A store of one session with two trials and a winner that ties with the other trial.
  void fill(Store& store, std::int64_t m, double objective) {
    const SessionId session = store.create_session(gemm_session(m));
    const TrialId first = store.record(session, configuration(1), correct_trial(objective));
    const TrialId second = store.record(session, configuration(2), correct_trial(objective + 1));
    store.set_winner(session, {first,
                               objective,
                               0.01,
                               9.0,
                               {second},
                               {{first, objective, 0.01, 15, 0, 0, 0}, {second, objective, 0.02, 15, 0.001, 0, 0.1}}});
  }

  // A winner that no finals measured, of a session that may be there already.
  void decide(Store& store, std::int64_t block, double objective, double relative_error) {
    const SessionId session = store.create_session(gemm_session());
    const TrialId trial = store.record(session, configuration(block), correct_trial(objective));
    store.set_winner(session, {trial, objective, relative_error, {}, {}});
  }
  // The objective of what both stores have as winner after each took over the other.
  double united(Store& one, const char* one_name, Store& other, const char* other_name) {
    Store copy = open(std::string("copy_of_") + one_name);
    copy.merge(file(one_name));
    one.merge(file(other_name));
    other.merge(file((std::string("copy_of_") + one_name)));
    EXPECT_EQ(one.winner(1)->objective, other.winner(1)->objective);
    for (Store* store : {&one, &other}) {
      const Winner winner = store->winner(1).value();
      EXPECT_EQ(settled(winner, store->trial(winner.trial).value()).objective, winner.objective);
    }
    return one.winner(1)->objective;
  }

  std::string origin_of_trials(const std::string& store, double objective) {
    return value_of("SELECT merged_from FROM trial_list WHERE objective = " + std::to_string(objective), store);
  }
};

TEST_F(Merge, BringsSessionsTrialsAndWinnersWithTheirDates) {
  Store ours = open("ours.db");
  fill(ours, 64, 5);
  Store theirs = open("theirs.db");
  fill(theirs, 1024, 1);
  advance(std::chrono::hours(1));
  const MergeReport report = ours.merge(file("theirs.db"));
  EXPECT_EQ(report.sessions_added, 1);
  EXPECT_EQ(report.trials_added, 2);
  EXPECT_EQ(report.trials_replaced, 0);
  EXPECT_EQ(report.winners_changed, 1);
  const SessionRecord session = ours.find_session(gemm_session(1024).key).value();
  EXPECT_EQ(session.started_at, "2026-03-14T15:09:26.000Z");
  EXPECT_EQ(session.updated_at, "2026-03-14T15:09:26.000Z");
  EXPECT_EQ(session.state, SessionState::interrupted);  // it runs elsewhere, if at all
  const std::vector<StoredTrial> trials = ours.trials(session.id);
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].trial.measurement->samples_ms, correct_trial(1).measurement->samples_ms);
  const Winner winner = ours.winner(session.id).value();
  EXPECT_EQ(winner.trial, trials[0].id);
  EXPECT_EQ(winner.ties, std::vector{trials[1].id});
  ASSERT_EQ(winner.finalists.size(), 2u);
  EXPECT_EQ(winner.finalists[1].trial, trials[1].id);
  EXPECT_EQ(winner.finalists[1].slower_high, 0.1);
  EXPECT_EQ(origin_of_trials("ours.db", 1), file("theirs.db").string());
  EXPECT_EQ(origin_of_trials("ours.db", 5), "");
}

TEST_F(Merge, RepeatingItChangesNothing) {
  Store ours = open("ours.db");
  Store theirs = open("theirs.db");
  fill(theirs, 1024, 1);
  ours.merge(file("theirs.db"));
  const MergeReport again = ours.merge(file("theirs.db"));
  EXPECT_EQ(again.sessions_added + again.trials_added + again.trials_replaced + again.winners_changed, 0);
  EXPECT_EQ(ours.history({}).size(), 1u);
  EXPECT_EQ(ours.winner(1)->ties.size(), 1u);
}

TEST_F(Merge, OfTwoTrialsOfAConfigurationTheLaterStays) {
  Store ours = open("ours.db");
  Store theirs = open("theirs.db");
  fill(theirs, 1024, 1);
  advance(std::chrono::hours(1));
  const SessionId session = ours.create_session(gemm_session(1024));
  ours.record(session, configuration(1), correct_trial(7));
  EXPECT_EQ(ours.merge(file("theirs.db")).trials_added, 1);
  EXPECT_EQ(ours.trials(session)[0].trial.objectives, std::vector{7.0});
  EXPECT_EQ(theirs.merge(file("ours.db")).trials_replaced, 1);
  EXPECT_EQ(theirs.trials(1)[0].trial.objectives, std::vector{7.0});
  EXPECT_EQ(theirs.session(1)->trials, 2);
}

// The trial was brought in before it was counted, which left its date as it was.
TEST_F(Merge, BringsCountersOfATrialThatIsThereAlready) {
  Store ours = open("ours.db"), theirs = open("theirs.db");
  fill(theirs, 64, 5);
  ours.merge(file("theirs.db"));
  const search::Counters counters{{{"dram_bytes", 7.0}}, {}, {}, ""};
  theirs.record_counters(1, counters, {{"reuse", 2.0}});
  ours.merge(file("theirs.db"));
  const SessionId session = ours.find_session(gemm_session(64).key)->id;
  const auto merged = ours.trials(session);
  EXPECT_EQ(merged.at(0).trial.counters, counters);
  EXPECT_EQ(merged.at(0).trial.metrics.at("reuse"), 2.0);
  EXPECT_FALSE(merged.at(1).trial.counters);
}

TEST_F(Merge, AWinnerThatTurnedOutWrongElsewhereLosesItsPlace) {
  Store ours = open("ours.db");
  fill(ours, 1024, 1);
  {
    Store theirs = open("theirs.db");
    theirs.merge(file("ours.db"));
    advance(std::chrono::hours(1));
    theirs.record(1, configuration(1), failed_trial(search::Outcome::wrong_result, "element 5"));
    theirs.clear_winner(1);
  }
  ours.merge(file("theirs.db"));
  EXPECT_EQ(ours.winner(1)->objective, 2);    // the other configuration
  EXPECT_TRUE(ours.winner(1)->ties.empty());  // the winner is no tie of its own
  Store theirs = open("theirs.db");
  theirs.merge(file("ours.db"));
  EXPECT_EQ(theirs.winner(1)->objective, 2);
  EXPECT_EQ(theirs.merge(file("ours.db")).winners_changed, 0);
}

TEST_F(Merge, TheBetterOfTwoWinnersStaysAlsoIfItWasDecidedEarlier) {
  Store good = open("good.db"), bad = open("bad.db");
  decide(good, 1, 1, 0.01);
  advance(std::chrono::hours(1));
  decide(bad, 2, 25, 0.01);
  EXPECT_EQ(united(good, "good.db", bad, "bad.db"), 1);
  EXPECT_EQ(good.trials(1).size(), 2u);
}

// As after one round of finals.
TEST_F(Merge, AnErrorThatIsNotKnownDoesNotExcuseAWorseWinner) {
  Store good = open("good.db"), bad = open("bad.db");
  decide(good, 1, 1, std::numeric_limits<double>::infinity());
  advance(std::chrono::hours(1));
  decide(bad, 2, 25, std::numeric_limits<double>::infinity());
  EXPECT_EQ(united(bad, "bad.db", good, "good.db"), 1);
}

TEST_F(Merge, OfWinnersThatDifferByLessThanTheirErrorsTheLaterStays) {
  Store early = open("early.db"), late = open("late.db");
  decide(early, 1, 1, 0.01);
  advance(std::chrono::hours(1));
  decide(late, 2, 1.015, 0.01);
  EXPECT_EQ(united(early, "early.db", late, "late.db"), 1.015);
}

// Its configuration was measured again, on a machine that was busy.
TEST_F(Merge, AWinnerKeepsTheTrialThatItWonBy) {
  Store good = open("good.db"), bad = open("bad.db");
  decide(good, 1, 1, 0.01);
  advance(std::chrono::hours(1));
  decide(bad, 1, 25, 0.01);
  EXPECT_EQ(united(good, "good.db", bad, "bad.db"), 1);
  EXPECT_EQ(bad.trials(1).at(0).trial.objectives, std::vector{1.0});
  EXPECT_EQ(bad.merge(file("good.db")).trials_replaced, 0);
}

TEST_F(Merge, AWinnerThatWasWithdrawnDoesNotComeBackFromAnOlderCopy) {
  Store ours = open("ours.db");
  decide(ours, 1, 1, 0.01);
  open("old.db").merge(file("ours.db"));
  advance(std::chrono::hours(1));
  ours.record(1, configuration(1), failed_trial(search::Outcome::wrong_result, "element 5"));
  decide(ours, 2, 3, 0.01);
  EXPECT_EQ(ours.merge(file("old.db")).winners_changed, 0);
  EXPECT_EQ(ours.winner(1)->objective, 3);
  EXPECT_EQ(ours.trials(1).at(0).trial.outcome, search::Outcome::wrong_result);
}

TEST_F(Merge, WithNothingRightLeftThereIsNoWinner) {
  Store ours = open("ours.db");
  fill(ours, 1024, 1);
  {
    Store theirs = open("theirs.db");
    theirs.merge(file("ours.db"));
    advance(std::chrono::hours(1));
    for (const std::int64_t block : {1, 2})
      theirs.record(1, configuration(block), failed_trial(search::Outcome::wrong_result, "element 5"));
  }
  ours.merge(file("theirs.db"));
  EXPECT_FALSE(ours.winner(1).has_value());
}

TEST_F(Merge, BringsTheDirectionsThatAnEmptySessionOfAnOlderVersionLacks) {
  SessionRecord record = gemm_session();
  record.objective = "GFLOP/s";
  Store ours = open("ours.db"), theirs = open("theirs.db");
  ours.create_session(record);
  record.maximised = "GFLOP/s";
  theirs.create_session(record);
  ours.merge(file("theirs.db"));
  EXPECT_EQ(ours.session(1)->maximised, "GFLOP/s");
  theirs.merge(file("ours.db"));
  EXPECT_EQ(theirs.session(1)->maximised, "GFLOP/s");
}

TEST_F(Merge, BackAndForthKeepsTheFirstOrigin) {
  {
    Store a = open("a.db");
    fill(a, 1024, 1);
    Store b = open("b.db");
    b.merge(file("a.db"));
    Store c = open("c.db");
    c.merge(file("b.db"));
    a.merge(file("c.db"));
  }
  EXPECT_EQ(origin_of_trials("c.db", 1), file("a.db").string());
  EXPECT_EQ(origin_of_trials("a.db", 1), "");
}

TEST_F(Merge, RefusesItself) {
  Store store = open();
  EXPECT_EQ(cause_of_failure([&] { store.merge(file()); }), StoreError::Cause::other);
  EXPECT_THAT(message_, HasSubstr("with itself"));
}

TEST_F(Merge, RefusesWhatIsNoStoreAndChangesNothing) {
  if (address_on_server) GTEST_SKIP() << "about files";
  Store store = open();
  fill(store, 1024, 1);
  EXPECT_EQ(cause_of_failure([&] { store.merge(file("none.db")); }), StoreError::Cause::cannot_open);
  {
    SQLite::Database(file("foreign.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE t (x)");
  }
  EXPECT_EQ(cause_of_failure([&] { store.merge(file("foreign.db")); }), StoreError::Cause::other);
  EXPECT_THAT(message_, HasSubstr("another program"));
  EXPECT_EQ(store.history({}).size(), 1u);
}

// Half of it is zeros, as after a copy that broke off on some file systems.
TEST_F(Merge, NamesTheStoreThatIsDamagedAndNotTheGoodOne) {
  if (address_on_server) GTEST_SKIP() << "about files";
  Store ours = open("ours.db");
  fill(ours, 1024, 1);
  {
    Store theirs = open("theirs.db");
    for (std::int64_t m = 1; m < 100; ++m) fill(theirs, m, 1);
  }
  {
    std::fstream stream(file("theirs.db"), std::ios::in | std::ios::out | std::ios::binary);
    const auto bytes = static_cast<std::streamoff>(std::filesystem::file_size(file("theirs.db")));
    stream.seekp(bytes / 2);
    stream << std::string(static_cast<std::size_t>(bytes - bytes / 2), '\0');
  }
  EXPECT_EQ(cause_of_failure([&] { ours.merge(file("theirs.db")); }), StoreError::Cause::corrupt);
  EXPECT_THAT(message_, HasSubstr(file("theirs.db").string()));
  EXPECT_THAT(message_, testing::Not(HasSubstr(file("ours.db").string())));
  EXPECT_EQ(ours.history({}).size(), 1u);
}

TEST_F(Merge, WorksFromAStoreThatMayOnlyBeRead) {
  if (address_on_server) GTEST_SKIP() << "about files";
  {
    Store theirs = open("system/theirs.db");
    fill(theirs, 1024, 1);
  }
  std::filesystem::permissions(file("system"), std::filesystem::perms(0555));
  std::filesystem::create_directory(file("home"));
  std::filesystem::permissions(file("home"), std::filesystem::perms(0777));
  EXPECT_EQ(run_unprivileged([&] {
              Store ours = open("home/ours.db");
              EXPECT_EQ(ours.merge(file("system/theirs.db")).trials_added, 2);
            }),
            0);
  std::filesystem::permissions(file("system"), std::filesystem::perms(0755));
}

}  // namespace
}  // namespace warptune::db
