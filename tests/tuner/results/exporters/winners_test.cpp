#include "tuner/results/exporters/winners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::tuner {
namespace {

db::BestRecord winner(db::SessionId session, std::int64_t n, const search::NamedValues& values,
                      const std::string& date) {
  db::BestRecord best;
  best.session.id = session;
  best.session.key.device = {"cuda", "NVIDIA H200", "sm_90", "580", {}};
  best.session.key.problem_size = {{"n", n}};
  best.trial.values = values;
  best.trial.recorded_at = date;
  best.trial.trial.measurement = search::Measurement{{2}, 2, 0.01, false};
  best.trial.trial.objectives = {2};
  best.winner = {1, 2, 0.01, 3.0, {}};
  return best;
}

TEST(WisdomOfWinners, KeepsWhatAChoiceAndAReaderNeed) {
  std::vector<db::SessionId> left_out;
  const Wisdom wisdom =
      wisdom_of("k", {winner(4, 10, {{"B", std::int64_t{1}}}, "2026-01-01")}, {{"B", std::int64_t{2}}}, left_out);
  ASSERT_EQ(wisdom.entries.size(), 1u);
  EXPECT_EQ(wisdom.entries[0].compute_capability, 90);
  EXPECT_EQ(wisdom.entries[0].time_ms, 2);
  EXPECT_EQ(wisdom.entries[0].gain, 1.5);
  EXPECT_EQ(wisdom.entries[0].provenance.session, 4);
  EXPECT_TRUE(left_out.empty());
}

TEST(WisdomOfWinners, KnowsWhatLaunchesSayBeyondTheirGeometry) {
  db::BestRecord best = winner(1, 10, {{"B", std::int64_t{1}}}, "2026-01-01");
  best.trial.trial.launches = {{"first", {1, 1, 1}, {32, 1, 1}},
                               {"second", {1, 1, 1}, {32, 1, 1}, 1, {}, {{"carveout", 50}}},
                               {"second", {1, 1, 1}, {32, 1, 1}, 9, {}, {{"carveout", 50}, {"programmatic", 1}}}};
  best.default_trial = best.trial;
  best.default_trial->trial.launches = {{"first", {1, 1, 1}, {32, 1, 1}, 1, {}, {{"cluster_x", 4}}}};
  std::vector<db::SessionId> left_out;
  const Wisdom wisdom = wisdom_of("k", {best}, {}, left_out);
  EXPECT_EQ(wisdom.entries.at(0).launch_attributes,
            (AttributesByKernel{{"second", {{"carveout", 50}, {"programmatic", 1}}}}));
  EXPECT_EQ(wisdom.default_launch_attributes, (AttributesByKernel{{"first", {{"cluster_x", 4}}}}));
}

// It was imported later, and its tool gave the sizes other names.
TEST(WisdomOfWinners, ARecordingDoesNotDecideOverWhatWasMeasured) {
  const db::BestRecord own = winner(1, 10, {{"B", std::int64_t{1}}}, "2026-01-01");
  db::BestRecord recording = winner(2, 10, {{"B", std::int64_t{1}}}, "2026-02-01");
  recording.session.key.device.backend = "replay";
  recording.session.key.problem_size = {{"size_0", std::int64_t{10}}};
  std::vector<db::SessionId> left_out;
  const Wisdom wisdom = wisdom_of("k", {own, recording}, {}, left_out);
  ASSERT_EQ(wisdom.entries.size(), 1u);
  EXPECT_EQ(wisdom.entries[0].provenance.session, 1);
  EXPECT_EQ(left_out, std::vector<db::SessionId>{2});
}

TEST(WisdomOfWinners, ATieWithTheDefaultIsNotSeparable) {
  db::BestRecord best = winner(1, 10, {{"B", std::int64_t{1}}}, "2026-01-01");
  best.winner.default_trial = 2;
  std::vector<db::SessionId> left_out;
  EXPECT_TRUE(wisdom_of("k", {best}, {}, left_out).entries.at(0).separable);
  best.winner.ties = {2};
  EXPECT_FALSE(wisdom_of("k", {best}, {}, left_out).entries.at(0).separable);
}

TEST(WisdomOfWinners, AMaximisedObjectiveGainsInItsOwnSense) {
  db::BestRecord best = winner(1, 10, {{"B", std::int64_t{1}}}, "2026-01-01");
  best.winner.objective = -300;
  best.winner.default_objective = -200;
  std::vector<db::SessionId> left_out;
  EXPECT_EQ(wisdom_of("k", {best}, {}, left_out).entries.at(0).gain, 1.5);
}

// The search's lucky 0.0311 ms, which the finals could not repeat.
TEST(WisdomOfWinners, ShowsTheFinalsTimeWithItsErrorAndItsGainNotTheSearchsSample) {
  db::BestRecord best = winner(1, 10, {{"B", std::int64_t{1}}}, "2026-01-01");
  best.trial.id = 1;
  best.trial.trial.measurement = search::Measurement{{0.0311}, 0.0311, 0.01, false};
  best.trial.trial.objectives = {0.0311};
  best.trial.trial.metrics = {{"GB/s", 1000.0}, {"joules", 3.0}};
  best.winner = {1, 0.0551, 0.002, 0.1102, {}};
  best.winner.finalists = {{1, 0.0551, 0.002, 9, 0, 0, 0, 0.0551, 0.002, {{"GB/s", 564.0}}}};
  std::vector<db::SessionId> left_out;
  const WisdomEntry entry = wisdom_of("k", {best}, {}, left_out).entries.at(0);
  EXPECT_EQ(entry.time_ms, 0.0551);
  EXPECT_EQ(entry.relative_error, 0.002);
  EXPECT_EQ(entry.gain, 2);
  EXPECT_EQ(entry.metrics.at("GB/s"), 564);
  EXPECT_EQ(entry.metrics.at("joules"), 3);  // the finals do not measure energy
}

TEST(WisdomOfWinners, LeavesOutOtherVersionsOfTheTemplate) {
  const std::vector<db::BestRecord> winners = {winner(1, 10, {{"OLD", std::int64_t{1}}}, "2026-01-01"),
                                               winner(2, 20, {{"NEW", std::int64_t{1}}}, "2026-01-02")};
  std::vector<db::SessionId> left_out;
  EXPECT_EQ(wisdom_of("k", winners, {}, left_out).entries.size(), 1u);
  EXPECT_THAT(left_out, testing::ElementsAre(1));
  left_out.clear();
  wisdom_of("k", winners, {{"OLD", std::int64_t{1}}}, left_out);
  EXPECT_THAT(left_out, testing::ElementsAre(2));
}

TEST(WisdomOfWinners, OfOneDeviceModelAndSizeTheNewestStays) {
  std::vector<db::SessionId> left_out;
  const Wisdom wisdom = wisdom_of(
      "k",
      {winner(1, 10, {{"B", std::int64_t{1}}}, "2026-01-01"), winner(2, 10, {{"B", std::int64_t{2}}}, "2026-01-02")},
      {}, left_out);
  ASSERT_EQ(wisdom.entries.size(), 1u);
  EXPECT_EQ(wisdom.entries[0].provenance.session, 2);
}

}  // namespace
}  // namespace warptune::tuner
