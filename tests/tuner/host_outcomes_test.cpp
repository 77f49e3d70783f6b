// Whole sessions on the host backend: every way a configuration can go wrong is a trial with the right outcome.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/host_session.h"
#include "tests/support/small_template.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/verification/workload.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

using HostOutcomes = HostSession;

// One block size and one element a thread: a configuration for each mode.
std::string one_for_each_mode() {
  std::string manifest = doubling_manifest;
  for (const auto& [from, to] : {std::pair<std::string, std::string>("values = [32, 64, 128]", "values = [64]"),
                                 {"powers_of_two = [1, 8]", "values = [1]"},
                                 {"constraints = [\"BLOCK * EACH <= 1024\"]", ""},
                                 {"shared = \"MODE == 'greedy' and 300000 or 0\"", ""}})
    manifest.replace(manifest.find(from), from.size(), to);
  return manifest;
}

TEST_F(HostOutcomes, EachFailureHasItsOutcomeAndItsReason) {
  write_doubling_template(folder_, one_for_each_mode());
  db::Store store = this->store();
  Tuning tuning(request(), store, stop_, nullptr);
  tuning.session().run();
  std::map<std::string, const search::Trial*> by_mode;
  for (const search::Trial& trial : tuning.session().result().trials)
    by_mode[search::to_text(tuning.space().values(trial.configuration)[2].second)] = &trial;

  EXPECT_EQ(by_mode.at("good")->outcome, search::Outcome::correct);
  EXPECT_GT(by_mode.at("good")->metrics.at("GB/s"), 0);
  EXPECT_EQ(by_mode.at("wrong")->outcome, search::Outcome::wrong_result);
  // The first differing element, its index, what was expected and what came.
  EXPECT_THAT(by_mode.at("wrong")->message,
              testing::MatchesRegex(
                  "out\\[700\\] \\(element 700\\): expected [0-9.]+, got [0-9.]+; 301 of 1001 elements differ.*"));
  EXPECT_THAT(by_mode.at("unwritten")->message, HasSubstr("out[517] (element 517): expected"));
  EXPECT_THAT(by_mode.at("unwritten")->message, HasSubstr("; 1 of 1001"));
  EXPECT_EQ(by_mode.at("outside")->outcome, search::Outcome::wrong_result);
  EXPECT_THAT(by_mode.at("outside")->message,
              testing::ContainsRegex(
                  "out was written [1-4]( to [2-4])? bytes? past its end, where element 1001 would be: it has 1001"));
  EXPECT_EQ(by_mode.at("broken")->outcome, search::Outcome::compile_error);
  EXPECT_THAT(by_mode.at("broken")->message, HasSubstr("this configuration does not compile"));
}

// What has room on one architecture is in another's space not at all, and their sessions are apart.
TEST_F(HostOutcomes, AnArchitecturesLimitsShapeTheSpaceAndTheSession) {
  std::string manifest = doubling_manifest;
  manifest.replace(manifest.find("300000"), 6, "150000");
  write_doubling_template(folder_, manifest);
  db::Store store = this->store();
  std::map<std::string, search::Count> sizes;
  for (const char* device : {"host", "host:sm_90", "host:sm_86"}) {
    TuneRequest wanted = request();
    wanted.device = device;
    wanted.restrictions = {"BLOCK == 32", "EACH == 1", "MODE == 'greedy' or MODE == 'good'"};
    Tuning tuning(wanted, store, stop_, nullptr);
    tuning.session().run();
    sizes[device] = tuning.space().size();
    for (const search::Trial& trial : tuning.session().result().trials) EXPECT_TRUE(trial.correct()) << trial.message;
  }
  EXPECT_EQ(sizes["host:sm_90"], sizes["host"]);
  EXPECT_LT(sizes["host:sm_86"], sizes["host"]);
  std::vector<std::string> names;
  for (const db::SessionRecord& session : store.history({})) names.push_back(session.key.device.name);
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0], names[2] + " as sm_86");
  EXPECT_EQ(names[1], names[2] + " as sm_90");
}

TEST_F(HostOutcomes, HowFarACorrectOutputIsFromTheReferencesIsAMetric) {
  std::string manifest = one_for_each_mode();
  manifest.replace(manifest.find("role = \"output\""), 15, "role = \"output\"\ntolerance = { absolute = 1 }");
  write_doubling_template(folder_, manifest);
  folder_.write("kernel.cu", R"(
extern "C" __global__ void doubling(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  #if MODE == 0  // a word: no other number, so always
  if (i < count) out[i] = 2 * in[i] + (i == 500 ? 0.5f : 0.0f);
  #endif
})");
  db::Store store = this->store();
  TuneRequest request = this->request();
  request.objective = "time,max_error";
  Tuning tuning(request, store, stop_, nullptr);
  tuning.session().run();
  const search::Trial& trial = tuning.session().result().trials.at(0);
  ASSERT_TRUE(trial.correct()) << trial.message;
  const double rounding = 1e-6;  // of the sum, to a float
  EXPECT_NEAR(trial.metrics.at("max_error"), 0.5, rounding);
  EXPECT_NEAR(trial.metrics.at("rms_error"), std::sqrt(0.25 / 1001), rounding);
  EXPECT_EQ(trial.objectives.at(1), trial.metrics.at("max_error"));
}

// A processor may leave a NaN as it is when something is added to it, and a sum may keep the lower bytes.
TEST_F(HostOutcomes, WhatIsAddedToOutsideABufferIsFound) {
  write_doubling_template(folder_, one_for_each_mode());
  folder_.write("kernel.cu", R"(
extern "C" __global__ void doubling(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2 * in[i];
  #if MODE == 0  // a word: no other number, so always
  if (i == count) out[i] += 0.5f;
  #endif
})");
  db::Store store = this->store();
  Tuning tuning(request(), store, stop_, nullptr);
  tuning.session().run();
  const search::Trial& trial = tuning.session().result().trials.at(0);
  EXPECT_EQ(trial.outcome, search::Outcome::wrong_result);
  EXPECT_THAT(trial.message, testing::ContainsRegex(
                                 "out was written [1-4]( to [2-4])? bytes? past its end, where element 1001 would be"));
}

// The kernel notes its first run where nobody looks, and goes wrong (or rounds otherwise) from the second one on.
constexpr char counting_kernel[] = R"(
extern "C" int setenv(const char*, const char*, int);
extern "C" char* getenv(const char*);
extern "C" __global__ void doubling(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool again = false;
  if (i == 0) {
    char name[] = "WARPTUNE_TEST_HAS_RUN_?";
    name[sizeof name - 2] = '0' + SESSION;
    again = getenv(name) != nullptr;
    setenv(name, "1", 1);
  }
  if (i < count) out[i] = 2 * in[i] * (again ? FACTOR : 1.0f);
}
)";

class Repeats : public HostOutcomes {
 protected:
  // The default configuration's trial; `factor` is what the first element is off by when it is computed again.
  search::Trial trial(const std::string& factor, Verify verify,
                      const std::string& output = "tolerance = { relative = 1e-5 }") {
    std::string manifest = one_for_each_mode();
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>(
              R"(values = ["good", "wrong", "unwritten", "outside", "broken", "greedy"])", R"(values = ["good"])"),
          {"role = \"output\"\n", "role = \"output\"\n" + output + "\n"},
          {"[arguments.in]",
           "[defines]\nFACTOR = \"" + factor + "\"\nSESSION = " + std::to_string(++sessions_) + "\n[arguments.in]"}})
      manifest.replace(manifest.find(from), from.size(), to);
    write_doubling_template(folder_, manifest);
    folder_.write("kernel.cu", counting_kernel);
    db::Store store = db::Store::open(folder_.path() / (std::to_string(sessions_) + ".db"), db::OpenMode::read_write);
    TuneRequest request = this->request();
    request.evaluator.policy.verify = verify;
    Tuning tuning(request, store, stop_, nullptr);
    tuning.session().run();
    return tuning.session().result().trials.at(0);
  }

  static inline int sessions_ = 0;
};

TEST_F(Repeats, ThatAreWrongAreFoundIfVerifiedAfterSampling) {
  const search::Trial always = trial("1.5", Verify::always);
  EXPECT_EQ(always.outcome, search::Outcome::wrong_result);
  EXPECT_THAT(always.message, HasSubstr("right at first, wrong when repeated (a race?): out[0]"));
  EXPECT_EQ(trial("1.5", Verify::once).outcome, search::Outcome::correct);
}

TEST_F(Repeats, ThatDifferInTheLastBitsNeedTheManifestsLeave) {
  const search::Trial strict = trial("1.000001", Verify::always);
  EXPECT_EQ(strict.outcome, search::Outcome::wrong_result);
  EXPECT_THAT(strict.message, HasSubstr("not bit for bit the same when repeated"));
  EXPECT_EQ(trial("1.000001", Verify::always, "tolerance = { relative = 1e-5 }\nnondeterministic = true").outcome,
            search::Outcome::correct);
}

TEST_F(Repeats, MayDifferWhereTheManifestsExpressionSaysSo) {
  const std::string rounded = "tolerance = { relative = 1e-5 }\nnondeterministic = ";
  EXPECT_EQ(trial("1.000001", Verify::always, rounded + "\"n > 1000\"").outcome, search::Outcome::correct);
  EXPECT_EQ(trial("1.000001", Verify::always, rounded + "\"n > 1001\"").outcome, search::Outcome::wrong_result);
}

TEST_F(Repeats, MayBeAsFarOffAsTheUnitsInTheLastPlaceAllow) {
  // 2 in[0] is between 2 and 4, where a unit in the last place is 2^-22: 1.000001 is some 8 to 17 of them.
  EXPECT_EQ(trial("1.000001", Verify::always, "tolerance = { ulp = 20 }\nnondeterministic = true").outcome,
            search::Outcome::correct);
  EXPECT_EQ(trial("1.000001", Verify::always, "tolerance = { ulp = 5 }\nnondeterministic = true").outcome,
            search::Outcome::wrong_result);
}

TEST_F(Repeats, OfAnUnverifiedConfigurationAreNotLookedAt) {
  EXPECT_EQ(trial("7", Verify::never).outcome, search::Outcome::correct);
}

TEST_F(HostOutcomes, AColdCacheTakesSingleRuns) {
  write_doubling_template(folder_, one_for_each_mode());
  db::Store store = this->store();
  TuneRequest request = this->request();
  request.evaluator.policy.cold_cache = true;
  request.budget.trials = 1;
  Tuning tuning(request, store, stop_, nullptr);
  tuning.session().run();
  EXPECT_EQ(tuning.session().result().trials.at(0).outcome, search::Outcome::correct);
  EXPECT_THAT(store.session(tuning.id())->key.policy, HasSubstr("cache=cold"));
}

TEST_F(HostOutcomes, AnEnergyThatTheDeviceDoesNotTellIsRefused) {
  write_doubling_template(folder_);
  db::Store store = this->store();
  TuneRequest request = this->request();
  request.objective = "time,joules";
  try {
    Tuning tuning(request, store, stop_, nullptr);
    FAIL() << "accepted";
  } catch (const RequestError& error) {
    EXPECT_THAT(error.what(), HasSubstr("NVML"));
  }
}

TEST_F(HostOutcomes, SeveralObjectivesGiveAFront) {
  write_doubling_template(folder_, one_for_each_mode());
  db::Store store = this->store();
  TuneRequest request = this->request();
  request.objective = "time,GB/s";
  Tuning tuning(request, store, stop_, nullptr);
  tuning.session().run();
  const SessionResult& result = tuning.session().result();
  EXPECT_EQ(result.front, std::vector<std::size_t>{*result.best});  // these two never disagree
  EXPECT_EQ(result.trials.at(*result.best).objectives.size(), 2u);
}

TEST_F(HostOutcomes, ACppFunctionServesAsReference) {
  std::string manifest = one_for_each_mode();
  manifest.resize(manifest.find("[reference]"));
  manifest +=
      "[reference]\nsource = \"reference.cpp\"\nfunction = \"reference\"\narguments = [\"in\", \"out\", \"count\"]\n";
  write_doubling_template(folder_, manifest);
  folder_.write(
      "reference.cpp",
      "#include <vector>\nextern \"C\" void reference(const float* in, double* out, int count) {\n"
      "  std::vector<double> twice(in, in + count);\n  for (int i = 0; i < count; ++i) out[i] = 2 * twice[i];\n}\n");
  db::Store store = this->store();
  Tuning tuning(request(), store, stop_, nullptr);
  tuning.session().run();
  std::map<std::string, search::Outcome> by_mode;
  for (const search::Trial& trial : tuning.session().result().trials)
    by_mode[search::to_text(tuning.space().values(trial.configuration)[2].second)] = trial.outcome;
  EXPECT_EQ(by_mode.at("good"), search::Outcome::correct);
  EXPECT_EQ(by_mode.at("wrong"), search::Outcome::wrong_result);
}

// The reference does not look at the input: only the right data gives its results.
TEST_F(HostOutcomes, ACppFunctionFillsInputsFromThoseFilledBefore) {
  std::string manifest = one_for_each_mode();
  const std::string fill = "fill = { uniform = [1, 2], seed = 3 }";
  manifest.replace(manifest.find(fill), fill.size(),
                   "fill = { function = \"sums\" }\n[arguments.steps]\ntype = \"float\"\nshape = [\"n\"]\n"
                   "fill = { constant = 0.5 }\n");
  const std::string launches = "[[launches]]";
  manifest.replace(manifest.find(launches), launches.size(),
                   "[fills.sums]\nsource = \"fill.cpp\"\narguments = [\"steps\", \"in\", \"count\"]\n[[launches]]");
  manifest.replace(
      manifest.find("[reference]"), std::string::npos,
      "[reference]\nsource = \"reference.cpp\"\nfunction = \"expected\"\narguments = [\"out\", \"count\"]\n");
  write_doubling_template(folder_, manifest);
  folder_.write("fill.cpp",
                "extern \"C\" void sums(const float* steps, float* in, int count) {\n"
                "  float sum = 0;\n  for (int i = 0; i < count; ++i) in[i] = sum += steps[i];\n}\n");
  folder_.write("reference.cpp",
                "extern \"C\" void expected(double* out, int count) {\n"
                "  for (int i = 0; i < count; ++i) out[i] = i + 1;\n}\n");
  db::Store store = this->store();
  Tuning tuning(request(), store, stop_, nullptr);
  tuning.session().run();
  // The modes good and greedy: without its shared memory that one is right too.
  EXPECT_EQ(std::ranges::count(tuning.session().result().trials, search::Outcome::correct, &search::Trial::outcome), 2);
}

// What lies behind the input is the input's guard: the output's must look different.
TEST_F(HostOutcomes, CopyingAnElementTooManyIsSeen) {
  write_doubling_template(folder_, one_for_each_mode());
  folder_.write(
      "kernel.cu",
      "#define good 0\n#define wrong 1\n#define unwritten 2\n#define outside 3\n#define broken 4\n#define greedy 5\n"
      "extern \"C\" __global__ void doubling(const float* in, float* out, int count) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
      "  if (i < count) out[i] = 2 * in[i];\n"
      "  if (MODE == outside && i == count) out[i] = in[i];\n}\n");
  db::Store store = this->store();
  Tuning tuning(request(), store, stop_, nullptr);
  tuning.session().run();
  for (const search::Trial& trial : tuning.session().result().trials) {
    const bool outside = search::to_text(tuning.space().values(trial.configuration)[2].second) == "outside";
    EXPECT_EQ(trial.outcome, outside ? search::Outcome::wrong_result : search::Outcome::correct) << trial.message;
  }
}

TEST_F(HostOutcomes, AProblemTooLargeForTheMemoryIsRefusedBeforeAnything) {
  write_doubling_template(folder_);
  db::Store store = this->store();
  TuneRequest huge = request();
  huge.sizes = {{"n", std::int64_t{1} << 36}};  // its grid fits the limits, its terabyte does not
  try {
    Tuning tuning(huge, store, stop_, nullptr);
    FAIL() << "accepted";
  } catch (const WorkloadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Choose a smaller --size"));
  }
}

TEST_F(HostOutcomes, AnEmptySpaceNamesTheContradiction) {
  std::string manifest = doubling_manifest;
  const std::string from = "\"BLOCK * EACH <= 1024\"";
  manifest.replace(manifest.find(from), from.size(), "\"BLOCK > 64\", \"BLOCK < 128\"");
  write_doubling_template(folder_, manifest);
  db::Store store = this->store();
  try {
    Tuning tuning(request(), store, stop_, nullptr);
    FAIL() << "accepted";
  } catch (const RequestError& error) {
    EXPECT_THAT(error.what(), HasSubstr("BLOCK > 64"));
    EXPECT_THAT(error.what(), HasSubstr("BLOCK < 128"));
  }
}

TEST_F(HostOutcomes, AReferenceThatDoesNotCompileIsTheTemplatesFault) {
  write_doubling_template(folder_);
  folder_.write("reference.cu", "extern \"C\" __global__ void reference(no_such_type x) {}");
  db::Store store = this->store();
  EXPECT_THROW(Tuning(request(), store, stop_, nullptr), WorkloadError);
}

}  // namespace
}  // namespace warptune::tuner
