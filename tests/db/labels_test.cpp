// Names and notes of sessions; sessions that are removed.
#include <gmock/gmock.h>

#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

class Labels : public StoreTest {
 protected:
  // A session with two trials, a winner that ties, and a check.
  SessionId fill(Store& store, const SessionRecord& record, double objective) {
    const SessionId session = store.create_session(record);
    const TrialId first = store.record(session, configuration(1), correct_trial(objective));
    const TrialId second = store.record(session, configuration(2), correct_trial(objective + 1));
    store.set_winner(session, {first, objective, 0.01, 9.0, {second}, {{first, objective, 0.01, 15, 0, 0, 0}}});
    store.record_check({.trial = first, .objective = objective});
    return session;
  }
  std::vector<SessionId> called(const Store& store, const std::string& name) {
    HistoryFilter filter;
    filter.name = name;
    std::vector<SessionId> ids;
    for (const SessionRecord& session : store.history(filter)) ids.push_back(session.id);
    return ids;
  }
  std::int64_t number(const std::string& sql) { return std::stoll(value_of(sql)); }
};

TEST_F(Labels, AreGivenChangedFoundAndTakenAway) {
  Store store = open();
  SessionRecord record = gemm_session(1);
  record.name = "baseline";
  const SessionId first = store.create_session(record), second = store.create_session(gemm_session(2));
  EXPECT_THAT(called(store, "baseline"), testing::ElementsAre(first));
  store.label(second, {.note = "before the update"});
  EXPECT_EQ(store.session(second)->note, "before the update");
  EXPECT_EQ(store.session(second)->name, "");
  store.label(second, {.name = "baseline"});
  EXPECT_EQ(store.session(second)->note, "before the update");  // what is not given stays
  EXPECT_THAT(called(store, "baseline"), testing::UnorderedElementsAre(first, second));
  store.label(first, {.name = ""});
  EXPECT_THAT(called(store, "baseline"), testing::ElementsAre(second));
  EXPECT_THAT(called(store, "base"), testing::IsEmpty());
  EXPECT_EQ(cause_of_failure([&] { store.label(99, {.name = "x"}); }), StoreError::Cause::other);
}

TEST_F(Labels, ComeWithAMergeAndTheLaterOneStays) {
  Store ours = open("ours.db"), theirs = open("theirs.db");
  const SessionId session = fill(ours, gemm_session(), 2);
  fill(theirs, gemm_session(), 2);
  theirs.label(1, {.name = "theirs", .note = "said first"});
  ours.merge(file("theirs.db"));
  EXPECT_EQ(ours.session(session)->name, "theirs");
  advance(std::chrono::hours(1));
  ours.label(session, {.name = "ours"});
  ours.merge(file("theirs.db"));
  EXPECT_EQ(ours.session(session)->name, "ours");
  EXPECT_EQ(ours.session(session)->note, "said first");
  EXPECT_EQ(ours.session(session)->merged_from, "");
  fill(theirs, gemm_session(7), 2);
  ours.merge(file("theirs.db"));
  EXPECT_EQ(ours.find_session(gemm_session(7).key)->merged_from, file("theirs.db").string());
}

TEST_F(Labels, TravelWithADump) {
  Store ours = open("ours.db"), other = open("other.db");
  const SessionId session = fill(ours, gemm_session(), 2);
  ours.label(session, {.name = "baseline", .note = "quiet machine"});
  const std::vector dumps{ours.dump(session)};
  other.merge(dumps, "a.json");
  const SessionRecord taken = other.history({}).at(0);
  EXPECT_EQ(taken.name, "baseline");
  EXPECT_EQ(taken.note, "quiet machine");
  EXPECT_EQ(taken.labelled_at, ours.session(session)->labelled_at);
  EXPECT_EQ(kind_of(taken), SessionKind::imported);
  EXPECT_EQ(kind_of(*ours.session(session)), SessionKind::measured);
}

TEST_F(Labels, RemovedSessionsLeaveNothingAndOlderWinnersCountAgain) {
  Store store = open();
  const SessionId older = fill(store, gemm_session(), 5);
  advance(std::chrono::hours(1));
  SessionRecord record = gemm_session();
  record.key.compiler = "another";
  const SessionId newer = fill(store, record, 2);
  ASSERT_EQ(store.best({}).at(0).session.id, newer);

  const std::vector ids{newer};
  const RemovalReport preview = store.remove(ids, Effect::preview);
  EXPECT_EQ(preview.trials, 2);
  EXPECT_EQ(store.best({}).at(0).session.id, newer);

  const RemovalReport report = store.remove(ids);
  EXPECT_EQ(report.sessions, 1);
  EXPECT_EQ(report.trials, 2);
  EXPECT_EQ(report.winners, 1);
  ASSERT_EQ(store.best({}).size(), 1u);
  EXPECT_EQ(store.best({}).at(0).session.id, older);
  for (const char* table : {"trials", "winners", "winner_ties", "winner_finalists", "outcome_counts"})
    EXPECT_EQ(number(std::string("SELECT count(*) FROM ") + table + " WHERE session_id = " + std::to_string(newer)), 0)
        << table;
  EXPECT_EQ(number("SELECT count(*) FROM checks"), 1);
  if (!address_on_server) {
    EXPECT_EQ(number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
  }
  EXPECT_GT(store.create_session(record), newer);  // its number is not given again
}

TEST_F(Labels, OfSeveralSessionsOneThatIsNotThereKeepsAll) {
  Store store = open();
  const SessionId session = fill(store, gemm_session(), 5);
  const std::vector ids{session, SessionId{99}};
  EXPECT_EQ(cause_of_failure([&] { store.remove(ids); }), StoreError::Cause::other);
  EXPECT_EQ(store.trials(session).size(), 2u);
}

}  // namespace
}  // namespace warptune::db
