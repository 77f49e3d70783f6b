// What users keep: listing, comparing, moving and overlaying stores from the command line.
#include <algorithm>
#include <tuple>

#include "tests/tuner/program/cli/tuned_store.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliStores : public TunedStore {
 protected:
  // A session without measuring anything.
  static void add_session(db::Store store, const std::string& kernel, double objective,
                          const std::string& name = "time") {
    db::SessionRecord session;
    session.key.kernel = kernel;
    session.key.device = {"cuda", "Some GPU", "sm_90", "580.1", {}};
    session.key.problem_size = {{"n", std::int64_t{5}}};
    session.objective = name;
    const db::SessionId id = store.create_session(session);
    search::Trial trial;
    trial.measurement = search::Measurement{{objective}, objective, 0.01, false};
    trial.objectives = {objective};
    const db::TrialId first = store.record(id, {{"BLOCK", std::int64_t{64}}}, trial);
    trial.objectives = {objective * 2};
    trial.measurement->median_ms = objective * 2;
    store.record(id, {{"BLOCK", std::int64_t{32}}}, trial);
    store.set_winner(id, {first, objective, 0.01, objective * 2, {}});
    store.set_session_state(id, db::SessionState::finished);
  }

  static std::string text(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

TEST_F(CliStores, GroupAndSortTheHistory) {
  add_session(store(), "gemm", 2);
  add_session(store(), "copy", 3);
  EXPECT_THAT(run("history --group-by device,driver --format csv").out, HasSubstr("Some GPU,580.1,2,4,4,2.0,"));
  EXPECT_THAT(run("history --sort kernel --format csv").out, HasSubstr("started_at\r\n2,copy,"));
  EXPECT_EQ(run("history --group-by colour").exit_code, 2);
}

TEST_F(CliStores, DiffNamesWhatTwoSessionsDifferIn) {
  add_session(store(), "gemm", 2);
  add_session(store(), "copy", 4);
  const ProgramRun diff = run("diff 1 2 --format csv");
  EXPECT_EQ(diff.exit_code, 0) << diff.err;
  EXPECT_THAT(diff.out, HasSubstr("setting,kernel,gemm,copy,"));
  EXPECT_THAT(diff.out, HasSubstr("winner,time,2.0,4.0,2.0"));
  EXPECT_EQ(run("diff 1 9").exit_code, 3);
  EXPECT_THAT(run("diff 1 two").err, HasSubstr("'two' is no session"));
}

TEST_F(CliStores, WinnersByDifferentObjectivesHaveNoRatio) {
  add_session(store(), "gemm", 2);
  add_session(store(), "copy", 4, "joules");
  EXPECT_THAT(run("diff 1 2 --format csv").out, HasSubstr("winner,objective,2.0,4.0,,\r\n"));
}

TEST_F(CliStores, ATrialAsCsvIsTheRowOfItsSessionsTable) {
  add_session(store(), "gemm", 2);
  const std::string all = run("show 1 --format csv").out, one = run("show --trial 1 --format csv").out;
  EXPECT_THAT(one, HasSubstr("trial,outcome,time_ms,"));
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 2) << one;
  EXPECT_EQ(all.substr(0, one.size()), one);
}

TEST_F(CliStores, SessionsTravelAsJsonWithoutLoss) {
  add_session(store(), "gemm", 2);
  EXPECT_THAT(run("export --format warptune-json -o " + path("a.json")).err,
              HasSubstr("wrote " + path("a.json") + ": 1 session"));
  const ProgramRun imported = run("import " + path("a.json") + " --db " + path("other.db"));
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.err, HasSubstr("1 session, of which 1 is new; 2 trials added"));
  EXPECT_THAT(run("import " + path("a.json") + " --db " + path("other.db")).err,
              HasSubstr("of which 0 are new; 0 trials added"));
  run("export --format warptune-json -o " + path("b.json") + " --db " + path("other.db"));
  EXPECT_EQ(text(path("a.json")), text(path("b.json")));
  folder_.write("bad.json", text(path("a.json")).substr(0, 500));
  const ProgramRun bad = run("import " + path("bad.json"));
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.err, HasSubstr("bad.json, line"));
  EXPECT_EQ(run("import " + path("bad.json") + " --db " + path("new.db")).exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(path("new.db")));
}

TEST_F(CliStores, ASlipOfTheOutputOptionLosesNothingMadeByHandOrByTuning) {
  add_session(store(), "add", 2);
  folder_.write("kernel.cu", "__global__ void add(float* y) {}\n");
  folder_.write("template.toml", "name = \"add\"\n[[launches]]\n");
  folder_.write("old.h", "#define __global__\n");
  for (const char* name : {"s.db", "kernel.cu", "template.toml"}) {
    const std::string before = text(path(name));
    const ProgramRun refused = run("export --format warptune-json -o " + path(name));
    EXPECT_EQ(refused.exit_code, 2) << name;
    EXPECT_THAT(refused.err, HasSubstr("would be lost: name another file with -o"));
    EXPECT_EQ(text(path(name)), before) << name;
  }
  EXPECT_EQ(run("export --format warptune-json -o " + path("old.h")).exit_code, 0);
}

TEST_F(CliStores, WinnersOfAWisdomFileAreChosenAsThoseOfTheStore) {
  add_session(store(), "some_kernel", 2);
  {
    db::Store other = store();
    db::BestRecord best = other.best({}).at(0);
    best.session.key.device = {"cuda", "Other GPU", "sm_80", "570.2", {}};
    best.session.key.problem_size = {{"n", std::int64_t{7}}};
    const db::SessionId id = other.create_session(best.session);
    other.set_winner(id, {other.record(id, best.trial.values, best.trial.trial), 2, 0.01, 4.0, {}});
  }
  run("export some_kernel --format wisdom -o " + path("w.json"));
  const std::string from = "export --from " + path("w.json") + " --format json ";
  for (const char* chosen : {"--device Other", "--driver 570.2", "--size n=7"}) {
    const ProgramRun file = run(from + chosen);
    EXPECT_EQ(file.exit_code, 0) << file.err;
    EXPECT_THAT(file.out, HasSubstr("Other GPU")) << chosen;
    EXPECT_THAT(file.out, Not(HasSubstr("Some GPU"))) << chosen;
  }
  const ProgramRun none = run(from + "--backend host");
  EXPECT_EQ(none.exit_code, 6);
  EXPECT_THAT(none.out, HasSubstr("\"winners\": []"));
  EXPECT_THAT(none.err, HasSubstr("no entry of " + path("w.json") + " matches"));
  for (const char* lacking : {"--name baseline", "--session 1", "--require-current"}) {
    const ProgramRun refused = run(from + lacking);
    EXPECT_EQ(refused.exit_code, 2) << lacking;
    EXPECT_THAT(refused.err, HasSubstr("a wisdom file has none of")) << lacking;
  }
}

TEST_F(CliStores, ANameThatNoFileCanHaveStopsNoVerbOverTheWholeStore) {
  add_session(store(), "add", 2);
  db::Store with_long = store();
  for (const auto& [kernel, manifest, capture] :
       {std::tuple{std::string(300, 'k'), std::string(), std::string()},
        {std::string(40'000, 'k'), std::string(), std::string()},
        {std::string("copy"), "/" + std::string(40'000, 'm'), std::string()},
        {std::string("copy"), std::string(5'000, '/') + "m/template.toml", "/" + std::string(300, 'c')}}) {
    db::SessionRecord session;
    session.key.kernel = kernel;
    session.key.device = {"cuda", "Some GPU", "sm_90", "580.1", {}};
    session.key.problem_size = {{"n", std::int64_t{5}}};
    if (!capture.empty()) session.key.capture = "0123";
    session.manifest = manifest;
    session.capture_file = capture;
    session.objective = "time";
    const db::SessionId id = with_long.create_session(session);
    search::Trial trial;
    trial.measurement = search::Measurement{{2}, 2, 0.01, false};
    trial.objectives = {2};
    with_long.set_winner(id, {with_long.record(id, {{"BLOCK", std::int64_t{64}}}, trial), 2, 0.01, 4, {}});
    with_long.set_session_state(id, db::SessionState::finished);
  }
  for (const char* verb : {"best", "best --format json", "best copy", "history", "show 4", "export copy --format json",
                           "export --format warptune-json"}) {
    const ProgramRun all = run(verb);
    EXPECT_EQ(all.exit_code, 0) << verb << all.err;
  }
  for (const char* verb : {"check", "explain 4", "explain 2", "report 1 2 3 4 -o r.html", "select copy", "trial 4",
                           "export copy", "export add", "revalidate"}) {
    const ProgramRun some = run(verb);
    EXPECT_NE(some.exit_code, 1) << verb << some.err;
  }
  EXPECT_THAT(run("best --format csv").out, AllOf(HasSubstr(std::string(300, 'k')), HasSubstr("add,")));
}

TEST_F(CliStores, MergeAndGcTellBeforehandWhatTheyWouldDo) {
  add_session(store("other.db"), "gemm", 2);
  EXPECT_THAT(run("merge --dry-run --format csv " + path("other.db")).out, HasSubstr(",1,2,0,1,0"));
  EXPECT_THAT(run("history").err, HasSubstr("nothing has been tuned yet"));  // no store was made, either
  EXPECT_THAT(run("merge --format csv " + path("other.db")).out, HasSubstr(",1,2,0,1,0"));
  EXPECT_THAT(run("merge --format csv " + path("other.db")).out, HasSubstr(",0,0,0,0,0"));
  EXPECT_EQ(run("merge " + path("none.db")).exit_code, 5);
  db::SessionRecord empty;
  store().set_session_state(store().create_session(empty), db::SessionState::finished);
  EXPECT_THAT(run("gc --format csv --db " + path("none.db")).out, HasSubstr("\r\n0,"));
  EXPECT_THAT(run("gc --dry-run --format csv").out, HasSubstr("\r\n1,"));
  EXPECT_THAT(run("gc --format csv").out, HasSubstr("\r\n1,"));
  EXPECT_THAT(run("gc --format csv").out, HasSubstr("\r\n0,"));
}

TEST_F(CliStores, AMergeOfWhatIsNoStoreChangesNothing) {
  add_session(store("other.db"), "gemm", 2);
  folder_.write("text.db", "no store");
  folder_.write("empty.db", "");
  for (const char* wrong : {"none.db", "text.db", "empty.db", "."}) {
    const ProgramRun refused = run("merge " + path("other.db") + " " + path(wrong) + " --db " + path("target.db"));
    EXPECT_EQ(refused.exit_code, 5) << wrong;
    EXPECT_THAT(refused.err, HasSubstr(std::string("store ") + path(wrong))) << wrong;
    EXPECT_FALSE(std::filesystem::exists(path("target.db"))) << wrong;
  }
  EXPECT_EQ(run("merge " + path("other.db") + " --db " + path("target.db")).exit_code, 0);
}

TEST_F(CliStores, TheUsersStoreLiesOverTheSystems) {
  add_session(store("system.db"), "gemm", 2);
  add_session(store("system.db"), "copy", 2);
  const std::string system = "WARPTUNE_SYSTEM_DB=" + path("system.db");
  EXPECT_THAT(run("best", system).out, HasSubstr("gemm"));  // there is no store of the user's own yet
  EXPECT_EQ(run("best").exit_code, 6);
  add_session(store(), "gemm", 1);
  const ProgramRun best = run("best --format csv", system);
  EXPECT_THAT(best.out, HasSubstr(path("s.db")));
  EXPECT_THAT(best.out, HasSubstr(path("system.db")));
  EXPECT_THAT(best.out, HasSubstr(",1.0,"));
  EXPECT_THAT(run("history --format csv", system).out, HasSubstr("copy"));
  EXPECT_THAT(run("show 2:2", system).out, HasSubstr("copy"));
  EXPECT_EQ(run("show 3:1", system).exit_code, 3);
  EXPECT_THAT(run("history --format csv --db " + path("s.db") + " --db " + path("system.db")).out,
              HasSubstr(path("system.db")));
  EXPECT_THAT(run("history --format csv").out, Not(HasSubstr("store")));
  EXPECT_EQ(run("history --db " + path("s.db") + " --db " + path("none.db")).exit_code, 5);
}

}  // namespace
}  // namespace warptune::tuner
