// What goes into the store comes out: every field, every type, every bit.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>

#include "db/tables/json.h"
#include "search/random.h"
#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::uint64_t> bits(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> result;
  for (const double number : numbers) result.push_back(std::bit_cast<std::uint64_t>(number));
  return result;
}

TEST(StoreJson, KeepsTypesApart) {
  const search::NamedValues values = {{"flag", true},         {"one", std::int64_t{1}},
                                      {"one_real", 1.0},      {"text", "1"},
                                      {"empty", ""},          {"quoted", "a\"b\\c\n\u00e9"},
                                      {"least", INT64_MIN},   {"most", INT64_MAX},
                                      {"no", false},          {"big_real", 1e300},
                                      {"exact", 0.1},         {"minus_zero", -0.0},
                                      {"endless", infinity},  {"other_end", -infinity},
                                      {"z", std::int64_t{0}}, {"a", std::int64_t{-7}},
                                      {"subnormal", 5e-324},  {"integral_real", 9007199254740993.0}};
  const search::NamedValues back = values_from_json(to_json(values));
  EXPECT_EQ(back, values);
  EXPECT_TRUE(std::signbit(std::get<double>(*search::find_value(back, "minus_zero"))));
}

TEST(StoreJson, KeepsDoublesBitExact) {
  std::vector<double> numbers = {0.0, -0.0, infinity, -infinity, 5e-324, std::numeric_limits<double>::max(), 1.0 / 3};
  search::Rng rng(7);
  while (numbers.size() < 2000) {
    const auto number = std::bit_cast<double>(rng.next());
    if (std::isfinite(number)) numbers.push_back(number);
  }
  EXPECT_EQ(bits(numbers_from_json(to_json(numbers))), bits(numbers));
  EXPECT_TRUE(std::isnan(numbers_from_json(to_json(std::vector{std::nan("")})).front()));
}

TEST(StoreJson, SortedFormDoesNotDependOnTheOrder) {
  EXPECT_EQ(to_sorted_json({{"N", std::int64_t{2}}, {"M", 1.5}}), to_sorted_json({{"M", 1.5}, {"N", std::int64_t{2}}}));
}

using TrialRoundTrip = StoreTest;

TEST_F(TrialRoundTrip, KeepsEveryFieldOfACorrectTrial) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  search::Trial trial = correct_trial(1.0 / 3);
  trial.measurement->samples_ms = {1.0 / 3, 0.1 + 0.2, 5e-324, 1e300, -0.0};
  trial.measurement->cut_short = true;
  trial.objectives = {-1.0 / 3, 2.0, -0.0};
  trial.metrics = {{"GB/s", 1.0 / 7}, {"with \"quotes\"", infinity}};
  const TrialId id = store.record(session, configuration(64), trial);
  const std::vector<StoredTrial> back = store.trials(session);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].id, id);
  EXPECT_EQ(back[0].session, session);
  EXPECT_EQ(back[0].values, configuration(64));
  EXPECT_EQ(back[0].recorded_at, "2026-03-14T15:09:26.000Z");
  const search::Trial& read = back[0].trial;
  EXPECT_TRUE(read.correct());
  EXPECT_EQ(bits(read.measurement->samples_ms), bits(trial.measurement->samples_ms));
  EXPECT_EQ(read.measurement->median_ms, 1.0 / 3);
  EXPECT_EQ(read.measurement->relative_error, 0.004);
  EXPECT_TRUE(read.measurement->cut_short);
  EXPECT_EQ(bits(read.objectives), bits(trial.objectives));
  EXPECT_EQ(read.metrics, trial.metrics);
  EXPECT_EQ(read.phases.compile_ms, 210.5);
  EXPECT_EQ(read.phases.verify_ms, 3.25);
  EXPECT_EQ(read.phases.measure_ms, 40.0);
  EXPECT_EQ(read.phases.framework_ms, 0.125);
  EXPECT_EQ(read.message, "");
}

TEST_F(TrialRoundTrip, KeepsDeviceEnergyConditionsAndDiscardedSamples) {
  search::Trial trial = correct_trial(2);
  trial.measurement->joules = 0.125;
  trial.measurement->state = {1755.0, 512.5, std::nullopt};
  trial.measurement->discarded_samples = 6;
  trial.device_uuid = "GPU-b";
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  store.record(session, configuration(64), trial);
  EXPECT_EQ(store.trials(session).at(0).trial.device_uuid, "GPU-b");
  const search::Measurement kept = store.trials(session).at(0).trial.measurement.value();
  EXPECT_EQ(kept.joules, 0.125);
  EXPECT_EQ(kept.state.clock_mhz, 1755.0);
  EXPECT_EQ(kept.state.power_w, 512.5);
  EXPECT_FALSE(kept.state.temperature_c);
  EXPECT_EQ(kept.discarded_samples, 6);
}

TEST_F(TrialRoundTrip, KeepsLaunchesAndStatedWork) {
  search::Trial trial = correct_trial(2);
  trial.launches = {
      {"scan<float>", {64, 2, 1}, {256, 1, 1}, 3, {40, 16, 0, 4096, 256, 0.75}, {{"cluster_x", 2}, {"priority", -1}}},
      {"add \"quoted\"", {1, 1, 1}, {32, 4, 2}, 1, {}}};
  trial.work = {1e18 / 3, 12.5, "tensor_bf16"};
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  store.record(session, configuration(64), trial);
  store.record(session, configuration(32), correct_trial(3));
  EXPECT_EQ(store.trials(session).at(0).trial.launches, trial.launches);
  EXPECT_EQ(store.trials(session).at(0).trial.work, trial.work);
  EXPECT_TRUE(store.trials(session).at(1).trial.launches.empty());
  EXPECT_EQ(store.trials(session).at(1).trial.work, search::Work{});
}

TEST_F(TrialRoundTrip, KeepsBitsAndThatThereAreNone) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  search::Trial same = correct_trial(2), varying = correct_trial(3);
  same.bits = search::OutputBits{"00000000000000aa", "00000000000000bb"};
  varying.bits = search::OutputBits{"00000000000000aa", ""};
  store.record(session, configuration(64), same);
  store.record(session, configuration(32), varying);
  store.record(session, configuration(16), correct_trial(4));
  EXPECT_EQ(store.trials(session).at(0).trial.bits, same.bits);
  EXPECT_EQ(store.trials(session).at(1).trial.bits, varying.bits);
  EXPECT_FALSE(store.trials(session).at(2).trial.bits);
}

TEST_F(TrialRoundTrip, AnInfiniteObjectiveIsKeptAndIsNoneOfTheBest) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  search::Trial out = correct_trial(1);
  out.objectives = {std::numeric_limits<double>::infinity()};
  store.record(session, configuration(64), out);
  store.record(session, configuration(32), correct_trial(2));
  EXPECT_EQ(store.trials(session).at(0).trial.objectives, out.objectives);
  ASSERT_EQ(store.best_trials(session, 5).size(), 1u);
  EXPECT_EQ(store.best_trials(session, 5).front().values, configuration(32));
}

TEST_F(TrialRoundTrip, KeepsCountersThatComeAfterTheTrial) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  const TrialId id = store.record(session, configuration(64), correct_trial(2));
  EXPECT_FALSE(store.trial(id)->trial.counters);
  const search::Counters counters{
      {{"dram_bytes", 1.0 / 3}}, {{"a<\"b\">", {{"dram_bytes", 0.25}, {"warps", 2.0}}}}, {"pipe_fp64"}, ""};
  store.record_counters(id, counters, {{"reuse", 4.0}});
  EXPECT_EQ(store.trial(id)->trial.counters, counters);
  EXPECT_EQ(store.trial(id)->trial.metrics, (std::map<std::string, double>{{"reuse", 4.0}}));
  EXPECT_EQ(store.trials(session).at(0).trial.measurement->median_ms, correct_trial(2).measurement->median_ms);
  const search::Counters none{{}, {}, {}, "no permission: \xff"};
  store.record_counters(id, none, {});
  EXPECT_EQ(store.trial(id)->trial.counters->failure, "no permission: \xef\xbf\xbd");
}

TEST_F(TrialRoundTrip, KeepsResources) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  search::Trial trial = correct_trial(1);
  trial.resources = search::ResourceUse{255, 1, 2, 3'000'000'000, 1024, 0.1};
  store.record(session, configuration(1), trial);
  const search::ResourceUse use = store.trials(session).front().trial.resources.value();
  EXPECT_EQ(use.registers_per_thread, 255);
  EXPECT_EQ(use.local_bytes_per_thread, 1);
  EXPECT_EQ(use.static_shared_bytes, 2);
  EXPECT_EQ(use.dynamic_shared_bytes, 3'000'000'000);
  EXPECT_EQ(use.threads_per_block, 1024);
  EXPECT_EQ(use.occupancy, 0.1);
}

TEST_F(TrialRoundTrip, KeepsEveryOutcomeWithItsMessageAndNothingElse) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  std::int64_t block = 0;
  for (const search::Outcome outcome : search::all_outcomes())
    store.record(session, configuration(++block), failed_trial(outcome, "line 1\nline 2: \xff not UTF-8, 'quoted'"));
  const std::vector<StoredTrial> back = store.trials(session);
  ASSERT_EQ(back.size(), search::all_outcomes().size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].trial.outcome, search::all_outcomes()[i]);
    EXPECT_EQ(back[i].trial.message, "line 1\nline 2: \xef\xbf\xbd not UTF-8, 'quoted'");
    EXPECT_FALSE(back[i].trial.measurement);
    EXPECT_FALSE(back[i].trial.resources);
    EXPECT_TRUE(back[i].trial.objectives.empty());
  }
}

TEST_F(TrialRoundTrip, AMeasurementWithoutSamplesOrWithNanIsStillOne) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  search::Trial trial = correct_trial(1);
  trial.measurement = search::Measurement{{}, 2.5, std::nan(""), false};
  store.record(session, configuration(1), trial);
  const auto measurement = store.trials(session).front().trial.measurement;
  ASSERT_TRUE(measurement);
  EXPECT_TRUE(measurement->samples_ms.empty());
  EXPECT_EQ(measurement->median_ms, 2.5);
  EXPECT_TRUE(std::isnan(measurement->relative_error));
}

TEST_F(TrialRoundTrip, ALaterTrialOfAConfigurationReplacesTheEarlierAndKeepsItsId) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  const TrialId first = store.record(session, configuration(32), failed_trial(search::Outcome::timeout, "too slow"));
  store.record(session, configuration(64), correct_trial(2));
  EXPECT_EQ(store.session(session)->correct_trials, 1);
  EXPECT_EQ(store.record(session, configuration(32), correct_trial(1)), first);
  const std::vector<StoredTrial> back = store.trials(session);
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].trial.objectives, std::vector{1.0});
  EXPECT_EQ(back[0].trial.message, "");
  EXPECT_EQ(store.session(session)->trials, 2);
  EXPECT_EQ(store.session(session)->correct_trials, 2);
}

TEST_F(TrialRoundTrip, ValuesOfDifferentTypeAreDifferentConfigurations) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  store.record(session, {{"X", std::int64_t{1}}}, correct_trial(1));
  store.record(session, {{"X", 1.0}}, correct_trial(2));
  store.record(session, {{"X", true}}, correct_trial(3));
  store.record(session, {{"X", "1"}}, correct_trial(4));
  EXPECT_EQ(store.trials(session).size(), 4u);
}

TEST_F(TrialRoundTrip, ABatchIsStoredWholeAndKeepsTheDatesItBrings) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  std::vector<StoredTrial> batch(3);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i].values = configuration(static_cast<std::int64_t>(i));
    batch[i].trial = correct_trial(3.0 - static_cast<double>(i));
  }
  batch[1].recorded_at = "2020-02-02T00:00:00.000Z";
  const std::vector<TrialId> ids = store.record_batch(session, batch);
  const std::vector<StoredTrial> back = store.trials(session);
  ASSERT_EQ(back.size(), 3u);
  EXPECT_THAT(ids, ElementsAre(back[0].id, back[1].id, back[2].id));
  EXPECT_EQ(back[0].recorded_at, "2026-03-14T15:09:26.000Z");
  EXPECT_EQ(back[1].recorded_at, "2020-02-02T00:00:00.000Z");
}

TEST_F(TrialRoundTrip, ABatchWithOneBadTrialLeavesNothing) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  std::vector<StoredTrial> batch(2);
  batch[0].values = configuration(1);
  batch[1].values = {{"NAME", "\xff"}};
  EXPECT_EQ(cause_of_failure([&] { store.record_batch(session, batch); }), StoreError::Cause::other);
  EXPECT_THAT(message_, testing::HasSubstr("not valid UTF-8"));
  EXPECT_TRUE(store.trials(session).empty());
  store.record(session, configuration(1), correct_trial(1));
  EXPECT_EQ(store.trials(session).size(), 1u);
}

TEST_F(TrialRoundTrip, LastWordsThatAreNoTextAreStoredAsText) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  store.record(session, configuration(1), failed_trial(search::Outcome::crash, "segfault \xff\xc3 at \xc2\xb5"));
  EXPECT_EQ(store.trials(session).at(0).trial.message, "segfault \xef\xbf\xbd\xef\xbf\xbd at \xc2\xb5");
}

TEST_F(TrialRoundTrip, BestTrialsAreTheCorrectOnesInOrderOfTheirObjective) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  for (const double ms : {3.0, 1.0, 2.0})
    store.record(session, configuration(static_cast<std::int64_t>(ms)), correct_trial(ms));
  store.record(session, configuration(9), failed_trial(search::Outcome::wrong_result, "expected 1, got 2"));
  const std::vector<StoredTrial> best = store.best_trials(session, 2);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].trial.objectives, std::vector{1.0});
  EXPECT_EQ(best[1].trial.objectives, std::vector{2.0});
}

TEST_F(TrialRoundTrip, ATrialOfAnUnknownSessionIsRefused) {
  Store store = open();
  EXPECT_EQ(cause_of_failure([&] { store.record(42, configuration(1), correct_trial(1)); }), StoreError::Cause::other);
  EXPECT_THAT(message_, testing::HasSubstr(address_on_server ? "SQLSTATE 23503" : "SQLITE_CONSTRAINT_FOREIGNKEY"));
}

}  // namespace
}  // namespace warptune::db
