#include "db/interchange/session_json.h"

#include <gmock/gmock.h>

#include <limits>

#include "db/interchange/formats.h"
#include "db/interchange/json_values.h"
#include "tests/db/interchange/temporary_files.h"

namespace warptune::db {
namespace {

using testing::HasSubstr;

SessionDump full_dump() {
  SessionDump dump;
  SessionRecord& session = dump.session;
  session.key = {"gemm",
                 {"cuda", "NVIDIA H200", "sm_90", "580.1", {{"warp_size", std::int64_t{32}}}, 141, 132},
                 "NVRTC 13.0",
                 "5ce1",
                 "3a9f",
                 "-O3",
                 {{"K", std::int64_t{512}}, {"SCALE", 2.0}},
                 {},
                 "verify=1 objective=time,GFLOP/s",
                 "77aa",
                 {"BLOCK == 64"}};
  session.strategy = "random";
  session.seed = std::numeric_limits<std::uint64_t>::max();
  session.objective = "time,GFLOP/s";
  session.maximised = "GFLOP/s";
  session.space_size = "340282366920938463463374607431768211456";
  session.state = SessionState::finished;
  session.origin = "revalidated from session 3";
  session.manifest = "/a/template.toml";
  session.tool_version = "0.1.0";
  session.started_at = "2026-03-14T15:09:26.535Z";
  session.updated_at = "2026-03-14T15:10:00.000Z";
  dump.store = "aaaa";
  StoredTrial good;
  good.id = 1;
  good.values = {{"BLOCK", std::int64_t{64}}, {"MODE", "a \"quoted\" µ\n"}, {"HALF", 0.5}, {"PADDED", true}};
  good.trial.measurement = search::Measurement{{0.1, 1.0 / 3, 5e-324}, 0.1, 0.004, true};
  good.trial.objectives = {0.1, -std::numeric_limits<double>::infinity()};
  good.trial.launches = {
      {"gemm", {64, 2, 1}, {16, 16, 1}, 3, {96, 16, 16384, 0, 256, 0.5}, {{"carveout", 50}, {"programmatic", 1}}}};
  good.trial.work = {2e9, std::nullopt, "fp64"};
  good.trial.metrics = {{"GFLOP/s", std::numeric_limits<double>::infinity()}};
  good.trial.resources = search::ResourceUse{96, 0, 16384, 0, 256, 0.5};
  good.trial.counters =
      search::Counters{{{"dram_bytes", 1.0 / 3}}, {{"gemm", {{"dram_bytes", 1.0 / 3}}}}, {"pipe_fp64"}, ""};
  good.trial.bits = search::OutputBits{"00000000000000aa", "00000000000000bb"};
  good.recorded_at = "2026-03-14T15:09:27.000Z";
  StoredTrial bad = good;
  bad.trial.counters.reset();
  bad.id = 2;
  bad.values = {{"BLOCK", std::int64_t{128}}};
  bad.trial = {};
  bad.trial.outcome = search::Outcome::compile_error;
  bad.trial.message = "no such thing";
  dump.trials = {{good, "aaaa"}, {bad, "bbbb"}};
  dump.winner = Winner{.trial = 1, .objective = 0.1, .relative_error = 0.004, .ties = {2}};
  dump.winner->finalists = {
      {1, 0.1, 0.004, 20, 0, 0, std::numeric_limits<double>::infinity(), 0.1, 0.004, {{"GFLOP/s", 2.5}}}};
  dump.winner->default_trial = 1;
  dump.winner->time_ms = dump.winner->default_time_ms = 0.1;
  dump.winner->decided_at = "2026-03-14T15:09:59.000Z";
  dump.checks = {{.trial = 1, .checked_at = "2026-04-01T00:00:00.000Z", .objective = 0.2, .recorded_objective = 0.1}};
  return dump;
}

std::string text_of(const std::vector<SessionDump>& dumps) {
  std::ostringstream out;
  write_sessions(dumps, out);
  return out.str();
}

class SessionJson : public TemporaryFiles {
 protected:
  // The complaint about a document in which `what` was replaced.
  std::string complaint(const std::string& what, const std::string& by) {
    std::string document = text_of({full_dump()});
    const auto at = document.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    document.replace(at, what.size(), by);
    return message_of<InterchangeError>([&] { read_sessions(file(document)); });
  }
};

TEST_F(SessionJson, ReadsBackWhatItWroteBitByBit) {
  SessionDump other = full_dump();
  other.session.key.kernel = "transpose";
  other.winner.reset();
  const std::string text = text_of({full_dump(), other});
  const std::vector<SessionDump> read = read_sessions(file(text));
  EXPECT_EQ(text_of(read), text);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].session.seed, full_dump().session.seed);
  EXPECT_EQ(read[0].session.key.problem_size, full_dump().session.key.problem_size);
  EXPECT_EQ(read[0].trials[0].stored.values, full_dump().trials[0].stored.values);
  EXPECT_EQ(read[0].trials[0].stored.trial.measurement->samples_ms,
            full_dump().trials[0].stored.trial.measurement->samples_ms);
  EXPECT_EQ(read[0].trials[0].stored.trial.counters, full_dump().trials[0].stored.trial.counters);
  EXPECT_EQ(read[0].trials[0].stored.trial.bits, full_dump().trials[0].stored.trial.bits);
  EXPECT_EQ(read[0].trials[1].store, "bbbb");
  EXPECT_EQ(read[0].session.maximised, "GFLOP/s");
  EXPECT_EQ(read[0].winner->ties, std::vector<TrialId>{2});
  EXPECT_EQ(read[0].winner->default_trial, 1);
  EXPECT_EQ(read[0].session.key.restrictions, std::vector<std::string>{"BLOCK == 64"});
  EXPECT_FALSE(read[1].winner.has_value());
}

TEST_F(SessionJson, IsToldFromOtherFiles) {
  EXPECT_TRUE(holds_sessions(file(text_of({}))));
  EXPECT_TRUE(read_sessions(file(text_of({}))).empty());
  EXPECT_FALSE(holds_sessions(file(R"json({"cache": {}})json")));
  EXPECT_FALSE(holds_sessions(path("missing.json")));
}

// A pipe can be read once.
TEST_F(SessionJson, IsToldFromARecordingWithoutTakingAnything) {
  InputText sessions(file(text_of({}))), recording(file(R"json({"results": []})json", "recording.json"));
  EXPECT_TRUE(holds_sessions(sessions));
  EXPECT_TRUE(read_sessions(sessions).empty());
  EXPECT_FALSE(holds_sessions(recording));
  EXPECT_TRUE(read_recorded_space(recording).trials.empty());
}

TEST_F(SessionJson, RefusesAnotherSchema) {
  EXPECT_THAT(complaint("warptune-sessions/2", "warptune-sessions/3"),
              HasSubstr("schema: this program reads warptune-sessions/2, found warptune-sessions/3"));
  EXPECT_THAT(message_of<InterchangeError>([&] { read_sessions(file(R"json({"sessions": []})json")); }),
              HasSubstr("\"schema\""));
  EXPECT_THAT(
      message_of<InterchangeError>([&] { read_sessions(file(R"json({"schema": "warptune-sessions/1"})json")); }),
      HasSubstr("expected a member \"sessions\""));
}

// As version 0.1.0 wrote it.
constexpr char first_version[] = R"json({"schema": "warptune-sessions/1", "sessions": [{
 "key": {"kernel": "gemm", "device": {"backend": "cuda", "name": "NVIDIA H200", "uuid": "GPU-1", "architecture": "sm_90",
         "driver": "580.1", "limits": {"total_memory_bytes": 150122463232, "multiprocessors": 132}}, "compiler": "NVRTC 13.0",
         "source_hash": "5ce1", "manifest_hash": "3a9f", "options": "-O3", "problem_size": {"K": 512},
         "policy": "verify=always cache=warm capture=77aa restrict=BLOCK <= 128 ; MODE == 'good'"},
 "strategy": "random", "seed": "7", "objective": "time", "space_size": "2", "state": "finished", "origin": "", "manifest": "",
 "tool_version": "0.1.0", "started_at": "2026-03-14T15:09:26.535Z", "updated_at": "2026-03-14T15:10:00.000Z", "store": "aaaa",
 "trials": [{"configuration": {"BLOCK": 64}, "outcome": "correct", "objectives": [0.1], "metrics": {},
   "measurement": {"median_ms": 0.1, "relative_error": 0.01, "cut_short": false, "discarded_samples": 0, "samples_ms": [0.1]},
   "phases_ms": {"compile": 1, "verify": 1, "measure": 1, "framework": 1}, "message": "",
   "recorded_at": "2026-03-14T15:09:27.000Z"},
  {"configuration": {"BLOCK": 32}, "outcome": "correct", "objectives": [0.3], "metrics": {},
   "measurement": {"median_ms": 0.3, "relative_error": 0.01, "cut_short": false, "discarded_samples": 0, "samples_ms": [0.3]},
   "phases_ms": {"compile": 1, "verify": 1, "measure": 1, "framework": 1}, "message": "",
   "recorded_at": "2026-03-14T15:09:27.000Z"}],
 "winner": {"trial": 0, "objective": 0.2, "relative_error": 0.001, "default_objective": 0.5,
   "decided_at": "2026-03-14T15:09:59.000Z", "ties": [], "finalists": [
   {"trial": 0, "objective": 0.2, "relative_error": 0.001, "visits": 9, "slower_by": 0, "slower_low": 0, "slower_high": 0},
   {"trial": 1, "objective": 0.5, "relative_error": 0.002, "visits": 9, "slower_by": 1.5, "slower_low": 1, "slower_high": 2}]},
 "checks": []}]})json";

TEST_F(SessionJson, OfTheFirstVersionIsBroughtUpToDate) {
  const std::vector<SessionDump> read = read_sessions(file(first_version));
  ASSERT_EQ(read.size(), 1u);
  const SessionKey& key = read[0].session.key;
  EXPECT_EQ(key.policy, "verify=always cache=warm");
  EXPECT_EQ(key.capture, "77aa");
  EXPECT_EQ(key.restrictions, (std::vector<std::string>{"BLOCK <= 128", "MODE == 'good'"}));
  EXPECT_EQ(key.device.memory_gib, 140);
  EXPECT_EQ(key.device.multiprocessors, 132);
  EXPECT_EQ(read[0].trials[0].stored.trial.device_uuid, "GPU-1");
  const Winner& winner = read[0].winner.value();
  EXPECT_EQ(winner.time_ms, 0.2);
  EXPECT_EQ(winner.default_trial, 2);
  EXPECT_EQ(winner.default_time_ms, 0.5);
  EXPECT_EQ(winner.default_time_error, 0.002);
}

TEST_F(SessionJson, AFileThatDoesNotSayADirectionHasItInItsSigns) {
  SessionDump dump = full_dump();
  dump.session.objective = "depth,rate,time";
  dump.trials[0].stored.trial.objectives = {-5, -4, 0.1};
  dump.trials[0].stored.trial.metrics = {{"depth", -5.0}, {"rate", 4.0}};
  dump.session.maximised = "rate";
  std::string document = text_of({dump});
  EXPECT_EQ(read_sessions(file(document))[0].session.maximised, "rate");
  const auto at = document.find("\"maximised\"");
  document.erase(at, document.find("\"space_size\"", at) - at);
  EXPECT_EQ(document.find("maximised"), std::string::npos);
  EXPECT_EQ(read_sessions(file(document))[0].session.maximised, "rate");
}

TEST_F(SessionJson, SaysWhichDirectionIsOfNoObjective) {
  EXPECT_THAT(complaint("\"maximised\": [\n  \"GFLOP/s\"", "\"maximised\": [\n  \"GB/s\""),
              HasSubstr("sessions[0].maximised: expected some of the session's objectives, time,GFLOP/s"));
}

TEST_F(SessionJson, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(complaint("\"finished\"", "\"asleep\""), HasSubstr("sessions[0].state: expected running"));
  EXPECT_THAT(complaint("\"18446744073709551615\"", "\"18446744073709551616\""), HasSubstr("sessions[0].seed"));
  EXPECT_THAT(complaint("\"compile_error\"", "\"bad\""), HasSubstr("sessions[0].trials[1].outcome"));
  EXPECT_THAT(complaint("\"median_ms\": 0.1", "\"median_ms\": \"0.1\""),
              HasSubstr("sessions[0].trials[0].measurement.median_ms: expected a number"));
  EXPECT_THAT(complaint("\"registers_per_thread\": 96", "\"registers_per_thread\": 1e99"), HasSubstr("an integer"));
  EXPECT_THAT(complaint("\"kernel\": \"gemm\"", "\"kernel\": {}"), HasSubstr("sessions[0].key.kernel"));
  EXPECT_THAT(complaint("\"BLOCK\": 64", "\"BLOCK\": [64]"), HasSubstr("sessions[0].trials[0].configuration.BLOCK"));
  EXPECT_THAT(complaint("\"inf\"", "\"lots\""), HasSubstr("expected nan, inf or -inf"));
}

TEST_F(SessionJson, RefusesAWinnerThatIsNoCorrectTrialOfTheSession) {
  EXPECT_THAT(complaint("\"winner\": {\n  \"trial\": 0", "\"winner\": {\n  \"trial\": 7"),
              HasSubstr("sessions[0].winner.trial: expected the position of one of the session's 2 trials, found 7"));
  EXPECT_THAT(complaint("\"winner\": {\n  \"trial\": 0", "\"winner\": {\n  \"trial\": -1"), HasSubstr("found -1"));
  EXPECT_THAT(complaint("\"winner\": {\n  \"trial\": 0", "\"winner\": {\n  \"trial\": 1"),
              HasSubstr("a correct trial"));
}

TEST_F(SessionJson, RefusesEveryTruncation) {
  const std::string document = text_of({full_dump()});
  for (std::size_t length = 0; length + 3 < document.size(); length += 7)
    EXPECT_THROW(read_sessions(file(document.substr(0, length))), InterchangeError) << length;
}

TEST_F(SessionJson, RefusesNestingAndNoise) {
  const std::string deep(200'000, '[');
  EXPECT_THROW(read_sessions(file(R"json({"schema": "warptune-sessions/1", "sessions": [)json" + deep)),
               InterchangeError);
  EXPECT_THROW(read_sessions(file("\x7f\x45\x4c\x46")), InterchangeError);
  EXPECT_THROW(read_sessions(file(R"json({"schema": "warptune-sessions/1", "sessions": [3]})json")), InterchangeError);
}

}  // namespace
}  // namespace warptune::db
