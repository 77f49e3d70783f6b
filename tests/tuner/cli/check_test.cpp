// Whether what is stored still holds: best, export, check and revalidate after something changed.
#include "tests/tuner/cli/tuned_store.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

class CliCheck : public TunedStore {
 protected:
  CliCheck() { tuned_ = tune("--budget 4"); }

  // Rewrites what the store believes of the winner's time.
  void believe(double factor) {
    db::Store store = this->store();
    db::BestRecord best = store.best({}).at(0);
    search::Trial& trial = best.trial.trial;
    trial.measurement->median_ms *= factor;
    trial.objectives = {trial.measurement->median_ms};
    const db::TrialId id = store.record(best.session.id, best.trial.values, trial);
    store.set_winner(best.session.id, {id, trial.objectives[0], 0.01, 1.0, {}});
  }

  ProgramRun tuned_;
};

TEST_F(CliCheck, TellsFasterFromSlower) {
  ASSERT_EQ(tuned_.exit_code, 0) << tuned_.err;
  const ProgramRun same = run("check --tolerance 1000 --format csv");
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr(",ok,winner,ok,"));
  believe(1e-6);
  const ProgramRun slower = run("check --runners-up 0 --junit " + path("j.xml"));
  EXPECT_EQ(slower.exit_code, 8) << slower.err;
  std::ifstream junit(path("j.xml"));
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(junit), {}), HasSubstr("<failure type=\"regression\">"));
  believe(1e9);
  EXPECT_THAT(run("check --runners-up 0 --format csv").out, HasSubstr(",improved,winner,"));
  const std::string shown = run("show 1").out;
  EXPECT_THAT(shown.substr(shown.find("CHECKED AT")),
              testing::ContainsRegex(" [0-9.]+ (ns|µs|ms)  +[0-9.]+ (ns|µs|ms)"));
}

TEST_F(CliCheck, SaysWhatIsNotCurrentAndServesNothingStaleInSilence) {
  EXPECT_EQ(run("best --require-current").exit_code, 0);
  change_kernel("// a new line");
  const ProgramRun best = run("best --format csv");
  EXPECT_EQ(best.exit_code, 0);
  EXPECT_THAT(best.out, HasSubstr(",source,"));
  EXPECT_THAT(best.err, HasSubstr("session 1 (doubling for n=1000) is not current: source (changed)"));
  EXPECT_EQ(run("best --require-current").exit_code, 9);
  EXPECT_THAT(run("export doubling").err, HasSubstr("not current: source (changed)"));
  const ProgramRun refused = run("export doubling --require-current");
  EXPECT_EQ(refused.exit_code, 9);
  EXPECT_EQ(refused.out, "");
  const ProgramRun check = run("check --tolerance 1000 --format csv");
  EXPECT_EQ(check.exit_code, 9) << check.err;
  EXPECT_THAT(check.out, HasSubstr(",stale,winner,ok,"));
}

TEST_F(CliCheck, RevalidatingMakesANewSessionUnderTodaysKey) {
  EXPECT_THAT(run("revalidate").err, HasSubstr("nothing was measured"));
  change_kernel("// a new line");
  const ProgramRun again = run("revalidate --top 2 --format csv");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("2,1,doubling,"));
  const ProgramRun best = run("best --require-current --format csv");
  EXPECT_EQ(best.exit_code, 0) << best.err;
  EXPECT_THAT(run("show 2").out, HasSubstr("revalidated from session 1 ("));
  EXPECT_GE(store().session(2)->trials, 2);
  EXPECT_LE(store().session(2)->trials, 3);
  EXPECT_TRUE(store().winner(2)->default_objective.has_value());
}

TEST_F(CliCheck, AWrongWinnerDoesNotStayBest) {
  const search::NamedValues winner = store().best({}).at(0).trial.values;
  std::string condition;
  for (const auto& [name, value] : winner)
    if (name != "MODE") condition += (condition.empty() ? "" : " && ") + name + " == " + search::to_text(value);
  std::string kernel = doubling_kernel;
  const std::string right = "2 * in[i];\n  }";
  kernel.replace(kernel.rfind(right), right.size(), "2 * in[i];\n    if (" + condition + ") out[i] = 0;\n  }");
  folder_.write("kernel.cu", kernel);
  EXPECT_EQ(run("check --keep --runners-up 0").exit_code, 10);
  EXPECT_EQ(store().best({}).at(0).trial.values, winner);
  const ProgramRun check = run("check --runners-up 0 --format csv");
  EXPECT_EQ(check.exit_code, 10) << check.err;
  EXPECT_THAT(check.out, HasSubstr(",wrong,winner,wrong,"));
  EXPECT_THAT(check.err, HasSubstr("the winner was wrong and was replaced by trial"));
  EXPECT_NE(store().best({}).at(0).trial.values, winner);
}

TEST_F(CliCheck, AnAbsentDeviceIsSaidByItsOwnCode) {
  std::filesystem::remove(path("s.db"));
  db::SessionRecord session;
  session.key.kernel = "doubling";
  session.key.device = {"cuda", "Some GPU", "sm_90", "580.1", {}};
  session.objective = "time";
  session.manifest = path("template.toml");
  {
    db::Store other = store();
    const db::SessionId id = other.create_session(session);
    search::Trial trial;
    trial.measurement = search::Measurement{{1}, 1, 0.01, false};
    trial.objectives = {1};
    other.set_winner(id, {other.record(id, {{"BLOCK", std::int64_t{64}}}, trial), 1, 0.01, {}, {}});
  }
  const ProgramRun check = run("check --format csv");
  EXPECT_EQ(check.exit_code, 4) << check.err;
  EXPECT_THAT(check.out, HasSubstr(",no device,"));
  EXPECT_THAT(run("best").err, HasSubstr("device (Some GPU is not on this machine)"));
  EXPECT_EQ(run("revalidate").exit_code, 4);
}

TEST_F(CliCheck, WhatWasMeasuredIsShownEvenIfItsFileCannotBeWritten) {
  const ProgramRun check = run("check --runners-up 0 --format csv --junit " + folder_.path().string());
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.err, HasSubstr("Is a directory"));
  EXPECT_THAT(check.out, HasSubstr(",winner,"));
}

TEST_F(CliCheck, ATemplateThatIsGoneIsAFailure) {
  std::filesystem::remove(path("template.toml"));
  EXPECT_THAT(run("best --format csv").out, HasSubstr(",template,"));
  EXPECT_EQ(run("check").exit_code, 10);
}

}  // namespace
}  // namespace warptune::tuner
