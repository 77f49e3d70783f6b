// Merging: nothing twice, the later one stays, and everything remembers where it came from.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

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
