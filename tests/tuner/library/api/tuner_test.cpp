// The C++ tuning interface, on the host backend.
#include "tuner/library/api/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/store.h"
#include "tests/support/temporary_folder.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/cache/code_cache.h"
#include "tuner/system/clock.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

constexpr char source[] = R"(
#define right 0
#define wrong 1
#define unwritten 2
#define outside 3
#define broken 4
#define slow 5
#if MODE == broken
#error "does not compile"
#endif
extern "C" __global__ void add_one(const int* x, int* y, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (MODE == outside && i == count) y[i] = 1;
  if (MODE == slow)
    for (volatile int k = 0; k < 20000; k = k + 1) {
    }
  if (i >= count || (MODE == unwritten && i == 50)) return;
  y[i] = x[i] + (MODE == wrong ? 2 : 1);
}
)";

constexpr char second_source[] = R"(
extern "C" __global__ void accumulate(int* total, const int* y, int count) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < count) total[i] += y[i];
}
)";

constexpr int n = 100;

EvaluatorOptions quick() {
  EvaluatorOptions options;
  options.policy.max_samples = 7;
  return options;
}

void launch_add_one(const Run& run) {
  run.launch("add_one", {{(n + run["BLOCK"] - 1) / run["BLOCK"]}, {run["BLOCK"]}}, run.array("x"), run.array("y"), n);
}

Tuner without_strategy(std::vector<search::Value> modes = {std::string("right")}) {
  Tuner tuner("add_one");
  tuner.device("host").options(quick());
  tuner.source(source, {"add_one"}).parameter("BLOCK", {32, 64}).parameter("MODE", std::move(modes));
  tuner.input("x", std::vector<int>(n, 4)).output<int>("y", n).launcher(launch_add_one);
  tuner.reference([](HostArrays& arrays) {
    for (int& y : arrays.get<int>("y")) y = 5;
  });
  return tuner;
}

Tuner add_one(std::vector<search::Value> modes = {std::string("right")}) {
  Tuner tuner = without_strategy(std::move(modes));
  tuner.strategy("exhaustive");
  return tuner;
}

std::map<std::string, search::Trial> trials_by_mode(const TunerResult& result, const std::vector<std::string>& modes) {
  std::map<std::string, search::Trial> found;
  for (const search::Trial& trial : result.session.trials) found[modes.at(trial.configuration.choices.at(1))] = trial;
  return found;
}

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(Tuner, FindsACorrectConfiguration) {
  const TunerResult result = add_one().run({});
  EXPECT_EQ(result.session.trials.size(), 2u);
  ASSERT_TRUE(result.best.has_value());
  EXPECT_THAT(search::to_text(*result.best), HasSubstr("MODE=right"));
  EXPECT_GT(result.best_ms, 0);
  EXPECT_TRUE(result.default_ms.has_value());
  EXPECT_EQ(result.session.trials[0].resources->threads_per_block, 32);
}

TEST(Tuner, TellsWhatIsWrongWithEachConfiguration) {
  const std::vector<std::string> modes = {"right", "wrong", "unwritten", "outside", "broken"};
  const auto trials = trials_by_mode(add_one({modes.begin(), modes.end()}).run({}), modes);
  EXPECT_TRUE(trials.at("right").correct());
  EXPECT_EQ(trials.at("wrong").outcome, search::Outcome::wrong_result);
  EXPECT_THAT(trials.at("wrong").message, HasSubstr("y[0] (element 0): expected 5, got 6; 100 of 100 elements differ"));
  EXPECT_THAT(trials.at("unwritten").message, HasSubstr("y[50] (element 50): expected 5"));
  EXPECT_THAT(trials.at("outside").message,
              testing::ContainsRegex("y was written [1-4]( to [2-4])? bytes? past its end"));
  EXPECT_EQ(trials.at("broken").outcome, search::Outcome::compile_error);
  EXPECT_THAT(trials.at("broken").message, HasSubstr("does not compile"));
}

TEST(Tuner, ConstraintsMayBeExpressionsAndLambdas) {
  Tuner tuner = add_one();
  tuner.parameter("K", {1, 2, 3, 4}).constraint("K != 3").constraint({"BLOCK", "K"}, [](const Values& values) {
    return values.integer("BLOCK") * values.integer("K") == 64;
  });
  const TunerResult result = tuner.run({});
  ASSERT_EQ(result.session.trials.size(), 2u);  // 32 * 2 and 64 * 1
  tuner.constraint({"K"}, [](const Values& values) { return values.integer("K") == 3; });
  EXPECT_THAT(error_of([&] { tuner.run({}); }), HasSubstr("These contradict each other"));
  EXPECT_THAT(error_of([&] { tuner.run({}); }), HasSubstr("a function of K"));
}

TEST(Tuner, ALauncherQueuesSeveralKernelsOfSeveralSourcesInLoops) {
  Tuner tuner = add_one();
  tuner.source(second_source, {"accumulate"}).inout("total", std::vector<int>(n, 1000));
  tuner.launcher([](const warptune::Run& run) {
    launch_add_one(run);
    for (int i = 0; i < 3; ++i) run.launch("accumulate", {{2}, {64}}, run.array("total"), run.array("y"), n);
  });
  tuner.reference([](HostArrays& arrays) {
    for (int& y : arrays.get<int>("y")) y = 5;
    for (int& total : arrays.get<int>("total")) total += 15;
  });
  const TunerResult result = tuner.run({});
  for (const search::Trial& trial : result.session.trials) EXPECT_TRUE(trial.correct()) << trial.message;
}

TEST(Tuner, MetricsAreFunctionsAndCanBeTheObjective) {
  Tuner tuner = add_one();
  tuner.metric("block per us",
               [](const Values& values) { return values.integer("BLOCK") / (values.number("time") * 1e6); });
  tuner
      .metric(
          "block", [](const Values& values) { return values.number("BLOCK"); }, false)
      .objective("block");
  const TunerResult result = tuner.run({});
  EXPECT_THAT(search::to_text(*result.best), HasSubstr("BLOCK=32"));
  EXPECT_GT(result.session.trials[0].metrics.at("block per us"), 0);
}

TEST(Tuner, AnObserverSeesEveryTrialAndMayStopTheSession) {
  struct StopAtOnce : SessionObserver {
    void on_trial(const search::Trial&, const SessionProgress&) override {
      ++seen;
      stop = true;
    }
    int seen = 0;
    std::atomic<bool> stop{false};
  } observer;
  Tuner tuner = add_one();
  EXPECT_EQ(tuner.observer(observer).run({}, &observer.stop).session.trials.size(), 1u);
  EXPECT_EQ(observer.seen, 1);
}

// Choosing a device and opening the store are time of the user's. The launcher is called before them, to see whether
// its names exist.
TEST(Tuner, TheTimeBeginsWhenItIsRun) {
  struct Watch : SessionObserver {
    void on_setup(const std::string&) override { latest_s = steady_s(); }
    void on_resumed(const SessionProgress& progress) override { elapsed_s = progress.elapsed_s; }
    double latest_s = 0, elapsed_s = 0;
  } watch;
  std::optional<double> called_s;
  Tuner tuner = add_one();
  tuner.launcher([&](const warptune::Run& run) {
    if (!called_s) called_s = steady_s();
    launch_add_one(run);
  });
  tuner.observer(watch).run({.trials = 1});
  EXPECT_GE(watch.elapsed_s, watch.latest_s - *called_s);
}

TEST(Tuner, AStoreInAFileIsResumedUnlessTheVersionOrTheDataChanged) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& version, int input) {
    Tuner tuner = add_one();
    tuner.store(folder.path() / "s.db", version).inout("more", std::vector<int>(4, input));
    return tuner.run({}).session.resumed;
  };
  EXPECT_EQ(run("1", 1), 0u);
  EXPECT_EQ(run("1", 1), 2u);
  EXPECT_EQ(run("2", 1), 0u);
  EXPECT_EQ(run("1", 2), 0u);
}

db::SessionRecord session_in(const std::filesystem::path& store) {
  return db::Store::open(store, db::OpenMode::read_only).history({}).at(0);
}

TEST(Tuner, SearchesAsTuneDoesAndHoldsFinals) {
  const TemporaryFolder folder;
  // The default configuration is in the finals too, and here it cannot be the best, however busy the machine is.
  Tuner tuner = without_strategy({std::string("slow"), std::string("right")});
  const TunerResult result = tuner.store(folder.path() / "s.db").run({});
  EXPECT_EQ(session_in(folder.path() / "s.db").strategy, "auto");
  ASSERT_TRUE(result.session.finals.has_value());
  EXPECT_GE(result.session.finals->finalists.size(), 2u);
  EXPECT_FALSE(add_one().finals(0).run({}).session.finals.has_value());
}

TEST(Tuner, KeepsCompiledCodeWhereItIsTold) {
  const TemporaryFolder folder;
  EvaluatorOptions options = quick();
  options.cache.folder = folder.path() / "cache";
  const auto entries = [&] {
    Tuner tuner = add_one();
    tuner.options(options).run({});
    return CodeCache(options.cache).stats().entries;
  };
  const auto after_first = entries();
  EXPECT_GE(after_first, 2u);
  EXPECT_EQ(entries(), after_first);
}

TEST(Tuner, MeasuresWithAColdCacheWhenAskedTo) {
  const TemporaryFolder folder;
  EvaluatorOptions options = quick();
  options.policy.cold_cache = true;
  Tuner tuner = add_one();
  EXPECT_TRUE(tuner.options(options).store(folder.path() / "s.db").run({}).best.has_value());
  EXPECT_THAT(session_in(folder.path() / "s.db").key.policy, HasSubstr("cache=cold"));
}

TEST(Tuner, ADeviceThatCannotTellTheEnergyIsRefusedForIt) {
  Tuner tuner = add_one();
  EXPECT_THAT(error_of([&] { tuner.objective("joules").run({}); }), HasSubstr("the energy of a run is asked for"));
}

TEST(Tuner, ALaunchThatCannotBeIsItsConfigurationsFault) {
  Tuner tuner = add_one();
  tuner.launcher([](const warptune::Run& run) {
    if (run["BLOCK"] == 64) return run.launch("add_one", {{0}, {1}}, run.array("x"), run.array("y"), n);
    launch_add_one(run);
  });
  const TunerResult result = tuner.run({});
  ASSERT_EQ(result.session.trials.size(), 2u);
  EXPECT_EQ(result.session.trials[1].outcome, search::Outcome::constraint_violation);
  EXPECT_THAT(result.session.trials[1].message, HasSubstr("a grid of 0 x 1 x 1"));
  EXPECT_TRUE(result.best.has_value());
}

TEST(Tuner, AnArrayIsClearedBeforeTheLaunchThatFollowsAndNotAfterTheLast) {
  Tuner tuner = add_one();
  tuner.source(second_source, {"accumulate"}).output<int>("total", n);
  tuner.launcher([](const warptune::Run& run) {
    launch_add_one(run);
    run.clear("total");
    run.launch("accumulate", {{2}, {64}}, run.array("total"), run.array("y"), n);
  });
  tuner.reference([](HostArrays& arrays) {
    for (int& y : arrays.get<int>("y")) y = 5;
    for (int& total : arrays.get<int>("total")) total = 5;
  });
  for (const search::Trial& trial : tuner.run({}).session.trials) EXPECT_TRUE(trial.correct()) << trial.message;
  tuner.launcher([](const warptune::Run& run) {
    launch_add_one(run);
    run.clear("total");
  });
  EXPECT_THAT(error_of([&] { tuner.run({}); }), HasSubstr("clears 'total' after its last launch"));
}

TEST(Tuner, WithoutAReferenceTheRecordSaysUnverified) {
  const TemporaryFolder folder;
  Tuner tuner("add_one");
  tuner.device("host").options(quick()).source(source, {"add_one"});
  tuner.parameter("BLOCK", {32}).parameter("MODE", {std::string("wrong")});
  tuner.input("x", std::vector<int>(n)).output<int>("y", n).launcher(launch_add_one);
  EXPECT_THAT(error_of([&] { tuner.run({}); }), HasSubstr("needs a reference"));
  EXPECT_TRUE(tuner.unverified().store(folder.path() / "s.db").run({}).best.has_value());
  const auto sessions = db::Store::open(folder.path() / "s.db", db::OpenMode::read_only).history({});
  EXPECT_THAT(sessions.at(0).key.policy, HasSubstr("verify=never"));
}

TEST(Tuner, RefusesTwoArraysOfOneName) {
  Tuner tuner = add_one();
  EXPECT_THAT(error_of([&] { tuner.input("x", std::vector<int>(3)); }),
              HasSubstr("the array 'x' of add_one: an array has the same name"));
  EXPECT_THROW(tuner.output<int>("x", n), std::invalid_argument);
  EXPECT_THROW(tuner.scratch<float>("y", n), std::invalid_argument);
  EXPECT_EQ(tuner.run({}).session.trials.size(), 2u) << "as if it had not been asked";
}

TEST(Tuner, TakesTheNamesThatAManifestTakesAndEachOnce) {
  Tuner tuner = add_one();
  tuner.size("n", n).variant("PRECISION", std::string("float")).metric("m", [](const Values&) { return 1.0; });
  const auto size = [&](const char* name, std::int64_t value) { return error_of([&] { tuner.size(name, value); }); };
  EXPECT_EQ(size("n", 7), "the size 'n' of add_one: a size has the same name; expected another name");
  EXPECT_THAT(size("BLOCK", 7), HasSubstr("a parameter has the same name"));
  EXPECT_THAT(size("PRECISION", 7), HasSubstr("a variant has the same name"));
  EXPECT_THAT(size("time", 3), HasSubstr("metrics mean by this name what was measured"));
  EXPECT_THAT(size("warp_size", 3), HasSubstr("a device limit has the same name"));
  EXPECT_THAT(size("m", -7), HasSubstr("the size m=-7 of add_one: expected a positive integer"));
  EXPECT_THROW(tuner.parameter("time", {1}), std::invalid_argument);
  EXPECT_THROW(tuner.parameter("BLOCK", {1}), std::invalid_argument);
  EXPECT_THROW(tuner.parameter("n", {1}), std::invalid_argument);
  EXPECT_THROW(tuner.variant("PRECISION", std::string("double")), std::invalid_argument);
  EXPECT_THROW(tuner.variant("not a macro", true), std::invalid_argument);
  EXPECT_THROW(tuner.variant("HALF", 0.5), std::invalid_argument);
  EXPECT_THAT(error_of([&] { tuner.metric("m", nullptr); }), HasSubstr("a metric has the same name"));
  EXPECT_THAT(error_of([&] { tuner.metric("time", nullptr); }), HasSubstr("this is measured anyway"));
  EXPECT_EQ(tuner.run({}).session.trials.size(), 2u);
}

TEST(Tuner, TheDefaultIsOfItsParametersAndTheirDomains) {
  const auto error = [](search::NamedValues defaults) {
    return error_of([&] { add_one().default_values(std::move(defaults)).run({.trials = 1}); });
  };
  EXPECT_THAT(error({{"BLOKC", 64}}), HasSubstr("'BLOKC', which is no parameter (did you mean BLOCK?)"));
  EXPECT_EQ(error({{"BLOCK", 7}}),
            "the default value 'BLOCK' of add_one: 7 is not in the domain; expected one of 32, 64");
  EXPECT_THROW(add_one().default_values({{"BLOCK", std::string("64")}}).run({}), std::invalid_argument);
  const TunerResult result = add_one().default_values({{"BLOCK", 64.0}}).run({.trials = 1});
  EXPECT_THAT(search::to_text(*result.best), HasSubstr("BLOCK=64,"));
}

TEST(Values, EveryAccessRefusesAValueOfAnotherKind) {
  const Values values({{"flag", true}, {"count", 7}, {"whole", 2.0}, {"part", 2.5}, {"word", std::string("false")}});
  EXPECT_TRUE(values.flag("flag"));
  EXPECT_EQ(values.integer("count"), 7);
  EXPECT_EQ(values.number("count"), 7.0);
  EXPECT_EQ(values.integer("whole"), 2);
  EXPECT_EQ(values.number("part"), 2.5);
  EXPECT_EQ(values.text("word"), "false");
  for (const char* name : {"count", "whole", "part", "word", "none"})
    EXPECT_THROW(values.flag(name), std::invalid_argument) << name;
  for (const char* name : {"flag", "part", "word", "none"})
    EXPECT_THROW(values.integer(name), std::invalid_argument) << name;
  for (const char* name : {"flag", "word", "none"}) EXPECT_THROW(values.number(name), std::invalid_argument) << name;
  for (const char* name : {"flag", "count", "whole", "part", "none"})
    EXPECT_THROW(values.text(name), std::invalid_argument) << name;
  EXPECT_EQ(error_of([&] { values.flag("word"); }), "the value 'word' is false, a text; it was read as a boolean");
}

TEST(Tuner, SaysWhatIsMissingOrMisnamed) {
  EXPECT_THAT(error_of([] { Tuner("t").run({}); }), HasSubstr("the tuner of t needs a source"));
  EXPECT_THAT(error_of([] { Tuner("t").parameter("P", {}); }), HasSubstr("has no values"));
  Tuner tuner = add_one();
  tuner.launcher([](const warptune::Run& run) { run.launch("nothing", {{1}, {1}}); });
  EXPECT_THAT(error_of([&] { tuner.run({}); }), HasSubstr("a kernel 'nothing'"));
  tuner.launcher([](const warptune::Run& run) { run.launch("add_one", {{1}, {1}}, run.array("z")); });
  EXPECT_THAT(error_of([&] { tuner.run({}); }), HasSubstr("an array 'z'"));
  tuner.launcher(launch_add_one).reference([](HostArrays& arrays) { arrays.get<float>("y"); });
  EXPECT_THAT(error_of([&] { tuner.run({}); }), HasSubstr("holds int32, not float"));
}

}  // namespace
}  // namespace warptune::tuner
