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
  session.maximised = "occupancy";
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
    EXPECT_EQ(session_record(read).maximised, session.maximised);
  }
}

// A session of a template with two sizes and two variants.
SessionRecord named_session() {
  SessionRecord session = session_record(recorded());
  session.key.problem_size = {{"M", std::int64_t{64}}, {"N", std::int64_t{32}}};
  session.key.variants = {{"PRECISION", "float"}, {"TURNED", false}};
  return session;
}

TEST(Sessions, NamesOfSizesAndVariantsSurviveEitherFormat) {
  const TemporaryFolder folder;
  for (const auto& write : {write_t4, write_kernel_tuner}) {
    const RecordedSpace space = recorded_space(named_session(), stored_trials(recorded()));
    write_recorded_space(space, write, folder.path() / "space.json");
    const RecordedSpace read = read_recorded_space(folder.path() / "space.json");
    EXPECT_TRUE(read == space);
    EXPECT_EQ(session_record(read).key.problem_size, named_session().key.problem_size);
    EXPECT_EQ(session_record(read).key.variants, named_session().key.variants);
  }
}

TEST(Sessions, NamesThatDoNotFitTheProblemAreRefused) {
  const TemporaryFolder folder;
  const auto refusal = [&](std::vector<std::string> sizes, std::vector<std::string> variants) -> std::string {
    RecordedSpace space = recorded_space(named_session(), stored_trials(recorded()));
    space.size_names = std::move(sizes), space.variant_names = std::move(variants);
    write_recorded_space(space, write_t4, folder.path() / "space.json");
    try {
      read_recorded_space(folder.path() / "space.json");
    } catch (const InterchangeError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({"M"}, {"PRECISION"}),
              testing::HasSubstr("names 1 sizes and 1 variants, and problem_size has 4"));
  EXPECT_THAT(refusal({"M", "N", "PRECISION"}, {"TURNED"}),
              testing::HasSubstr("PRECISION is a size; expected an integer, found float"));
}

TEST(Sessions, WhatIsNoIntegerOfAnotherToolsProblemIsAVariant) {
  RecordedSpace space = recorded();
  space.problem_size = {std::int64_t{64}, "float", false, 0.5, std::int64_t{8}};
  const SessionKey key = session_record(space).key;
  EXPECT_EQ(search::to_text(key.problem_size), "n0=64,n4=8");
  EXPECT_EQ(search::to_text(key.variants), "n1=float,n2=false,n3=0.5");
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

// What looked through all values for each trial would not come to an end here.
TEST(RecordedSpaces, OfVeryManyValuesTakeNoLongerForEachOfThem) {
  RecordedSpace space = recorded();
  const RecordedTrial one = space.trials.front();
  space.trials.clear();
  space.parameters = {{"x", {}}};
  for (std::int64_t i = 300'000; i > 0; --i) {
    space.trials.push_back(one);
    space.trials.back().values = {i / 2};
  }
  set_seen_domains(space);
  ASSERT_EQ(space.parameters[0].values.size(), 150'001u);
  EXPECT_EQ(space.parameters[0].values.front(), search::Value(std::int64_t{0}));
}

}  // namespace
}  // namespace warptune::db
