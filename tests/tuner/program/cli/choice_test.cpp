// Which sessions and winners the options of `best`, `export`, `select` and `history` choose, and what is said of
// others.
#include <nlohmann/json.hpp>

#include "tests/tuner/program/cli/tuned_store.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using json = nlohmann::json;

class CliChoice : public TunedStore {
 protected:
  struct Session {
    std::string kernel = "turner", device = "NVIDIA H200", compiler = "a", objective = "time", capture = {};
    std::int64_t n = 5, block = 64;
    std::string precision = "float", maximised = {};
  };

  db::SessionId add(const Session& from, const search::Trial& trial) {
    db::Store store = this->store();
    db::SessionRecord session;
    session.key.kernel = from.kernel;
    session.key.compiler = from.compiler;
    session.key.device = {"cuda", from.device, "sm_90", "", {}};
    session.key.problem_size = {{"SIZE", from.n}};
    session.key.variants = {{"PRECISION", from.precision}};
    session.key.capture = from.capture;
    if (!from.capture.empty()) session.capture_file = "/calls/" + from.capture + ".json";
    session.objective = from.objective;
    session.maximised = from.maximised;
    const db::SessionId id = store.create_session(session);
    const db::TrialId best = store.record(id, {{"BLOCK", from.block}}, trial);
    db::Winner winner{best, trial.objectives.front(), 0.01, {}, {}};
    winner.default_trial = best;
    store.set_winner(id, winner);
    store.set_session_state(id, db::SessionState::finished);
    return id;
  }
  db::SessionId add(const Session& from, double time_ms = 2) { return add(from, timed(time_ms)); }

  static search::Trial timed(double time_ms) {
    search::Trial trial;
    trial.measurement = search::Measurement{{time_ms}, time_ms, 0.01, false};
    trial.objectives = {time_ms};
    return trial;
  }
  static json winners(const ProgramRun& exported) { return json::parse(exported.out)["winners"]; }
};

TEST_F(CliChoice, ADevicesWholeNameIsNoPartOfAnotherOne) {
  add({.device = "AMD EPYC"});
  add({.device = "AMD EPYC as sm_90"});
  const ProgramRun selected = run("select turner --device 'AMD EPYC' --format csv");
  EXPECT_EQ(selected.exit_code, 0) << selected.err;
  EXPECT_EQ(winners(run("export turner --format json --device 'amd epyc'")).size(), 1u);
  EXPECT_EQ(winners(run("export turner --format json --device epyc")).size(), 2u);  // a part of both
  ASSERT_EQ(run("export turner --format wisdom -o " + path("w.json")).exit_code, 0);
  EXPECT_EQ(winners(run("export --format json --from " + path("w.json") + " --device 'AMD EPYC'")).size(), 1u);
  EXPECT_EQ(winners(run("export --format json --from " + path("w.json") + " --device EPYC")).size(), 2u);
  EXPECT_EQ(winners(run("export --format json --from " + path("w.json") + " --device SM_90")).size(), 1u);
}

TEST_F(CliChoice, ExportTakesTheWinnerOfTheSessionThatIsNamed) {
  add({.compiler = "a", .block = 32}, 3);
  add({.compiler = "b", .block = 128}, 2);
  for (const std::string kernel : {"turner ", ""}) {
    const ProgramRun first = run("export " + kernel + "--session 1 --format json");
    EXPECT_EQ(first.exit_code, 0) << first.err;
    ASSERT_EQ(winners(first).size(), 1u);
    EXPECT_EQ(winners(first)[0]["configuration"]["BLOCK"], 32);
  }
  EXPECT_THAT(run("export --session 1 --format header").out, HasSubstr("warptune_tuned"));
  const ProgramRun other = run("export transpose --session 1 --format json");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("session 1 is of turner, not of transpose"));
  EXPECT_EQ(run("export transpose --session 1 --format csv").exit_code, 2);
}

TEST_F(CliChoice, ExportNotesTheWinnerOnOtherData) {
  add({.capture = "c0ffee"});
  add({});
  const ProgramRun exported = run("export turner --format json");
  EXPECT_EQ(winners(exported).size(), 1u);
  EXPECT_THAT(exported.err, AllOf(HasSubstr("the winner of session 1 by time on c0ffee.json is not exported"),
                                  HasSubstr("was tuned on the template's own data"), HasSubstr("--session 1")));
}

TEST_F(CliChoice, BestAndHistoryShowTheRecordedCallOfASessionThatHasOne) {
  add({});
  EXPECT_THAT(run("best").out + run("history").out, Not(HasSubstr("CAPTURE")));
  EXPECT_TRUE(winners(run("best --format json"))[0]["capture"].is_null());
  add({.capture = "c0ffee"});
  EXPECT_THAT(run("best").out, AllOf(HasSubstr("CAPTURE"), HasSubstr("c0ffee.json")));
  EXPECT_THAT(run("history").out, AllOf(HasSubstr("CAPTURE"), HasSubstr("c0ffee.json")));
  EXPECT_EQ(winners(run("best --format json")).size(), 2u);
  EXPECT_EQ(json::parse(run("history --format json").out)["sessions"][0]["capture"], "c0ffee");
}

TEST_F(CliChoice, MistypedNamesAreAnsweredWithTheNearest) {
  add({});
  ASSERT_EQ(run("export turner --format wisdom -o " + path("w.json")).exit_code, 0);
  const std::vector<std::pair<std::string, std::string>> answers = {
      {"best turner --variant PRECISON=float", "turner has no variant PRECISON (did you mean PRECISION?)"},
      {"best turner --variant PRECISION=flaot", "turner has no PRECISION=flaot (did you mean float?)"},
      {"export turner --size SIEZ=3", "turner has no size SIEZ (did you mean SIZE?)"},
      {"history turner --size SIEZ=3", "turner has no size SIEZ (did you mean SIZE?)"},
      {"select turnr", "(did you mean turner?)"},
      {"select turner --size SIEZ=3", "turner has no size SIEZ (did you mean SIZE?)"},
      {"export turner --format csv --size SIEZ=3", "turner has no size SIEZ (did you mean SIZE?)"},
      {"show turnr", "(did you mean turner?)"},
      {"export turner --from " + path("w.json") + " --size FOO=64", "turner has no size FOO; it has SIZE"}};
  for (const auto& [line, answer] : answers) {
    const ProgramRun refused = run(line);
    EXPECT_NE(refused.exit_code, 0) << line;
    EXPECT_THAT(refused.err, HasSubstr(answer)) << line;
  }
}

TEST_F(CliChoice, WithoutAMatchProgramsGetAnEmptyDocument) {
  add({});
  const ProgramRun selected = run("select turner --size SIZE=77 --format json");
  EXPECT_EQ(selected.exit_code, 6);
  EXPECT_EQ(json::parse(selected.out)["kernels"], json::array());
  EXPECT_TRUE(json::parse(selected.out)["device"].is_null());
  const ProgramRun exported = run("export turner --size SIZE=77 --format json");
  EXPECT_EQ(exported.exit_code, 6);
  EXPECT_EQ(winners(exported), json::array());
  EXPECT_EQ(run("export turner --size SIZE=77 --format header").out, "");
}

TEST_F(CliChoice, ExportedJsonSaysNullOfWhatIsNotKnown) {
  add({});
  EXPECT_TRUE(winners(run("export turner --format json"))[0]["provenance"]["driver"].is_null());
}

TEST_F(CliChoice, ExportSaysThatOneOfSeveralCompromisesIsWritten) {
  search::Trial fast = timed(1), frugal = timed(2);
  fast.metrics["waste"] = 9, frugal.metrics["waste"] = 3;
  fast.objectives = {1, 9}, frugal.objectives = {2, 3};
  const db::SessionId id = add({.objective = "time,waste"}, fast);
  store().record(id, {{"BLOCK", std::int64_t{8}}}, frugal);
  const ProgramRun exported = run("export turner --format json");
  EXPECT_EQ(winners(exported).size(), 1u);
  EXPECT_THAT(exported.err, HasSubstr("of its 2 best compromises the one that is best by time is exported"));
}

TEST_F(CliChoice, NegativeMetricsKeepTheirSign) {
  search::Trial trial = timed(1);
  trial.metrics["balance"] = -4;
  trial.objectives = {4};
  add({.objective = "balance", .maximised = "balance"}, trial);
  EXPECT_EQ(winners(run("best --format json"))[0]["value"], -4);
  EXPECT_EQ(json::parse(run("history --format json").out)["sessions"][0]["best"], -4);
  EXPECT_EQ(json::parse(run("show 1 --format json").out)["winner"]["value"], -4);
  EXPECT_EQ(json::parse(run("select turner --format json").out)["sizes"][0]["value"], -4);
}

TEST_F(CliChoice, SelectCountsKernelsFromOneInEveryFormat) {
  add({});
  const json selected = json::parse(run("select turner --format json").out);
  EXPECT_EQ(selected["sizes"][0]["kernel"], 1);
  EXPECT_EQ(selected["kernels"][0]["kernel"], 1);
  EXPECT_THAT(run("select turner --format csv").out, HasSubstr("\"SIZE=5,PRECISION=float\",1,"));
}

}  // namespace
}  // namespace warptune::tuner
