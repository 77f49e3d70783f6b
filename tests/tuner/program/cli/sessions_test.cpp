// Which session a run goes on with, what a new one begins from, and what is said of one that did not end.
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/tuner/program/cli/tuned_store.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliSessions : public TunedStore {
 protected:
  // By the default strategy, or the one that `more` names.
  ProgramRun search(const std::string& more) { return run("tune " + path("") + " --device host " + more); }
};

TEST_F(CliSessions, ASecondRunContinuesTheFirst) {
  tune("--budget 3");
  const ProgramRun second = tune("--budget 3");
  EXPECT_THAT(second.err, HasSubstr("resuming: 3 trials are in the store already"));
  EXPECT_THAT(run("history --format csv").out, HasSubstr("finished,6,"));
}

TEST_F(CliSessions, SaysWhenItGoesOnWithAnotherRunsSession) {
  tune("--budget 3 --name baseline");
  EXPECT_THAT(tune("--budget 1 --name baseline").err, Not(HasSubstr("note: session")));
  const ProgramRun second = search("--budget 1 --strategy genetic --seed 2 --name attempt");
  EXPECT_THAT(second.err, AllOf(HasSubstr("note: session 1 was begun by strategy random with seed 0"),
                                HasSubstr("note: session 1 was called baseline; it is called attempt now")));
}

TEST_F(CliSessions, TellsOfASessionThatDidNotEnd) {
  tune("--budget 3");
  db::Store tuned = store();
  tuned.clear_winner(1);  // as `check` withdraws one
  EXPECT_THAT(run("best doubling").err, Not(HasSubstr("did not end")));
  tuned.set_session_state(1, db::SessionState::running);
  EXPECT_THAT(run("best doubling --size n=7").err, Not(HasSubstr("did not end")));
  for (const char* verb : {"best", "export"})
    EXPECT_THAT(run(std::string(verb) + " doubling").err, HasSubstr("session 1 (doubling) did not end: its ")) << verb;
}

TEST_F(CliSessions, TellsOfABetterTrialOfASessionThatWasKilled) {
  tune("--budget 3");
  db::Store tuned = store();
  db::StoredTrial better = tuned.best_trials(1, 1).at(0);
  better.trial.objectives = {better.trial.objectives.front() / 2};
  std::get<std::int64_t>(better.values.at(0).second) = 8192;  // as if a second run had measured it
  tuned.record(1, better.values, better.trial);
  EXPECT_THAT(run("best doubling").err, Not(HasSubstr("did not end")));
  tuned.set_session_state(1, db::SessionState::running);
  for (const char* verb : {"best", "export"})
    EXPECT_THAT(run(std::string(verb) + " doubling").err, HasSubstr("note: session 1 did not end")) << verb;
}

// A trial that was rated by one objective has no rank by another.
TEST_F(CliSessions, EachObjectiveHasASessionOfItsOwn) {
  EXPECT_EQ(tune("--budget 3").exit_code, 0);
  const ProgramRun other = tune("--budget 4 --objective max_error");
  EXPECT_THAT(other.err, AllOf(HasSubstr("4 trials in"), Not(HasSubstr("resuming"))));
  EXPECT_THAT(tune("--budget 2 --objective max_error").err, HasSubstr("resuming: 4 trials"));
  EXPECT_THAT(tune("--budget 1").err, HasSubstr("resuming: 3 trials"));

  const auto best = nlohmann::json::parse(run("best --format json").out)["winners"];
  ASSERT_EQ(best.size(), 2u);
  EXPECT_NE(best[0]["objective"], best[1]["objective"]);
  EXPECT_EQ(run("best --require-current").exit_code, 0);
  const ProgramRun exported = run("export doubling --format json");
  EXPECT_EQ(nlohmann::json::parse(exported.out)["winners"].size(), 1u);
  EXPECT_THAT(exported.err, AllOf(HasSubstr("is not exported"), HasSubstr("say --session")));
}

TEST_F(CliSessions, OtherDataAreAnotherSession) {
  std::string manifest = doubling_manifest;
  const std::string fill = "{ uniform = [1, 2], seed = 3 }";
  folder_.write("template.toml", manifest.replace(manifest.find(fill), fill.size(), "{ npy = \"in.npy\" }"));
  const auto write_data = [&](char first) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000,), }";
    header.resize(117, ' ');
    std::string data(4000, '\0');
    data[3] = first;
    folder_.write("in.npy", std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + data);
  };
  write_data('\x40');
  EXPECT_EQ(tune("--budget 1 --finals 0").exit_code, 0);
  EXPECT_THAT(tune("--budget 1 --finals 0").err, HasSubstr("resuming"));
  EXPECT_THAT(run("best --format json").out, HasSubstr("\"differs\": null"));
  write_data('\x41');
  EXPECT_THAT(run("best --format json").out, Not(HasSubstr("\"differs\": null")));
  EXPECT_THAT(tune("--budget 1 --finals 0").err, Not(HasSubstr("resuming")));
}

TEST_F(CliSessions, ASecondSizeBeginsFromTheFirstUnlessToldNotTo) {
  const std::string rest = " --finals 0 --budget 4";
  EXPECT_THAT(search("--size n=1000" + rest).err, Not(HasSubstr("beginning from")));
  EXPECT_THAT(search("--size n=2000" + rest).err, HasSubstr("beginning from 1 earlier session: 1 ("));
  EXPECT_THAT(search("--size n=3000 --transfer off" + rest).err, Not(HasSubstr("beginning from")));
  EXPECT_THAT(search("--size n=4000 --deterministic" + rest).err, Not(HasSubstr("beginning from")));
  EXPECT_THAT(search("--size n=5000 --transfer 2" + rest).err, HasSubstr("beginning from 1 earlier session: 2 ("));
  const ProgramRun missing = search("--size n=6000 --transfer 99" + rest);
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("there is no session 99"));
}

// Which configuration is fastest is the machine's matter; from the default alone nothing carries over.
void make_the_winner_better(const std::string& wisdom_file) {
  std::ifstream read(wisdom_file);
  nlohmann::json wisdom = nlohmann::json::parse(read);
  wisdom["entries"][0]["configuration"] = {{"BLOCK", 128}, {"EACH", 2}, {"MODE", "good"}};
  wisdom["entries"][0]["gain"] = 2.0;
  std::ofstream(wisdom_file) << wisdom;
}

TEST_F(CliSessions, ASearchBeginsFromWhatAFileTells) {
  const std::string rest = " --finals 0 --budget 4 --transfer ";
  ASSERT_EQ(search("--size n=1000 --finals 0 --budget 12 --restrict \"MODE == 'good'\"").exit_code, 0);
  for (const std::string format : {"wisdom", "warptune-json", "kernel-tuner", "t4"}) {
    const std::string file = path(format + ".json");
    const ProgramRun exported = run("export " + path("") + " --session 1 --format " + format + " -o " + file);
    ASSERT_EQ(exported.exit_code, 0) << exported.err;
    if (format == "wisdom") make_the_winner_better(file);
    const ProgramRun tuned = search("--size n=2000" + rest + file);
    EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
    EXPECT_THAT(tuned.err, HasSubstr("beginning from 1 earlier session: " + file + " (")) << format;
  }
  folder_.write("broken.json", "{\"schema\": \"warptune-wisdom/2\", ");
  EXPECT_EQ(search("--size n=2000" + rest + path("broken.json")).exit_code, 3);
  EXPECT_THAT(search("--size n=2000" + rest + path("absent.json")).err, HasSubstr("or files; '"));
}

}  // namespace
}  // namespace warptune::tuner
