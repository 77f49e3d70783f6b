// What people do with the sessions of their store: naming, finding and removing them, and telling who measured them.
#include "tests/support/places.h"
#include "tests/tuner/program/cli/tuned_store.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliHistory : public TunedStore {
 protected:
  // A session that took place at `started_at`, without measuring anything.
  void add_session(const std::string& kernel, const std::string& compiler, double objective) {
    db::Store store = this->store();
    db::SessionRecord session;
    session.key.kernel = kernel;
    session.key.compiler = compiler;
    session.key.device = {"cuda", "Some GPU", "sm_90", "580.1", {}};
    session.key.problem_size = {{"n", std::int64_t{5}}};
    session.objective = "time";
    const db::SessionId id = store.create_session(session);
    search::Trial trial;
    trial.measurement = search::Measurement{{objective}, objective, 0.01, false};
    trial.objectives = {objective};
    store.set_winner(id, {store.record(id, {{"BLOCK", std::int64_t{64}}}, trial), objective, 0.01, {}, {}});
    store.set_session_state(id, db::SessionState::finished);
  }
};

TEST_F(CliHistory, NamesAndNotesAreShownFoundAndTravel) {
  add_session("gemm", "a", 2);
  add_session("gemm", "b", 3);
  EXPECT_EQ(run("history name 1 baseline").exit_code, 0);
  EXPECT_EQ(run("history note baseline 'quiet machine'").exit_code, 0);
  EXPECT_THAT(run("history").out, AllOf(HasSubstr("baseline"), HasSubstr("quiet machine")));
  EXPECT_THAT(run("history --name baseline --format csv").out, AllOf(HasSubstr("\r\n1,"), Not(HasSubstr("\r\n2,"))));
  EXPECT_EQ(run("show").out, run("show 2").out);  // the newest
  EXPECT_THAT(run("show baseline").out, AllOf(HasSubstr("session         1 "), HasSubstr("quiet machine")));
  EXPECT_THAT(run("best --name baseline --format json").out, HasSubstr("\"name\": \"baseline\""));
  run("export --format warptune-json -o " + path("a.json"));
  run("import " + path("a.json") + " --db " + path("other.db"));
  EXPECT_THAT(run("history --db " + path("other.db")).out, AllOf(HasSubstr("baseline"), HasSubstr("imported")));
  run("history name 2 baseline");
  EXPECT_THAT(run("show baseline").err, HasSubstr("several sessions are called 'baseline'"));
  EXPECT_EQ(run("history name 9 x").exit_code, 3);
}

// It would be found by no verb, each of which takes it for a number.
TEST_F(CliHistory, ANumberIsNoNameOfASession) {
  add_session("gemm", "a", 2);
  for (const char* line : {"history name 1 17", "history name 1 2:3", "tune . --name 17", "submit . --name 4"}) {
    const ProgramRun refused = run(line);
    EXPECT_EQ(refused.exit_code, 2) << line;
    EXPECT_THAT(refused.err, HasSubstr("would be read as a session's number")) << line;
  }
  EXPECT_EQ(store().session(1)->name, "");
  EXPECT_EQ(run("history note 1 17").exit_code, 0);
  EXPECT_EQ(run("history name 1 run-17").exit_code, 0);
  EXPECT_EQ(run("history name 1 ''").exit_code, 0);
}

TEST_F(CliHistory, VerbsAgreeOnTheExitCodeWhereNothingMatches) {
  EXPECT_EQ(run("history").exit_code, 6);  // there is no store
  add_session("gemm", "a", 2);
  EXPECT_EQ(run("history gemm").exit_code, 0);
  for (const char* verb : {"history", "best", "check", "revalidate", "export", "select"}) {
    const ProgramRun nothing = run(std::string(verb) + " nothing");
    EXPECT_EQ(nothing.exit_code, 6) << verb;
    EXPECT_EQ(nothing.out, "") << verb;
    EXPECT_THAT(nothing.err, HasSubstr("matches")) << verb;
  }
  EXPECT_THAT(run("check gem").err, HasSubstr("did you mean gemm?"));
  EXPECT_THAT(run("revalidate gem").err, HasSubstr("did you mean gemm?"));
}

TEST_F(CliHistory, TuneNamesItsSession) {
  EXPECT_EQ(tune("--budget 1 --name first").exit_code, 0);
  EXPECT_EQ(store().session(1)->name, "first");
  EXPECT_EQ(tune("--budget 1 --name second").exit_code, 0);  // the same session, under its new name
  EXPECT_EQ(store().session(1)->name, "second");
  EXPECT_EQ(tune("--budget 1").exit_code, 0);
  EXPECT_EQ(store().session(1)->name, "second");
  // `tune --device host` is found by the same word, though the device's name is the processor's.
  EXPECT_THAT(run("best --device host --format csv").out, HasSubstr("doubling"));
}

TEST_F(CliHistory, RemovesWhatIsChosenAndNothingWithoutAWord) {
  add_session("gemm", "a", 2);
  add_session("gemm", "b", 3);
  add_session("copy", "a", 4);
  EXPECT_EQ(run("history rm").exit_code, 2);    // nothing chosen
  EXPECT_EQ(run("history rm 1").exit_code, 2);  // nobody to ask
  EXPECT_EQ(run("history rm 9 --yes").exit_code, 3);
  EXPECT_EQ(run("history rm --kernel nothing --yes").exit_code, 6);
  const ProgramRun dry = run("history rm --kernel gemm --dry-run --format csv");
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, AllOf(HasSubstr("\r\n2,gemm"), HasSubstr("\r\n1,gemm"), Not(HasSubstr("copy"))));
  EXPECT_EQ(store().history({}).size(), 3u);
  EXPECT_THAT(run("history rm 2 --yes").err, HasSubstr("removed 1 session with 1 trial and 1 winner"));
  EXPECT_THAT(run("best gemm --format csv").out, HasSubstr(",1,"));  // the older session's winner counts again
  EXPECT_EQ(run("history rm --all --yes").exit_code, 0);
  EXPECT_TRUE(store().history({}).empty());
}

TEST_F(CliHistory, DatesChooseAndWrongOnesAreErrors) {
  add_session("gemm", "a", 2);
  EXPECT_THAT(run("history --since today --format csv").out, HasSubstr("\r\n1,"));
  EXPECT_THAT(run("history --since 1h --until today --format csv").out, HasSubstr("\r\n1,"));
  EXPECT_THAT(run("history --until yesterday --format csv").out, Not(HasSubstr("\r\n1,")));
  EXPECT_THAT(run("history --until '2 days ago' --format csv").out, Not(HasSubstr("\r\n1,")));
  const ProgramRun wrong = run("history --since yesteday");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("'yesteday' is no date"), HasSubstr("2026-11-22")));
}

TEST_F(CliHistory, ReplaysAreMarked) {
  tune("--budget 3");
  run("export doubling --format t4 --session 1 -o " + path("doubling.json"));
  EXPECT_EQ(run("tune --device replay:" + path("doubling.json") + " --budget 2").exit_code, 0);
  const std::string csv = run("history --format csv").out;
  EXPECT_THAT(csv, AllOf(HasSubstr(",replay"), HasSubstr(",measured")));
  EXPECT_THAT(run("show 2").out, HasSubstr("replay of a recording"));
  EXPECT_THAT(run("show 2 --format json").out, HasSubstr("\"kind\": \"replay\""));
  run("import " + path("doubling.json"));
  EXPECT_THAT(run("history --format csv").out, HasSubstr(",imported"));
  EXPECT_THAT(run("best --format csv").out, AllOf(HasSubstr("imported"), HasSubstr("measured")));
}

TEST_F(CliHistory, TwoSessionsOnOneDeviceAreToldOfEachOther) {
  const std::string program = "WARPTUNE_DB=" + path("s.db") + " XDG_CACHE_HOME=" + path("cache") +
                              " XDG_RUNTIME_DIR= " + warptune_program() +
                              " tune vector_add --size SIZE=1000 --device host --strategy random --finals 0 --budget ";
  // The first runs until the second is over, whose words say that it was told.
  const ProgramRun both = run_program(
      folder_, "(" + program + "60s 2>" + path("first") + " >/dev/null & first=$!; while ! grep -q session " +
                   path("first") + "; do sleep 0.1; done; " + program + "2 2>" + path("second") + " >/dev/null; " +
                   "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do grep -q another " + path("first") +
                   " && break; sleep 0.2; done; kill -INT $first; wait $first); cat " + path("first") +
                   "; echo =====; cat " + path("second"));
  const std::size_t middle = both.out.find("=====");
  ASSERT_NE(middle, std::string::npos);
  EXPECT_THAT(both.out.substr(middle), HasSubstr("another session (process "));
  const std::string first = both.out.substr(0, middle);
  EXPECT_THAT(first, HasSubstr(", vector_add) measures on host"));
  EXPECT_EQ(first.find("another session"), first.rfind("another session"));  // told once
}

TEST_F(CliHistory, AMistypedKernelIsAnsweredWithTheNearest) {
  tune("--budget 1");
  for (const char* verb : {"best", "history", "export"})
    EXPECT_THAT(run(std::string(verb) + " doublin").err, HasSubstr(" (did you mean doubling?)")) << verb;
  EXPECT_THAT(run("best doubling --size n=7").err, Not(HasSubstr("did you mean")));
}

TEST_F(CliHistory, ExplainAsksTheTemplateThatItsArgumentNames) {
  tune("--budget 1");
  const TemporaryFolder elsewhere;
  const std::string moved = elsewhere.path().string();
  std::filesystem::copy(folder_.path(), moved, std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder_.path() / "template.toml");
  EXPECT_THAT(run("explain").err, HasSubstr("/template.toml is not there any more; --template says where"));
  EXPECT_THAT(run("explain " + moved).err, Not(HasSubstr("cannot be asked")));
}

TEST_F(CliHistory, APathLeavesOutAnotherKernelOfThatName) {
  const std::string own = folder_.path().string();
  const TemporaryFolder elsewhere;
  const std::string copy = elsewhere.path().string();
  std::filesystem::copy(own, copy, std::filesystem::copy_options::recursive);
  tune("--budget 1 --size n=500");
  EXPECT_EQ(run("best " + copy).exit_code, 0);  // of the same content
  elsewhere.write("kernel.cu", std::string(doubling_kernel) + "// another\n");
  for (const std::string verb : {"best ", "export ", "history ", "explain ", "show "}) {
    const ProgramRun other = run(verb + copy);
    EXPECT_NE(other.exit_code, 0) << verb;
    EXPECT_THAT(other.out, Not(HasSubstr("doubling"))) << verb;
  }
  EXPECT_THAT(run("best " + copy).err, HasSubstr("left out: sessions of another doubling, " + own));
  // Nor does a newer one of the other hide this one's winner.
  ASSERT_EQ(run("tune " + copy + " --device host --size n=500 --budget 1").exit_code, 0);
  EXPECT_THAT(run("best " + own + " --format json").out,
              AllOf(HasSubstr("\"session\": 1"), Not(HasSubstr("\"session\": 2"))));
  EXPECT_THAT(run("show " + own).out, HasSubstr("session         1 "));
}

}  // namespace
}  // namespace warptune::tuner
