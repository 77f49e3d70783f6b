#include "tuner/session/replay/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/tuner/device/backends/replay/small_recording.h"

namespace warptune::tuner::replay {
namespace {

using testing::ElementsAre;

TEST(Recording, HoldsEveryRecordedConfigurationFailedOnesIncluded) {
  const Recording recording(recorded_space({{8, 3, 1}, {2, -1, 5}, {4, 1, 1}}), "small");
  EXPECT_EQ(recording.size(), 3u);
  EXPECT_TRUE(recording.space().size() == 3);
  EXPECT_EQ(recording.trial(1).outcome, search::Outcome::compile_error);
  for (std::size_t i = 0; i < recording.size(); ++i) {
    EXPECT_EQ(recording.trial(i).configuration, recording.space().at(i));
    EXPECT_EQ(recording.find(recording.space().at(i)), &recording.trial(i));
  }
  EXPECT_EQ(search::to_text(recording.space().values(recording.trial(0).configuration)), "x=8");
}

TEST(Recording, TakesTheLastOfSeveralRecordsOfOneConfiguration) {
  const Recording recording(recorded_space({{8, 3, 1}, {4, 1, 1}, {8, 2, 1}}), "small");
  EXPECT_EQ(recording.size(), 2u);
  EXPECT_THAT(recording.trial(0).objectives, ElementsAre(2));
}

TEST(Recording, AcceptsValuesThatTheFilesDomainLacksAndDomainsThatRepeat) {
  db::RecordedSpace recorded = recorded_space({{8, 3, 1}, {4, 1, 1}});
  recorded.parameters[0].values = {std::int64_t{8}, std::int64_t{8}};
  const Recording recording(recorded, "small");
  EXPECT_THAT(recording.space().parameters()[0].values,
              ElementsAre(search::Value(std::int64_t{8}), search::Value(std::int64_t{4})));
  EXPECT_EQ(recording.size(), 2u);
}

TEST(Recording, KeepsOutcomesMediansAndCostsWhenLean) {
  const db::RecordedSpace recorded = recorded_space({{8, 3, 1}, {2, -1, 5}});
  const Recording full(recorded, "full"), lean(recorded, "lean", Detail::lean);
  EXPECT_EQ(full.trial(0).measurement->samples_ms.size(), 1u);
  EXPECT_TRUE(lean.trial(0).measurement->samples_ms.empty());
  EXPECT_EQ(lean.trial(0).measurement->median_ms, 3);
  EXPECT_THAT(lean.trial(0).objectives, ElementsAre(3));
  EXPECT_EQ(cost_s(lean.trial(0)), cost_s(full.trial(0)));
  EXPECT_EQ(lean.trial(1).outcome, search::Outcome::compile_error);
}

TEST(Recording, RefusesToBeEmpty) {
  EXPECT_THROW(Recording(recorded_space({}), "none"), search::DataError);
}

TEST(Recording, IsAYardstickWithTheSameNumbers) {
  const Recording recording(recorded_space({{8, 3, 1}, {2, -1, 5}, {4, 1, 1}}), "small");
  const search::compare::ScoredSpace scored = scored_space(recording);
  EXPECT_EQ(scored.optimum(), 1);
  EXPECT_EQ(scored.rank(0), 1);
  EXPECT_EQ(scored.rank(1), search::compare::no_rank);
  EXPECT_DOUBLE_EQ(scored.configuration(0).cost_s, 0.004);
  EXPECT_DOUBLE_EQ(scored.configuration(1).cost_s, 0.005);
}

}  // namespace
}  // namespace warptune::tuner::replay
