// Sessions dumped from one store and merged into another; checks beside trials; previews.
#include <gmock/gmock.h>

#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using testing::HasSubstr;

class Dump : public StoreTest {
 protected:
  SessionId fill(Store& store, double objective = 2) {
    SessionRecord session = gemm_session();
    session.origin = "revalidated from session 7";
    session.manifest = "/templates/gemm/template.toml";
    const SessionId id = store.create_session(session);
    const TrialId first = store.record(id, configuration(1), correct_trial(objective));
    const TrialId second = store.record(id, configuration(2), correct_trial(objective + 1));
    store.record(id, configuration(3), failed_trial(search::Outcome::timeout, "slow"));
    store.set_winner(id, {first, objective, 0.01, 9.0, {second}});
    store.record_check({.trial = first, .objective = 2.5, .recorded_objective = objective, .differs = "driver"});
    store.record_expected(id, R"([{"name":"c"}])");
    store.set_session_state(id, SessionState::finished);
    return id;
  }
};

TEST_F(Dump, BringsEverythingIntoAnotherStore) {
  Store ours = open("ours.db");
  Store theirs = open("theirs.db");
  theirs.create_session(gemm_session(9));
  const SessionId session = fill(theirs);
  const SessionDump dump = theirs.dump(session);
  advance(std::chrono::hours(5));
  const MergeReport report = ours.merge(std::vector{dump}, "gemm.json");
  EXPECT_EQ(report.sessions_added, 1);
  EXPECT_EQ(report.trials_added, 3);
  EXPECT_EQ(report.winners_changed, 1);
  EXPECT_EQ(report.checks_added, 1);
  const SessionDump back = ours.dump(1);
  EXPECT_EQ(back.session.started_at, dump.session.started_at);
  EXPECT_EQ(back.session.updated_at, dump.session.updated_at);
  EXPECT_EQ(back.session.state, SessionState::finished);
  EXPECT_EQ(back.session.origin, "revalidated from session 7");
  EXPECT_EQ(back.session.manifest, "/templates/gemm/template.toml");
  EXPECT_EQ(back.session.expected, R"([{"name":"c"}])");
  EXPECT_EQ(back.store, dump.store);
  EXPECT_EQ(back.trials.size(), 3u);
  EXPECT_EQ(back.winner->decided_at, dump.winner->decided_at);
  EXPECT_EQ(back.winner->ties, std::vector{back.trials[1].stored.id});
  ASSERT_EQ(back.checks.size(), 1u);
  EXPECT_EQ(back.checks[0].checked_at, dump.checks[0].checked_at);
  EXPECT_EQ(back.checks[0].differs, "driver");
  EXPECT_EQ(value_of("SELECT merged_from FROM session_list", "ours.db"), "gemm.json");
  EXPECT_EQ(value_of("SELECT count(*) FROM check_list WHERE drift = 1.25", "ours.db"), "1");
}

TEST_F(Dump, MergingItTwiceOrBackChangesNothing) {
  Store ours = open("ours.db");
  Store theirs = open("theirs.db");
  const std::vector<SessionDump> dumps{theirs.dump(fill(theirs))};
  ours.merge(dumps, "gemm.json");
  for (Store* store : {&ours, &theirs}) {
    const MergeReport again = store->merge(dumps, "gemm.json");
    EXPECT_EQ(
        again.sessions_added + again.trials_added + again.trials_replaced + again.winners_changed + again.checks_added,
        0);
  }
  EXPECT_EQ(ours.history({}).size(), 1u);
  EXPECT_EQ(ours.checks(1).size(), 1u);
}

TEST_F(Dump, APreviewReportsAndChangesNothing) {
  Store ours = open("ours.db");
  {
    Store theirs = open("theirs.db");
    const std::vector<SessionDump> dumps{theirs.dump(fill(theirs))};
    EXPECT_EQ(ours.merge(dumps, "gemm.json", Effect::preview).trials_added, 3);
  }
  EXPECT_EQ(ours.merge(file("theirs.db"), Effect::preview).sessions_added, 1);
  EXPECT_TRUE(ours.history({}).empty());
  EXPECT_EQ(ours.merge(file("theirs.db")).trials_added, 3);
  const SessionId empty = ours.create_session(gemm_session(9));
  ours.set_session_state(empty, SessionState::finished);
  EXPECT_EQ(ours.gc(std::chrono::hours(0), Effect::preview).sessions_removed, 1);
  EXPECT_EQ(ours.history({}).size(), 2u);
  EXPECT_EQ(ours.gc(std::chrono::hours(0)).sessions_removed, 1);
}

TEST_F(Dump, OfAnUnknownSessionIsAnError) {
  Store store = open();
  EXPECT_EQ(cause_of_failure([&] { store.dump(3); }), StoreError::Cause::other);
  EXPECT_THAT(message_, HasSubstr("session 3"));
}

TEST_F(Dump, ChecksAreKeptInOrderAndGoWithAMerge) {
  {
    Store theirs = open("theirs.db");
    fill(theirs);
    advance(std::chrono::hours(1));
    theirs.record_check({.trial = 1, .outcome = search::Outcome::wrong_result, .message = "element 5"});
    EXPECT_EQ(theirs.checks(1).size(), 2u);
    EXPECT_EQ(theirs.checks(1)[1].message, "element 5");
    EXPECT_EQ(theirs.trials(1)[0].trial.outcome, search::Outcome::correct);  // the trial itself stands
  }
  Store ours = open("ours.db");
  EXPECT_EQ(ours.merge(file("theirs.db")).checks_added, 2);
  EXPECT_EQ(ours.merge(file("theirs.db")).checks_added, 0);
}

TEST_F(Dump, AWithdrawnWinnerIsNotBestAnyMore) {
  Store store = open();
  fill(store);
  EXPECT_EQ(store.best({}).size(), 1u);
  store.clear_winner(1);
  EXPECT_TRUE(store.best({}).empty());
  EXPECT_FALSE(store.winner(1).has_value());
}

TEST_F(Dump, FindsTheTrialOfAConfiguration) {
  Store store = open();
  fill(store);
  EXPECT_EQ(store.find_trial(1, configuration(2))->trial.objectives, std::vector{3.0});
  EXPECT_FALSE(store.find_trial(1, configuration(9)).has_value());
}

TEST_F(Dump, BatchesKeepTheCountsWhetherTheyAddOrReplace) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  std::vector<StoredTrial> batch(3);
  for (std::int64_t i = 0; i < 3; ++i) {
    batch[static_cast<std::size_t>(i)].values = configuration(i);
    batch[static_cast<std::size_t>(i)].trial =
        i == 2 ? failed_trial(search::Outcome::timeout, "slow") : correct_trial(1);
  }
  advance(std::chrono::seconds(5));
  const std::vector<TrialId> first = store.record_batch(session, batch);
  EXPECT_EQ(store.session(session)->correct_trials, 2);
  EXPECT_EQ(store.session(session)->updated_at, "2026-03-14T15:09:31.000Z");
  batch[0].trial = failed_trial(search::Outcome::timeout, "slow");
  batch[1].values = configuration(7);
  const std::vector<TrialId> second = store.record_batch(session, batch);
  EXPECT_EQ(second[0], first[0]);
  EXPECT_NE(second[1], first[1]);
  EXPECT_EQ(store.session(session)->trials, 4);
  EXPECT_EQ(store.session(session)->correct_trials, 2);
  store.record(session, configuration(8), correct_trial(1));  // one at a time counts again by itself
  EXPECT_EQ(store.session(session)->trials, 5);
  EXPECT_EQ(store.session(session)->correct_trials, 3);
}

}  // namespace
}  // namespace warptune::db
