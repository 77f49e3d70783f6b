// Many sizes in one run, and few kernels for them.
#include <nlohmann/json.hpp>

#include "tests/support/places.h"
#include "tests/tuner/program/cli/tuned_store.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

class CliSizes : public TunedStore {
 protected:
  // By the default strategy, which searches all sizes together.
  ProgramRun tune_together(const std::string& more) {
    return run("tune " + folder_.path().string() + " --device host --sizes " + path("sizes.txt") + " " + more);
  }
  std::int64_t trials() const {
    std::int64_t all = 0;
    for (const db::SessionRecord& session : store().history({})) all += session.trials;
    return all;
  }
};

TEST_F(CliSizes, ShareTheBudgetAndAreServedByFewKernels) {
  folder_.write("sizes.txt", "# three sizes\nn=100\n\nn=5000  # comment\n  n=300,\r\n");
  const ProgramRun tuned = tune("--sizes " + path("sizes.txt") + " --budget 12 --format csv");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("problem_size,session,trials,slices,seconds,time_ms,value,speed_up,configuration"));
  std::int64_t trials = 0;
  const auto sessions = store().history({});
  ASSERT_EQ(sessions.size(), 3u);
  for (const db::SessionRecord& session : sessions) {
    EXPECT_GE(session.trials, 2);
    trials += session.trials;
  }
  EXPECT_EQ(trials, 12);

  const ProgramRun selected = run("select doubling --kernels 3 --measure --candidates 2 --format json");
  ASSERT_EQ(selected.exit_code, 0) << selected.err;
  const auto document = nlohmann::json::parse(selected.out);
  EXPECT_EQ(document["schema"], "warptune/2");
  EXPECT_EQ(document["sizes"].size(), 3u);
  ASSERT_EQ(document["regret"].size(), 3u);  // for 1, 2 and 3 kernels
  for (const auto& row : document["regret"]) EXPECT_FALSE(row["slower_than_default"]);
  EXPECT_GE(document["regret"][0]["worst"], document["regret"][2]["worst"]);
  for (const auto& row : document["sizes"]) {
    EXPECT_GE(row["kernel"], 1);
    EXPECT_LE(row["kernel"], document["kernels"].size());
    if (row["default"].is_number()) {
      EXPECT_LE(row["value"], row["default"]);
    }
  }
  EXPECT_THAT(run("select doubling").out, HasSubstr("WORST REGRET"));
}

TEST_F(CliSizes, WithoutNamesAreAnsweredWithThoseOfTheTemplate) {
  for (const char* line : {"64 64 64", "64,64", "n:1000", "n = 64", "=3", "n="}) {
    folder_.write("sizes.txt", "n=100\n" + std::string(line) + "\n");
    const ProgramRun refused = tune("--sizes " + path("sizes.txt"));
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, testing::ContainsRegex("sizes.txt, line 2: '[^']+': expected sizes, as n=[0-9]+"));
    EXPECT_THAT(refused.err, testing::Not(HasSubstr("variants")));
  }
}

TEST_F(CliSizes, ShowATimeOnceAndAnotherObjectiveBesideIt) {
  folder_.write("sizes.txt", "n=100\nn=300\n");
  const std::string command = "--sizes " + path("sizes.txt") + " --budget 2";
  EXPECT_THAT(tune(command).out, testing::AllOf(HasSubstr("TIME"), testing::Not(HasSubstr("VALUE"))));
  EXPECT_THAT(tune(command + " --objective max_error").out, HasSubstr("VALUE"));
}

TEST_F(CliSizes, AreSearchedByOneModelWithinTheBudgetAndGoOnWhereTheyWere) {
  folder_.write("sizes.txt", "n=100\nn=5000\nn=300\nn=20000\nn=1000\n");
  const ProgramRun first = tune_together("--budget 14 --format json");
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("size 3 of 5: "));
  EXPECT_THAT(first.err, HasSubstr(", by turns"));
  EXPECT_THAT(first.err, HasSubstr("14 trials in "));
  EXPECT_EQ(trials(), 14);
  const auto sessions = store().history({});
  ASSERT_EQ(sessions.size(), 5u);
  for (const db::SessionRecord& session : sessions) EXPECT_TRUE(store().winner(session.id)) << session.id;
  EXPECT_EQ(nlohmann::json::parse(first.out)["sizes"].size(), 5u) << first.out;

  const ProgramRun again = tune_together("--budget 12");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("resuming: "));
  EXPECT_EQ(store().history({}).size(), 5u);
  EXPECT_LE(trials(), 26);
}

TEST_F(CliSizes, AnInterruptionEndsAllOfThemAndShowsWhatWasMeasured) {
  folder_.write("sizes.txt", "n=100\nn=5000\nn=300\nn=20000\n");
  const std::string log = path("log");
  const ProgramRun stopped = run_program(
      folder_, "WARPTUNE_DB=" + path("s.db") + " XDG_CACHE_HOME=" + path("cache") + " " + warptune_program() +
                   " tune " + folder_.path().string() +
                   " --device host --precision 1e-6 --format csv --budget 600s --sizes " + path("sizes.txt") + " 2>" +
                   log + " & pid=$!; until grep -q best " + log +
                   "; do sleep 0.02; done; kill -INT $pid; wait $pid; code=$?; cat " + log + " >&2; exit $code");
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_THAT(stopped.out, HasSubstr("problem_size,session,trials"));
  EXPECT_GT(trials(), 0);
}

TEST_F(CliSizes, AnotherStrategyOrNoTransferSearchesEachByItself) {
  folder_.write("sizes.txt", "n=100\nn=5000\n");
  for (const char* apart : {"--strategy random", "--transfer off", "--deterministic"}) {
    const ProgramRun tuned = tune_together(std::string("--budget 4 ") + apart);
    EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
    EXPECT_EQ(tuned.err.find("by turns"), std::string::npos) << apart;
  }
}

TEST_F(CliSizes, ATimeTooShortForAllOfThemSaysWhichWereNotReached) {
  std::string list;
  for (int n = 1; n <= 60; ++n) list += "n=" + std::to_string(100 * n) + "\n";
  folder_.write("sizes.txt", list);
  const ProgramRun tuned = tune_together("--budget 0.5s");
  EXPECT_EQ(tuned.exit_code, 6) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("of 60 sizes were not reached within the budget"));
}

TEST_F(CliSizes, OthersArePredictedFromThoseMeasuredAndItIsSaid) {
  folder_.write("sizes.txt", "n=100\nn=300\nn=1000\nn=5000\nn=20000\n");
  ASSERT_EQ(tune_together("--budget 15").exit_code, 0);
  const ProgramRun selected = run("select doubling --measure --candidates 3 --predict n=700 --format json");
  ASSERT_EQ(selected.exit_code, 0) << selected.err;
  const auto document = nlohmann::json::parse(selected.out);
  ASSERT_EQ(document["predicted"].size(), 1u);
  EXPECT_EQ(document["predicted"][0]["problem_size"]["n"], 700);
  EXPECT_EQ(document["predicted"][0]["as_measured_at"]["n"], 1000);
  EXPECT_EQ(document["predicted"][0]["left_out"], 5);
  EXPECT_TRUE(document["predicted"][0]["expected_regret"].is_number());
  EXPECT_THAT(selected.err, HasSubstr("leaving each of 5 measured sizes out"));
  EXPECT_THAT(run("select doubling --predict n=700").out, HasSubstr("NOT MEASURED"));
  EXPECT_THAT(run("select doubling --predict m=700").err, HasSubstr("--predict m=700: expected all sizes"));

  const ProgramRun wisdom = run("export doubling --format wisdom");
  ASSERT_EQ(wisdom.exit_code, 0) << wisdom.err;
  EXPECT_EQ(nlohmann::json::parse(wisdom.out)["prediction"]["weights"]["n"], 1);
}

// Or `explain` would miss a [work] that the template has.
TEST_F(CliSizes, MeasuringForASelectionStoresTheWorkThatIsStated) {
  write_doubling_template(folder_, std::string(doubling_manifest) + "[work]\nbytes = \"8 * n\"\n");
  ASSERT_EQ(tune("--size n=100 --budget 4 --seed 1").exit_code, 0);
  ASSERT_EQ(tune("--size n=5000 --budget 4 --seed 2").exit_code, 0);  // others
  const std::int64_t tuned = trials();
  ASSERT_EQ(run("select doubling --measure --candidates 5").exit_code, 0);
  ASSERT_GT(trials(), tuned);
  for (const db::SessionRecord& session : store().history({}))
    for (const db::StoredTrial& trial : store().trials(session.id))
      if (trial.trial.correct()) {
        EXPECT_TRUE(trial.trial.work.bytes) << "trial " << trial.id;
      }
}

TEST_F(CliSizes, SaysWhichLineCannotBeRead) {
  folder_.write("sizes.txt", "n=100\nn=many\n");
  EXPECT_THAT(tune("--sizes " + path("sizes.txt")).err, HasSubstr("sizes.txt, line 2: "));
  folder_.write("sizes.txt", "n=100\nn=100\n");
  EXPECT_THAT(tune("--sizes " + path("sizes.txt")).err, HasSubstr("line 2: n=100 is there twice"));
  folder_.write("sizes.txt", "# none\n");
  EXPECT_EQ(tune("--sizes " + path("sizes.txt")).exit_code, 3);
  EXPECT_EQ(tune("--sizes " + path("none.txt")).exit_code, 2);
}

TEST_F(CliSizes, SelectingNeedsWinners) {
  EXPECT_EQ(run("select doubling").exit_code, 6);
}

}  // namespace
}  // namespace warptune::tuner
