#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "db/settled.h"
#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using SessionTest = StoreTest;

TEST_F(SessionTest, AStoreInMemoryLeavesNoFileAndSharesNothing) {
  Store store = Store::open(":memory:", OpenMode::read_write);
  store.create_session(gemm_session());
  EXPECT_EQ(store.history({}).size(), 1u);
  EXPECT_TRUE(Store::open(":memory:", OpenMode::read_write).history({}).empty());
  EXPECT_FALSE(std::filesystem::exists(":memory:"));
}

TEST_F(SessionTest, KeepsEveryFieldAndSetsTimesStateAndCountsItself) {
  Store store = open();
  SessionRecord record = gemm_session();
  record.started_at = "never";
  record.trials = 77;
  const SessionId id = store.create_session(record);
  const SessionRecord back = store.session(id).value();
  EXPECT_EQ(back.id, id);
  EXPECT_EQ(back.key.kernel, "gemm");
  EXPECT_EQ(back.key.device, record.key.device);
  EXPECT_EQ(back.key.compiler, record.key.compiler);
  EXPECT_EQ(back.key.source_hash, record.key.source_hash);
  EXPECT_EQ(back.key.manifest_hash, record.key.manifest_hash);
  EXPECT_EQ(back.key.options, record.key.options);
  EXPECT_EQ(back.key.problem_size, record.key.problem_size);
  EXPECT_EQ(back.key.policy, record.key.policy);
  EXPECT_EQ(back.strategy, "random");
  EXPECT_EQ(back.seed, record.seed);
  EXPECT_EQ(back.objective, "time");
  EXPECT_EQ(back.space_size, record.space_size);
  EXPECT_EQ(back.started_at, "2026-03-14T15:09:26.000Z");
  EXPECT_EQ(back.updated_at, back.started_at);
  EXPECT_EQ(back.state, SessionState::running);
  EXPECT_EQ(back.tool_version, "0.1.0");
  EXPECT_EQ(back.trials, 0);
}

TEST_F(SessionTest, KeepsWhatIsExpectedOfTheOutputsAndTheLatestCounts) {
  Store store = open();
  const SessionId id = store.create_session(gemm_session());
  EXPECT_EQ(store.session(id)->expected, "");
  store.record_expected(id, "[]");
  store.record_expected(id, R"([{"name":"c","one_value":true}])");
  EXPECT_EQ(store.session(id)->expected, R"([{"name":"c","one_value":true}])");
}

TEST_F(SessionTest, IsFoundUnderItsKeyWhateverTheOrderOfSizesAndTheLimits) {
  Store store = open();
  const SessionId id = store.create_session(gemm_session());
  SessionKey key = gemm_session().key;
  std::swap(key.problem_size[0], key.problem_size[1]);
  key.device.limits.clear();
  ASSERT_TRUE(store.find_session(key));
  EXPECT_EQ(store.find_session(key)->id, id);
}

// Imports of other tools' files once stored every value of the problem as a size.
TEST_F(SessionTest, WhatWasStoredAsASizeAndIsNoIntegerComesBackAsAVariant) {
  Store store = open();
  SessionRecord session = gemm_session();
  session.key.problem_size = {{"n0", std::int64_t{64}}, {"n1", "float"}, {"n2", false}, {"n3", std::int64_t{8}}};
  session.key.variants.clear();
  const SessionKey key = store.session(store.create_session(session))->key;
  EXPECT_EQ(search::to_text(key.problem_size), "n0=64,n3=8");
  EXPECT_EQ(search::to_text(key.variants), "n1=float,n2=false");
}

TEST_F(SessionTest, SizesAndVariantsComeBackInTheOrderGivenAndVariantsArePartOfTheKey) {
  Store store = open();
  SessionRecord session = gemm_session();
  session.key.problem_size = {{"M", std::int64_t{8}}, {"N", std::int64_t{9}}, {"K", std::int64_t{7}}};
  session.key.variants = {{"PRECISION", std::string("double")}, {"A_TURNED", true}};
  const SessionId id = store.create_session(session);
  const SessionKey key = store.session(id)->key;
  EXPECT_EQ(key.problem_size, session.key.problem_size);
  EXPECT_EQ(key.variants, session.key.variants);
  EXPECT_EQ(search::to_text(key.problem()), "M=8,N=9,K=7,PRECISION=double,A_TURNED=true");
  std::ranges::reverse(session.key.variants);
  EXPECT_EQ(store.find_session(session.key)->id, id);
  session.key.variants[0].second = false;
  EXPECT_FALSE(store.find_session(session.key));
  EXPECT_NE(store.create_session(session), id);
}

TEST_F(SessionTest, IsNotFoundIfAnyPartOfTheKeyDiffers) {
  Store store = open();
  store.create_session(gemm_session());
  const auto found_after = [&](auto change) {
    SessionKey key = gemm_session().key;
    change(key);
    return store.find_session(key).has_value();
  };
  EXPECT_TRUE(found_after([](SessionKey&) {}));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.kernel = "gemv"; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.device.backend = "host"; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.device.name = "NVIDIA H100"; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.device.memory_gib = 80; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.device.multiprocessors = 66; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.capture = "77aa"; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.restrictions = {"BLOCK == 256"}; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.device.architecture = "sm_100"; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.device.driver = "590.1"; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.compiler = "NVRTC 13.1"; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.source_hash = "x"; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.manifest_hash = "x"; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.options = ""; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.problem_size.pop_back(); }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.problem_size[1].second = std::int64_t{1025}; }));
  EXPECT_FALSE(found_after([](SessionKey& key) { key.policy = "unverified"; }));
}

TEST_F(SessionTest, CreatingTheSameKeyAgainGivesTheFirstSession) {
  Store one = open();
  Store other = open();
  const SessionId first = one.create_session(gemm_session());
  SessionRecord again = gemm_session();
  again.strategy = "annealing";
  EXPECT_EQ(other.create_session(again), first);
  EXPECT_EQ(one.session(first)->strategy, "random");
  EXPECT_EQ(one.history({}).size(), 1u);
}

TEST_F(SessionTest, UpdatedAtFollowsTrialsAndStateChanges) {
  Store store = open();
  const SessionId id = store.create_session(gemm_session());
  advance(std::chrono::seconds(1));
  store.record(id, configuration(1), correct_trial(1));
  EXPECT_EQ(store.session(id)->updated_at, "2026-03-14T15:09:27.000Z");
  advance(std::chrono::minutes(1));
  store.set_session_state(id, SessionState::finished);
  EXPECT_EQ(store.session(id)->updated_at, "2026-03-14T15:10:27.000Z");
  EXPECT_EQ(store.session(id)->state, SessionState::finished);
}

TEST_F(SessionTest, SurvivesClosingTheStore) {
  const SessionId id = open().create_session(gemm_session());
  EXPECT_EQ(open().find_session(gemm_session().key)->id, id);
  EXPECT_FALSE(open().session(id + 1));
}

TEST_F(SessionTest, KeepsItsWinnerWithTiesInOrder) {
  Store store = open();
  const SessionId id = store.create_session(gemm_session());
  EXPECT_FALSE(store.winner(id));
  std::vector<TrialId> trials;
  for (int i = 0; i < 4; ++i) trials.push_back(store.record(id, configuration(i), correct_trial(1 + i)));
  store.set_winner(id, {trials[0], 0.1, 0.01, 2.5, {trials[3], trials[1]}});
  EXPECT_EQ(store.winner(id)->ties, (std::vector{trials[3], trials[1]}));
  EXPECT_EQ(store.winner(id)->default_objective, 2.5);
  store.set_winner(id, {trials[2], 0.3, std::nullopt, std::nullopt, {}});
  const Winner winner = store.winner(id).value();
  EXPECT_EQ(winner.trial, trials[2]);
  EXPECT_EQ(winner.objective, 0.3);
  EXPECT_FALSE(winner.relative_error);
  EXPECT_FALSE(winner.default_objective);
  EXPECT_TRUE(winner.ties.empty());
}

TEST_F(SessionTest, KeepsTheFinalsWithTheWinner) {
  Store store = open();
  const SessionId id = store.create_session(gemm_session());
  const TrialId first = store.record(id, configuration(1), correct_trial(1));
  const TrialId second = store.record(id, configuration(2), correct_trial(2));
  constexpr double unknown = std::numeric_limits<double>::infinity();
  Winner winner{first, 0.9, 0.001, std::nullopt, {}, {}};
  winner.finalists = {{first, 0.9, 0.001, 15, 0, 0, 0}, {second, 1.8, unknown, 1, 1.0, -1.0, unknown}};
  store.set_winner(id, winner);
  const Winner kept = store.winner(id).value();
  ASSERT_EQ(kept.finalists.size(), 2u);
  EXPECT_EQ(kept.finalists[0].visits, 15);
  EXPECT_EQ(kept.finalists[1].trial, second);
  EXPECT_EQ(kept.finalists[1].objective, 1.8);
  EXPECT_EQ(kept.finalists[1].slower_low, -1.0);
  EXPECT_EQ(kept.finalists[1].slower_high, unknown);
  winner.finalists.clear();
  store.set_winner(id, winner);
  EXPECT_TRUE(store.winner(id)->finalists.empty());
}

TEST_F(SessionTest, GcDropsWhatHasNoTrialsButNotWhatMayBeRunning) {
  Store store = open();
  const SessionId full = store.create_session(gemm_session(1));
  store.record(full, configuration(1), correct_trial(1));
  const SessionId interrupted = store.create_session(gemm_session(2));
  store.set_session_state(interrupted, SessionState::interrupted);
  const SessionId abandoned = store.create_session(gemm_session(3));
  advance(std::chrono::hours(25));
  const SessionId running = store.create_session(gemm_session(4));
  EXPECT_EQ(store.gc().sessions_removed, 2);
  EXPECT_TRUE(store.session(full));
  EXPECT_TRUE(store.session(running));
  EXPECT_FALSE(store.session(interrupted));
  EXPECT_FALSE(store.session(abandoned));
  EXPECT_EQ(store.trials(full).size(), 1u);
}

TEST_F(SessionTest, GcGivesSpaceBackAndNeverReusesASessionNumber) {
  Store store = open();
  SessionId last = 0;
  for (std::int64_t m = 0; m < 300; ++m) {
    SessionRecord record = gemm_session(m);
    record.state = SessionState::interrupted;
    record.key.options = std::string(2000, 'x');
    last = store.create_session(record);
  }
  const GcReport report = store.gc();
  EXPECT_EQ(report.sessions_removed, 300);
  if (!address_on_server) {  // a server does that in its own time
    EXPECT_GT(report.bytes_freed, 300 * 2000);
  }
  EXPECT_GT(store.create_session(gemm_session()), last);
}

// The search measured 0.1 and 0.3 ms; side by side the first took 0.2, the third, which is the default, 0.4 ms.
TEST_F(SessionTest, AWinnersSettledTimesAreTheFinals) {
  Store store = open();
  const SessionId id = store.create_session(gemm_session());
  std::vector<TrialId> trials;
  for (const double ms : {0.1, 0.11, 0.3})
    trials.push_back(store.record(id, configuration(std::llround(ms * 100)), correct_trial(ms)));
  Winner winner{.trial = trials[0], .objective = 0.2, .relative_error = 0.001, .default_objective = 0.4};
  winner.default_trial = trials[2];
  winner.finalists = {{trials[0], 0.2, 0.001, 9, 0, 0, 0, 0.2, 0.001, {{"GFLOP/s", 10.0}}},
                      {trials[2], 0.4, 0.002, 9, 1, 0.9, 1.1, 0.4, 0.002, {{"GFLOP/s", 5.0}}}};
  store.set_winner(id, winner);
  const Winner back = store.winner(id).value();
  EXPECT_EQ(back.time_ms, 0.2);
  EXPECT_EQ(back.time_error, 0.001);
  EXPECT_EQ(back.default_time_ms, 0.4);
  EXPECT_EQ(speed_up(back), 2);
  const Settled first = settled(back, store.trials(id).at(0)), second = settled(back, store.trials(id).at(1));
  EXPECT_EQ(first.time_ms, 0.2);
  EXPECT_EQ(first.objective_error, 0.001);
  EXPECT_EQ(first.metrics.at("GFLOP/s"), 10);
  EXPECT_EQ(second.time_ms, 0.11);  // was not in the finals
  EXPECT_EQ(second.time_error, 0.004);
}

TEST_F(SessionTest, AWinnerWithoutFinalsIsTheBestOfAllThatWereCorrect) {
  Store store = open();
  const SessionId id = store.create_session(gemm_session());
  const TrialId fast = store.record(id, configuration(1), correct_trial(0.1));
  const TrialId usual = store.record(id, configuration(2), correct_trial(0.2));
  store.record(id, configuration(3), failed_trial(search::Outcome::compile_error, "no"));
  Winner winner{.trial = fast, .objective = 0.1, .relative_error = 0.004, .default_objective = 0.2};
  winner.default_trial = usual;
  store.set_winner(id, winner);
  EXPECT_EQ(store.winner(id)->chosen_from, 2);
  EXPECT_TRUE(separable_from_default(*store.winner(id)));
  winner.finalists = {{fast, 0.1, 0.001, 9, 0, 0, 0, 0.1, 0.001}};
  store.set_winner(id, winner);
  EXPECT_EQ(store.winner(id)->chosen_from, 1);  // finals share their chance of error themselves
}

TEST_F(SessionTest, ADefaultThatWasCutShortIsKnownByOneSample) {
  Store store = open();
  const SessionId id = store.create_session(gemm_session());
  search::Trial slow = correct_trial(5);
  slow.measurement->cut_short = true;
  slow.measurement->relative_error = 0.1;
  Winner winner{.trial = store.record(id, configuration(1), correct_trial(0.1)), .objective = 0.1};
  winner.default_trial = store.record(id, configuration(2), slow);
  store.set_winner(id, winner);
  EXPECT_FALSE(separable_from_default(*store.winner(id)));
}

TEST(SettledObjectives, AreTheFinalsWhereTheseMeasuredThem) {
  search::Trial trial = correct_trial(0.1);
  trial.objectives = {0.1, -20, 3};
  Winner winner{.trial = 1, .objective = 0.2};
  winner.finalists = {{1, 0.2, 0.001, 9, 0, 0, 0, 0.2, 0.001, {{"GFLOP/s", 10.0}}}};
  SessionRecord session;
  session.objective = "time,GFLOP/s,joules";
  session.maximised = "GFLOP/s";
  EXPECT_EQ(settled_objectives(session, winner, 1, trial), (std::vector<double>{0.2, -10, 3}));
  EXPECT_EQ(settled_objectives(session, winner, 2, trial), trial.objectives);  // was not in the finals
  EXPECT_EQ(settled_objectives(session, std::nullopt, 1, trial), trial.objectives);
  EXPECT_EQ(first_objective(session.objective), "time");

  // Metrics below zero, to be small and to be large.
  session.objective = "time,low,high";
  session.maximised = "high";
  trial.metrics = {{"low", -20.0}, {"high", -3.0}};
  trial.objectives = {0.1, -20, 3};
  winner.finalists.front().metrics = {{"low", -21.0}, {"high", -2.0}};
  EXPECT_EQ(settled_objectives(session, winner, 1, trial), (std::vector<double>{0.2, -21, 2}));
  trial.outcome = search::Outcome::wrong_result;
  EXPECT_TRUE(settled_objectives(session, winner, 1, trial).empty());
}

TEST_F(SessionTest, ListsTheWinnerAndTheFinalistsBeforeLuckierTrialsOfTheSearch) {
  Store store = open();
  const SessionId id = store.create_session(gemm_session());
  const TrialId lucky = store.record(id, configuration(1), correct_trial(0.15));
  const TrialId second = store.record(id, configuration(2), correct_trial(0.14));
  const TrialId best = store.record(id, configuration(3), correct_trial(0.145));
  const TrialId start = store.record(id, configuration(4), correct_trial(0.9));
  Winner winner{.trial = best, .objective = 0.2, .default_objective = 0.8};
  winner.default_trial = start;
  winner.finalists = {{best, 0.2, 0, 9}, {second, 0.21, 0, 9}, {start, 0.8, 0, 9}};
  store.set_winner(id, winner);
  std::vector<TrialId> order;
  for (const StoredTrial& trial : store.best_trials(id, 9)) order.push_back(trial.id);
  EXPECT_EQ(order, (std::vector<TrialId>{best, second, lucky, start}));
}

}  // namespace
}  // namespace warptune::db
