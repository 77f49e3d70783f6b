// Whether what is stored still holds: best, export, check and revalidate after something changed.
#include "tests/tuner/program/cli/tuned_store.h"
#include "tuner/library/api/tune.h"

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

  // The same of all that was measured.
  void believe_all(double factor) {
    db::Store store = this->store();
    const db::BestRecord best = store.best({}).at(0);
    for (db::StoredTrial& stored : store.trials(best.session.id)) {
      if (!stored.trial.correct()) continue;
      stored.trial.measurement->median_ms *= factor;
      stored.trial.objectives = {stored.trial.measurement->median_ms};
      store.record(best.session.id, stored.values, stored.trial);
    }
    store.set_winner(best.session.id, {best.trial.id, best.trial.trial.objectives[0] * factor, 0.01, 1.0, {}});
  }

  // One configuration's results are wrong from now on.
  void break_kernel_for(const search::NamedValues& values) {
    std::string condition;
    for (const auto& [name, value] : values)
      if (name != "MODE") condition += (condition.empty() ? "" : " && ") + name + " == " + search::to_text(value);
    std::string kernel = doubling_kernel;
    const std::string right = "2 * in[i];\n  }";
    kernel.replace(kernel.rfind(right), right.size(), "2 * in[i];\n    if (" + condition + ") out[i] = 0;\n  }");
    folder_.write("kernel.cu", kernel);
  }

  // The store's file alone, as whoever copies or commits it has it.
  db::Store copy_of_file() const {
    std::filesystem::copy_file(path("s.db"), path("copy.db"), std::filesystem::copy_options::overwrite_existing);
    return store("copy.db");
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

TEST_F(CliCheck, TellsASlowerMachineFromARegression) {
  ASSERT_EQ(tuned_.exit_code, 0) << tuned_.err;
  believe_all(1e-6);
  const ProgramRun slower = run("check --tolerance 100 --format json");
  EXPECT_EQ(slower.exit_code, 12) << slower.err;
  EXPECT_THAT(slower.out, HasSubstr("\"verdict\": \"slower machine\""));
  EXPECT_THAT(slower.out, HasSubstr("the machine is slower, and not this configuration"));
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

TEST_F(CliCheck, ABrokenKernelTakesNothingFromTheSessionOfTheGoodOne) {
  const search::NamedValues winner = store().best({}).at(0).trial.values;
  break_kernel_for(winner);
  const ProgramRun check = run("check --runners-up 0 --format csv");
  EXPECT_EQ(check.exit_code, 10) << check.err;
  EXPECT_THAT(check.out, HasSubstr(",wrong,winner,wrong,"));
  EXPECT_THAT(check.err, HasSubstr("session 1: the stored winner stays"));
  folder_.write("kernel.cu", doubling_kernel);
  EXPECT_EQ(store().best({}).at(0).trial.values, winner);
  EXPECT_EQ(run("check --tolerance 1000").exit_code, 0);
}

TEST_F(CliCheck, AWrongWinnerDoesNotStayBest) {
  const db::BestRecord good = store().best({}).at(0);
  break_kernel_for(good.trial.values);
  ASSERT_EQ(tune("--budget 4").exit_code, 0);
  {  // as if it had been right when it was tuned
    db::Store store = this->store();
    const db::TrialId id = store.record(2, good.trial.values, good.trial.trial);
    store.set_winner(2, {id, 1e-6, 0.01, {}, {}});
  }
  EXPECT_EQ(run("check --keep --runners-up 0").exit_code, 10);
  EXPECT_EQ(store().best({}).at(0).trial.values, good.trial.values);
  const ProgramRun check = run("check --runners-up 0 --format csv");
  EXPECT_EQ(check.exit_code, 10) << check.err;
  EXPECT_THAT(check.out, HasSubstr(",wrong,winner,wrong,"));
  EXPECT_THAT(check.err, HasSubstr("the winner was wrong and was replaced by trial"));
  EXPECT_NE(store().best({}).at(0).trial.values, good.trial.values);
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

// As a program leaves it whose sources nobody else has: one in Python, which writes them to a temporary folder.
TEST_F(CliCheck, SourcesThatNobodyKeptFailNothing) {
  TuneRequest request;
  request.manifest = folder_.path();
  request.temporary_manifest = true;
  request.device = "host";
  request.budget.trials = 2;
  warptune::tune(request, {.store = path("own.db")});
  const std::string own = " --db " + path("own.db");
  const ProgramRun check = run("check --format csv" + own);
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr(",not checkable,"));
  EXPECT_THAT(check.err, HasSubstr("1 of 1 session not checkable"));
  EXPECT_THAT(check.err, HasSubstr("save_template"));
  const ProgramRun best = run("best --require-current" + own);
  EXPECT_EQ(best.exit_code, 0) << best.err;
  EXPECT_THAT(best.err, HasSubstr("template="));
  EXPECT_EQ(run("revalidate" + own).exit_code, 0);
  EXPECT_THAT(run("check --tolerance 1000 --format csv --template " + folder_.path().string() + own).out,
              HasSubstr(",winner,ok,"));
}

TEST_F(CliCheck, WhatWasMeasuredIsShownEvenIfItsFileCannotBeWritten) {
  const ProgramRun check = run("check --runners-up 0 --format csv --junit " + folder_.path().string());
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.err, HasSubstr("Is a directory"));
  EXPECT_THAT(check.out, HasSubstr(",winner,"));
  EXPECT_GT(store().checks(1).size(), 0u);
}

// A pull of the store's file alone, by git or a copy, must not lose the newest.
TEST_F(CliCheck, WhatWasWrittenIsInTheStoresOneFile) {
  run("check --tolerance 1000 --runners-up 0");
  EXPECT_EQ(copy_of_file().checks(1).size(), store().checks(1).size());
  EXPECT_GT(store().checks(1).size(), 0u);
  run("history name 1 baseline");
  EXPECT_EQ(copy_of_file().session(1)->name, "baseline");
  run("history note 1 'before the update'");
  EXPECT_EQ(copy_of_file().session(1)->note, "before the update");
}

// No file may grow: as on a full disk.
TEST_F(CliCheck, VerdictsAreToldEvenWhereTheyCannotBeRecorded) {
  db::Store held = store();  // what waits in its log is longer than files may be
  constexpr int megabytes = 12;
  for (int i = 0; i < megabytes; ++i) held.label(1, {.note = std::string(1 << 20, static_cast<char>('a' + i))});
  const std::string check = "check --tolerance 1000 --runners-up 0 --format csv --junit " + path("j.xml");
  const ProgramRun full = run(check, "prlimit --fsize=8388608");
  EXPECT_EQ(full.exit_code, 5) << full.err;
  EXPECT_THAT(full.out, HasSubstr(",ok,winner,ok,"));
  EXPECT_TRUE(std::filesystem::exists(path("j.xml")));
  EXPECT_THAT(full.err, HasSubstr("the verdicts were told but not recorded: cannot record a check"));
  EXPECT_THAT(full.err, HasSubstr("--keep"));
  EXPECT_EQ(run(check + " --keep", "prlimit --fsize=8388608").exit_code, 0);
}

TEST_F(CliCheck, AnInterruptLeavesWhatThereIsAndItsOwnCode) {
  std::string endless = doubling_kernel;
  const std::string begin = "int count) {\n";
  endless.replace(endless.find(begin), begin.size(), begin + "  for (volatile int i = 0;; i = i) {}\n");
  folder_.write("kernel.cu", endless);
  const ProgramRun stopped = run("check --junit " + path("j.xml") + " & pid=$!; until grep -q checking " +
                                 path("stderr") + "; do sleep 0.1; done; kill -TERM $pid; wait $pid");
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("interrupted after 0 sessions"));
  EXPECT_TRUE(std::filesystem::exists(path("j.xml")));
  EXPECT_TRUE(store().checks(1).empty());
}

TEST_F(CliCheck, ARecordingIsLeftOutForNoMachineCanMeasureIt) {
  {
    db::Store other = store();
    db::SessionRecord session;
    session.key.kernel = "doubling";
    session.key.device = {"replay", "AMD EPYC", "", "", {}};
    session.objective = "time";
    session.strategy = "imported";
    search::Trial trial;
    trial.measurement = search::Measurement{{1}, 1, 0, false};
    trial.objectives = {1};
    const db::SessionId id = other.create_session(session);
    other.set_winner(id, {other.record(id, {{"BLOCK", std::int64_t{64}}}, trial), 1, {}, {}, {}});
  }
  const ProgramRun check = run("check --tolerance 1000 --runners-up 0");
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.err, HasSubstr("left out session 2 (doubling"));
  EXPECT_THAT(run("revalidate").err, HasSubstr("left out session 2 (doubling"));
  EXPECT_THAT(run("export doubling --format wisdom").out, HasSubstr("\"n\":1000"));  // what was measured here decides
}

TEST_F(CliCheck, ATemplateOfAnotherKernelIsRefused) {
  std::string other = doubling_manifest;
  other.replace(other.find("\"doubling\""), 10, "\"tripling\"");
  TemporaryFolder elsewhere;
  write_doubling_template(elsewhere, other);
  const std::string named = " --template " + elsewhere.path().string();
  const ProgramRun revalidated = run("revalidate" + named);
  EXPECT_EQ(revalidated.exit_code, 10) << revalidated.err;
  EXPECT_THAT(revalidated.err, HasSubstr("tripling is not the kernel doubling"));
  EXPECT_EQ(store().history({}).size(), 1u);
  EXPECT_EQ(run("check" + named).exit_code, 10);
  EXPECT_TRUE(store().checks(1).empty());
  EXPECT_THAT(run("best" + named).err, HasSubstr("tripling is not the kernel doubling"));
  const ProgramRun exported = run("export doubling" + named);
  EXPECT_EQ(exported.exit_code, 3);
  EXPECT_THAT(exported.err, HasSubstr("tripling is not the kernel doubling"));
}

TEST_F(CliCheck, AnotherTemplateOfTheSameNameDoesNotStandForOneThatIsGone) {
  std::string other = doubling_manifest;
  other.replace(other.find("n = 1000"), 8, "width = 1000");
  std::filesystem::create_directories(path("shipped/doubling"));
  folder_.write("shipped/doubling/template.toml", other);
  std::filesystem::remove(path("template.toml"));
  const ProgramRun check = run("check", "WARPTUNE_TEMPLATES=" + path("shipped"));
  EXPECT_EQ(check.exit_code, 10) << check.err;
  EXPECT_THAT(check.err, HasSubstr(path("template.toml") + " is gone; name with --template where it is now"));
}

// Both its default and its winner have changed, so that they still agree.
TEST_F(CliCheck, WithoutAReferenceOtherOutputsAreToldAloud) {
  std::string manifest = doubling_manifest;
  const std::size_t reference = manifest.find("[reference]");
  manifest.replace(reference, manifest.find("[metrics]") - reference, "[reference]\ndefault_configuration = true\n");
  manifest.replace(manifest.find("\"wrong\", "), std::string("\"wrong\", ").size(), "");
  TemporaryFolder elsewhere;
  write_doubling_template(elsewhere, manifest);
  const std::string store = " --db " + path("other.db");
  ASSERT_EQ(run("tune " + elsewhere.path().string() + " --device host --budget 1" + store).exit_code, 0);
  EXPECT_THAT(run("check --tolerance 1000" + store).err, Not(HasSubstr("outputs")));
  std::string kernel = doubling_kernel;
  const std::string right = "2 * in[i];\n  }";
  elsewhere.write("kernel.cu", kernel.replace(kernel.rfind(right), 1, "5"));
  const ProgramRun check = run("check --tolerance 1000 --format csv" + store);
  EXPECT_EQ(check.exit_code, 9) << check.err;
  EXPECT_THAT(check.out, HasSubstr("other output bits than recorded"));
  EXPECT_THAT(check.err, HasSubstr("doubling has no reference of its own"));
}

TEST_F(CliCheck, OfTwoStoresSaysWhichEachSessionLiesIn) {
  run("tune " + folder_.path().string() + " --device host --size n=500 --budget 2 --db " + path("other.db"));
  const ProgramRun check =
      run("check --tolerance 1000 --runners-up 0 --format csv --db " + path("s.db") + " --db " + path("other.db"));
  EXPECT_THAT(check.out, HasSubstr("," + path("s.db") + ","));
  EXPECT_THAT(check.out, HasSubstr("," + path("other.db") + ","));
}

TEST_F(CliCheck, ATemplateThatIsGoneIsAFailure) {
  std::filesystem::remove(path("template.toml"));
  EXPECT_THAT(run("best --format csv").out, HasSubstr(",template,"));
  EXPECT_EQ(run("check").exit_code, 10);
}

}  // namespace
}  // namespace warptune::tuner
