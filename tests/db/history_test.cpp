// Lists: filters, order, pages, and the newest winners.
#include <gmock/gmock.h>

#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class History : public StoreTest {
 protected:
  // Sessions a day apart: 14, 15, 16 and 17 March.
  History() {
    gemm = add(gemm_session(1024));
    small_gemm = add(gemm_session(64));
    SessionRecord host = gemm_session(1024);
    host.key.device = {"host", "AMD EPYC", "x86_64", "", {}};
    host_gemm = add(host);
    search::Trial wrong = failed_trial(search::Outcome::wrong_result, "");
    wrong.device_uuid = "CPU-0";
    store.record(host_gemm, configuration(3), wrong);
    SessionRecord other = gemm_session(1024);
    other.key.kernel = "transpose";
    other.key.device.driver = "590.10";
    transpose = add(other);
    store.record(gemm, configuration(1), correct_trial(2));
    store.record(gemm, configuration(2), failed_trial(search::Outcome::timeout, "slow"));
    store.record(transpose, configuration(1), failed_trial(search::Outcome::timeout, "slow"));
    store.set_session_state(transpose, SessionState::finished);
  }

  SessionId add(const SessionRecord& session) {
    const SessionId id = store.create_session(session);
    advance(std::chrono::hours(24));
    return id;
  }

  std::vector<SessionId> ids(const HistoryFilter& filter) {
    std::vector<SessionId> result;
    for (const SessionRecord& session : store.history(filter)) result.push_back(session.id);
    return result;
  }

  void decide(SessionId session, double objective) {
    const TrialId trial = store.record(session, configuration(1), correct_trial(objective));
    store.set_winner(session, {trial, objective, 0.01, 10.0, {}});
  }

  Store store = open();
  SessionId gemm, small_gemm, host_gemm, transpose;
};

TEST_F(History, ListsEverythingNewestFirst) {
  EXPECT_THAT(ids({}), ElementsAre(transpose, host_gemm, small_gemm, gemm));
}

TEST_F(History, CountsTrials) {
  const SessionRecord session = store.history({.kernel = "gemm", .outcome = search::Outcome::timeout}).at(0);
  EXPECT_EQ(session.trials, 2);
  EXPECT_EQ(session.correct_trials, 1);
}

TEST_F(History, FiltersByEachField) {
  EXPECT_THAT(ids({.kernel = "transpose"}), ElementsAre(transpose));
  EXPECT_THAT(ids({.device = "EPYC"}), ElementsAre(host_gemm));
  EXPECT_THAT(ids({.device = "CPU-0"}), ElementsAre(host_gemm));
  EXPECT_THAT(ids({.device = "CPU"}), IsEmpty());  // a UUID only as a whole
  EXPECT_THAT(ids({.device = "%"}), IsEmpty());    // no wildcards
  EXPECT_THAT(ids({.backend = "host"}), ElementsAre(host_gemm));
  EXPECT_THAT(ids({.driver = "590.10"}), ElementsAre(transpose));
  EXPECT_THAT(ids({.state = SessionState::finished}), ElementsAre(transpose));
}

TEST_F(History, FiltersByVariantsOfWhateverType) {
  SessionRecord session = gemm_session(4711);
  session.key.variants = {{"PRECISION", std::string("double")}, {"TURNED", true}, {"STRIDE", std::int64_t{2}}};
  const SessionId id = store.create_session(session);
  for (const auto& [name, value] : {std::pair("PRECISION", "double"), {"TURNED", "true"}, {"STRIDE", "2"}})
    EXPECT_THAT(ids({.variants = {{name, std::string(value)}}}), ElementsAre(id)) << name;
  EXPECT_THAT(ids({.variants = {{"TURNED", std::string("1")}}}), IsEmpty());
  EXPECT_THAT(ids({.variants = {{"PRECISION", std::string("float")}}}), IsEmpty());
}

TEST_F(History, FiltersByProblemSizeByValue) {
  EXPECT_THAT(ids({.problem_size = {{"M", std::int64_t{64}}}}), ElementsAre(small_gemm));
  EXPECT_THAT(ids({.problem_size = {{"M", 64.0}}}), ElementsAre(small_gemm));
  EXPECT_THAT(ids({.problem_size = {{"M", std::int64_t{64}}, {"K", std::int64_t{512}}}}), ElementsAre(small_gemm));
  EXPECT_THAT(ids({.problem_size = {{"M", std::int64_t{64}}, {"K", std::int64_t{1}}}}), IsEmpty());
  EXPECT_THAT(ids({.problem_size = {{"M", "64"}}}), IsEmpty());
  EXPECT_THAT(ids({.problem_size = {{"no'such\"size", std::int64_t{64}}}}), IsEmpty());
}

TEST_F(History, FiltersByDateInclusively) {
  EXPECT_THAT(ids({.since = "2026-03-16"}), ElementsAre(transpose, host_gemm));
  EXPECT_THAT(ids({.until = "2026-03-15"}), ElementsAre(small_gemm, gemm));
  EXPECT_THAT(ids({.since = "2026-03-15", .until = "2026-03-15T15:09:26.000Z"}), ElementsAre(small_gemm));
  EXPECT_THAT(ids({.until = "2026-03"}), testing::SizeIs(4));
}

TEST_F(History, FiltersByOutcomeThatSomeTrialHas) {
  EXPECT_THAT(ids({.outcome = search::Outcome::timeout}), ElementsAre(transpose, gemm));
  EXPECT_THAT(ids({.outcome = search::Outcome::correct}), ElementsAre(gemm));
  store.record(transpose, configuration(1), correct_trial(1));  // the only timeout there is replaced
  EXPECT_THAT(ids({.outcome = search::Outcome::timeout}), ElementsAre(gemm));
}

TEST_F(History, SortsByEachOrder) {
  EXPECT_THAT(ids({.sort = HistorySort::oldest}), ElementsAre(gemm, small_gemm, host_gemm, transpose));
  EXPECT_THAT(ids({.sort = HistorySort::kernel}), ElementsAre(host_gemm, small_gemm, gemm, transpose));
  EXPECT_THAT(ids({.sort = HistorySort::device}), ElementsAre(host_gemm, transpose, small_gemm, gemm));
  EXPECT_THAT(ids({.sort = HistorySort::trials}), ElementsAre(gemm, transpose, host_gemm, small_gemm));
  advance(std::chrono::seconds(1));
  store.set_session_state(small_gemm, SessionState::finished);
  EXPECT_EQ(ids({.sort = HistorySort::updated}).front(), small_gemm);
}

TEST_F(History, PagesWithoutGapOrOverlap) {
  EXPECT_THAT(ids({.limit = 2}), ElementsAre(transpose, host_gemm));
  EXPECT_THAT(ids({.limit = 2, .offset = 2}), ElementsAre(small_gemm, gemm));
  EXPECT_THAT(ids({.limit = 2, .offset = 4}), IsEmpty());
  EXPECT_THAT(ids({.offset = 3}), ElementsAre(gemm));
}

TEST_F(History, ADevicesWholeNameGoesBeforeAPartOfOthersInAnyCase) {
  SessionRecord longer = gemm_session(1024);
  longer.key.device = {"host", "AMD EPYC as sm_90", "sm_90", "", {}};
  const SessionId other = add(longer);
  EXPECT_THAT(ids({.device = "AMD EPYC"}), ElementsAre(host_gemm));
  EXPECT_THAT(ids({.device = "amd epyc"}), ElementsAre(host_gemm));
  EXPECT_THAT(ids({.device = "epyc"}), ElementsAre(other, host_gemm));
  EXPECT_THAT(ids({.device = "AS SM"}), ElementsAre(other));
}

TEST_F(History, BestIsOneOfEachRecordedCallIfAskedFor) {
  SessionRecord captured = gemm_session(64);
  captured.key.capture = "c0ffee";
  const SessionId on_call = add(captured);
  decide(small_gemm, 2.0);
  advance(std::chrono::hours(1));
  decide(on_call, 1.0);
  const auto sessions = [&](bool each) {
    std::vector<SessionId> found;
    for (const BestRecord& best : store.best({.kernel = "gemm", .each_question = each}))
      found.push_back(best.session.id);
    return found;
  };
  EXPECT_THAT(sessions(false), ElementsAre(on_call));
  EXPECT_THAT(sessions(true), UnorderedElementsAre(on_call, small_gemm));
}

TEST_F(History, BestIsTheNewestWinnerOfEachDeviceAndSize) {
  SessionRecord newer = gemm_session(1024);
  newer.key.device.driver = "600.1";  // the same card after an update
  const SessionId newer_gemm = add(newer);
  for (const SessionId session : {gemm, small_gemm, host_gemm, newer_gemm})
    decide(session, 1.0 / static_cast<double>(session));
  std::vector<SessionId> sessions;
  for (const BestRecord& best : store.best({.kernel = "gemm"})) sessions.push_back(best.session.id);
  EXPECT_THAT(sessions, UnorderedElementsAre(newer_gemm, host_gemm, small_gemm));
}

TEST_F(History, BestIsTheWinnerThatWasDecidedLastHoweverLongAgoItsSessionBegan) {
  SessionRecord newer = gemm_session(1024);
  newer.key.policy = "another";
  const SessionId newer_gemm = add(newer);
  decide(newer_gemm, 9.0);
  advance(std::chrono::hours(1));
  decide(gemm, 1.0);  // tuned further
  std::vector<SessionId> sessions;
  for (const BestRecord& best : store.best({.kernel = "gemm"})) sessions.push_back(best.session.id);
  EXPECT_THAT(sessions, ElementsAre(gemm));
}

TEST_F(History, AFasterSessionDiffersInItsRestrictionsAlone) {
  SessionRecord restricted = gemm_session(1024), other = restricted;
  restricted.key.restrictions = {"BLOCK == 64"};
  other.key.policy = "another";
  const SessionId part = add(restricted), cold = add(other);
  decide(gemm, 2.0);
  decide(cold, 1.0);
  decide(part, 3.0);
  EXPECT_EQ(store.faster_session(part), gemm);
  EXPECT_EQ(store.faster_session(gemm), std::nullopt);
  EXPECT_EQ(store.faster_session(cold), std::nullopt);
  EXPECT_EQ(store.faster_session(small_gemm), std::nullopt);  // without a winner
}

TEST_F(History, BestBringsSessionWinnerAndTrial) {
  decide(small_gemm, 0.25);
  const std::vector<BestRecord> best = store.best({.device = "GPU-12ab", .problem_size = {{"M", std::int64_t{64}}}});
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].session.key.problem_size, gemm_session(64).key.problem_size);
  EXPECT_EQ(best[0].winner.objective, 0.25);
  EXPECT_EQ(best[0].trial.id, best[0].winner.trial);
  EXPECT_EQ(best[0].trial.values, configuration(1));
}

TEST_F(History, BestLeavesOutSessionsWithoutAWinner) {
  EXPECT_THAT(store.best({}), IsEmpty());
}

TEST_F(History, SearchesNamesNotesKernelsAndDevicesAsTheyAreWritten) {
  store.label(small_gemm, {"100%_sure", std::nullopt});
  store.label(host_gemm, {std::nullopt, "before the New driver"});
  const auto found = [&](const std::string& text) {
    HistoryFilter filter;
    filter.text = text;
    return ids(filter);
  };
  EXPECT_THAT(found("0%_S"), ElementsAre(small_gemm));
  EXPECT_THAT(found("1%"), IsEmpty());  // no pattern
  EXPECT_THAT(found("new DRIVER"), ElementsAre(host_gemm));
  EXPECT_THAT(found("transp"), ElementsAre(transpose));
  EXPECT_THAT(found("epyc"), ElementsAre(host_gemm));
}

TEST_F(History, FindsSessionsThatWereCheckedAndTheirChecks) {
  decide(gemm, 2);
  const TrialId trial = store.winner(gemm)->trial;
  store.record_check({trial, "2026-03-20T00:00:00.000Z", search::Outcome::correct, 2.5, 0.01, 2.0});
  store.record_check({trial, "2026-03-19T00:00:00.000Z", search::Outcome::correct, 2.1, 0.01, 2.0});
  HistoryFilter filter;
  filter.checked = true;
  EXPECT_THAT(ids(filter), ElementsAre(gemm));
  const auto checks = store.checks_by_session();
  ASSERT_EQ(checks.size(), 1U);
  ASSERT_EQ(checks.at(gemm).size(), 2U);
  EXPECT_EQ(checks.at(gemm).front().objective, 2.1);
  EXPECT_EQ(store.checks_by_session("2026-03-20").at(gemm).size(), 1U);
}

TEST_F(History, SaysWhatAStoreIsAbout) {
  const StoreSummary summary = store.summary();
  EXPECT_THAT(summary.kernels, ElementsAre("gemm", "transpose"));
  EXPECT_THAT(summary.devices, testing::Contains("AMD EPYC"));
  EXPECT_EQ(summary.sessions, 4);
  EXPECT_EQ(summary.trials, 4);
  EXPECT_EQ(summary.winners, 0);
}

}  // namespace
}  // namespace warptune::db
