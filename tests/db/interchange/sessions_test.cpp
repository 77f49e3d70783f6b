#include "db/interchange/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/interchange/formats.h"
#include "tests/support/temporary_folder.h"

namespace warptune::db {
namespace {

using testing::ElementsAre;

RecordedSpace recorded() {
  RecordedSpace space;
  space.kernel = "add";
  space.device = "Some GPU";
  space.problem_size = {std::int64_t{4096}, std::int64_t{16}};
  space.parameters = {{"x", {std::int64_t{8}, std::int64_t{32}}}};
  RecordedTrial good, bad;
  good.values = {std::int64_t{32}};
  good.times_ms = {0.25, 0.75};
  good.measurements = {{"time", 0.5}};
  good.phases = {.compile_ms = 2, .verify_ms = 1, .benchmark_ms = 1, .framework_ms = 4, .strategy_ms = {}};
  good.timestamp = "2026-01-01T00:00:00Z";
  bad = good;
  bad.values = {std::int64_t{8}};
  bad.times_ms.clear();
  bad.measurements.clear();
  bad.outcome = search::Outcome::timeout;
  bad.message = "never ended";
  space.trials = {good, bad};
  return space;
}

TEST(Sessions, ComeBackFromTheStoreAsTheyWereImported) {
  const RecordedSpace space = recorded();
  EXPECT_TRUE(recorded_space(session_record(space), stored_trials(space)) == space);
}

// Neither format says whether higher is better, and names suggest it for rates alone.
TEST(Sessions, SeveralObjectivesAndTheirSensesSurviveEitherFormat) {
  SessionRecord session = session_record(recorded());
  session.objective = "occupancy,time";
  std::vector<StoredTrial> trials = stored_trials(recorded());
  for (StoredTrial& stored : trials) {
    if (!stored.trial.correct()) continue;
    stored.trial.metrics["occupancy"] = 0.5;
    stored.trial.objectives = {-0.5, stored.trial.measurement->median_ms};
  }
  const RecordedSpace space = recorded_space(session, trials);
  EXPECT_THAT(space.objectives, testing::ElementsAre("occupancy", "time"));
  const TemporaryFolder folder;
  for (const auto& write : {write_t4, write_kernel_tuner}) {
    write_recorded_space(space, write, folder.path() / "space.json");
    const RecordedSpace read = read_recorded_space(folder.path() / "space.json");
    EXPECT_TRUE(read == space);
    EXPECT_EQ(stored_trials(read).front().trial.objectives, trials.front().trial.objectives);
    EXPECT_EQ(session_record(read).objective, session.objective);
  }
}

TEST(Sessions, ImportedSayWhatTheyAre) {
  const SessionRecord session = session_record(recorded());
  EXPECT_EQ(session.key.kernel, "add");
  EXPECT_EQ(session.key.device.name, "Some GPU");
  EXPECT_EQ(search::to_text(session.key.problem_size), "n0=4096,n1=16");
  EXPECT_EQ(session.state, SessionState::finished);
  EXPECT_EQ(session.objective, "time");
}

TEST(Sessions, UnfinishedFilesAreInterruptedSessions) {
  RecordedSpace space = recorded();
  space.unfinished = true;
  EXPECT_EQ(session_record(space).state, SessionState::interrupted);
}

TEST(Sessions, TwoRecordingsOfOneKernelDeviceAndSizeHaveDifferentKeys) {
  RecordedSpace other = recorded();
  other.trials[0].times_ms = {0.25, 0.76};
  EXPECT_NE(session_record(other).key.source_hash, session_record(recorded()).key.source_hash);
  EXPECT_EQ(session_record(recorded()).key.source_hash, session_record(recorded()).key.source_hash);
}

}  // namespace
}  // namespace warptune::db
