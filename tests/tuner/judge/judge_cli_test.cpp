// `warptune judge` on the host: kernels that are wrong in ways of their own, and what is said of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace warptune::tuner {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string kernel(const std::string& body, const std::string& before = "") {
  return before + "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n" +
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " + body + "\n}\n";
}

class CliJudge : public testing::Test {
 protected:
  CliJudge() { folder_.write("old.cu", kernel("if (i < n) y[i] = 2 * x[i];")); }

  ProgramRun judge(const std::string& candidate, const std::string& options) {
    folder_.write("new.cu", candidate);
    return run("judge new.cu --against old.cu --device host --size n=1024 --draws 1 " + options);
  }
  json judged(const std::string& candidate, const std::string& options = "--seconds 0", int exit_code = 6) {
    const ProgramRun done = judge(candidate, "--format json " + options);
    EXPECT_EQ(done.exit_code, exit_code) << done.err << done.out;
    return json::parse(done.out);
  }
  ProgramRun run(const std::string& arguments) {
    static const TemporaryFolder cache;  // of all tests: what they have in common is compiled once
    return run_program(folder_, "cd " + folder_.path().string() + " && XDG_CACHE_HOME=" + cache.path().string() +
                                    " " WARPTUNE_PROGRAM " " + arguments);
  }
  // "n=1024 zeros" of each case with this outcome.
  static std::vector<std::string> cases(const json& document, const std::string& outcome) {
    std::vector<std::string> found;
    for (const json& each : document["cases"])
      if (each["outcome"] == outcome)
        found.push_back(std::to_string(each["problem_size"]["n"].get<int>()) + " " + each["inputs"].get<std::string>());
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(CliJudge, ANegativeToleranceIsRefusedInTheUsersWords) {
  const ProgramRun refused = judge(kernel("if (i < n) y[i] = 2 * x[i];"), "--tolerance absolute=-1");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--tolerance absolute=-1: expected a number of 0 or more for absolute, found -1"));
  EXPECT_THAT(refused.err, Not(HasSubstr("/tmp/")));
}

TEST_F(CliJudge, AFasterRightKernelHasASpeedUpWithItsInterval) {
  folder_.write("old.cu", kernel("float s = 0; for (int j = 0; j < 300; ++j) s += sinf(x[i] + j) * 1e-30f;\n"
                                 "  if (i < n) y[i] = 2 * x[i] + s;"));
  const json document =
      judged(kernel("if (i < n) y[i] = x[i] + x[i];"), "--exact-sizes --inputs random --seconds 5 --at-least 1e6", 8);
  EXPECT_EQ(document["verdict"], "faster");
  EXPECT_GT(document["speed_up"]["estimate"], 1);
  EXPECT_EQ(document["comparisons"][0]["problem_size"], (json{{"n", 1024}}));
  EXPECT_EQ(document["fast_enough"], false);
  EXPECT_THAT(document["reason"].get<std::string>(), HasSubstr("times were required"));
}

TEST_F(CliJudge, AMissingBoundIsFoundAtSizesNearTheOneAskedFor) {
  const json document = judged(kernel("y[i] = 2 * x[i];"), "--seconds 0 --inputs random");
  EXPECT_EQ(document["verdict"], "incorrect");
  EXPECT_EQ(cases(document, "correct"), std::vector<std::string>{"1024 random"});
  EXPECT_EQ(cases(document, "wrong_result"), (std::vector<std::string>{"1023 random", "513 random"}));
  EXPECT_THAT(document["reason"].get<std::string>(), HasSubstr("out of bounds"));
}

TEST_F(CliJudge, OtherInputsFindWhatRandomOnesDoNot) {
  // Right for what the manifest describes, numbers from -1 to 1.
  const json document = judged(kernel("if (i < n) y[i] = x[i] > -100 ? 2 * x[i] : 0;"),
                               "--seconds 0 --exact-sizes --inputs random,large --seed 5");
  EXPECT_EQ(cases(document, "wrong_result"), std::vector<std::string>{"1024 large"});
  EXPECT_EQ(cases(document, "correct"), std::vector<std::string>{"1024 random"});
  EXPECT_EQ(document["seed"], 5);
}

TEST_F(CliJudge, WhatCountsOnEarlierRunsIsWrong) {
  const std::string brief = "--seconds 0 --exact-sizes --inputs random";
  EXPECT_EQ(judged(kernel("if (i < n) { y[i] = done ? kept[i] : 2 * x[i]; kept[i] = y[i]; if (i == 0) done = 1; }",
                          "__device__ float kept[1024]; __device__ int done;\n"),
                   brief)["verdict"],
            "incorrect");
}

TEST_F(CliJudge, ACandidateCannotLeaveItsFile) {
  const json document = judged("#endif\n#if 0\n" + kernel("y[0] = 0;"), "--seconds 0 --exact-sizes --inputs random");
  EXPECT_EQ(document["cases"][0]["outcome"], "compile_error");
}

TEST_F(CliJudge, WhatDoesNotCompileIsTriedOnceAndWhatCrashesIsAResult) {
  const json broken = judged(kernel("y[i] = undeclared;"));
  EXPECT_EQ(broken["cases"].size(), 1U);
  EXPECT_THAT(broken["reason"].get<std::string>(), HasSubstr("undeclared"));
  const json crashed = judged(kernel("*(volatile int*)8 = 1;"), "--seconds 0 --exact-sizes --inputs random");
  EXPECT_EQ(crashed["verdict"], "incorrect");
  EXPECT_NE(crashed["cases"][0]["outcome"], "correct");
}

TEST_F(CliJudge, WhatDoesNotCompileIsToldInALineAndItsLogShownOnce) {
  const ProgramRun done = judge(kernel("y[i] = undeclared;"), "--seconds 0 --inputs random");
  EXPECT_THAT(done.out, HasSubstr("It does not compile: new.cu:3: "));
  EXPECT_THAT(done.out, HasSubstr("\nThe compiler's log:\n"));
  EXPECT_THAT(done.out, Not(HasSubstr("\n.\n")));
  EXPECT_THAT(done.out, Not(HasSubstr("\\n")));
}

TEST_F(CliJudge, ACaseIsSetAsideWhereTheReferenceItselfIsWrong) {
  folder_.write("old.cu", kernel("y[i] = 2 * x[i];"));
  const json document = judged(kernel("if (i < n) y[i] = 2 * x[i];"), "--seconds 0 --inputs random", 0);
  EXPECT_EQ(document["cases"][0]["counts"], true);
  EXPECT_EQ(document["cases"][1]["counts"], false);
  EXPECT_THAT(document["cases"][1]["set_aside"].get<std::string>(), HasSubstr("out of bounds"));
  folder_.write("always.cu", kernel("y[n] = 2 * x[i]; if (i < n) y[i] = 2 * x[i];"));
  const ProgramRun nothing =
      run("judge new.cu --against always.cu --device host --size n=1024 --exact-sizes --inputs random --seconds 0");
  EXPECT_EQ(nothing.exit_code, 10) << nothing.out;
  EXPECT_THAT(nothing.out, HasSubstr("not_judged: The first case was set aside"));
}

std::string softmax(const std::string& most, const std::string& more = "") {
  return kernel("if (i >= n) return;\n  float most = 0, sum = 0;\n" + more +
                "  for (int k = 0; k < n; ++k) most = fmaxf(most, " + most +
                ");\n  for (int k = 0; k < n; ++k) sum += expf(x[k] - most);\n  y[i] = expf(x[i] - most) / sum;");
}

// Its values never exceed 1, whatever the inputs: the room that products need would cover all of them.
TEST_F(CliJudge, OutputsThatStaySmallAreJudgedOnLargeInputs) {
  folder_.write("old.cu", softmax("x[k]"));
  const json infinite = judged(softmax("0"), "--seconds 0 --exact-sizes --inputs random,large");
  EXPECT_EQ(infinite["verdict"], "incorrect");
  EXPECT_EQ(cases(infinite, "wrong_result"), std::vector<std::string>{"1024 large"});
  EXPECT_EQ(cases(infinite, "correct"), std::vector<std::string>{"1024 random"});
  const json right = judged(softmax("x[k]"), "--seconds 0 --exact-sizes --inputs large", 0);
  EXPECT_EQ(right["verdict"], "right");
  EXPECT_LT(right["cases"][0]["room"].get<double>(), 1);
}

// Wrong by much less than the room, and by more than the manifest's tolerance: nobody can say.
TEST_F(CliJudge, ACaseIsSetAsideForWhatItsRoomCovers) {
  folder_.write("old.cu", kernel("if (i < n) y[i] = 1 / (1 + fabsf(x[i]));"));
  const std::string options = "--seconds 0 --exact-sizes --inputs random,large";
  const json off =
      judged(kernel("if (i < n) y[i] = 1 / (1 + fabsf(x[i])) + (fabsf(x[i]) > 2 ? 0.01f : 0);"), options, 0);
  EXPECT_EQ(off["cases"][1]["counts"], false);
  EXPECT_THAT(off["cases"][1]["set_aside"].get<std::string>(), HasSubstr("covers every value that is expected"));
  EXPECT_EQ(off["cases"][1]["compared"], 0);
  const json unwritten = judged(kernel("if (i < n && fabsf(x[i]) < 2) y[i] = 1 / (1 + fabsf(x[i]));"), options);
  EXPECT_EQ(cases(unwritten, "wrong_result"), std::vector<std::string>{"1024 large"});
}

TEST_F(CliJudge, WhatIsOneValueEverywhereJudgesNothingAndRefutesAllTheSame) {
  folder_.write("old.cu", kernel("if (i < n) y[i] = x[i] > 100 ? x[i] : 0;"));
  const std::string options = "--seconds 0 --exact-sizes --inputs random";
  const json zeros = judged(kernel("if (i < n) y[i] = 0;"), options, 10);
  EXPECT_EQ(zeros["verdict"], "not_judged");
  EXPECT_THAT(zeros["reason"].get<std::string>(), HasSubstr("y is expected to be 0 everywhere"));
  EXPECT_EQ(judged(kernel("if (i < n) y[i] = i == 9 ? 1 : 0;"), options)["verdict"], "incorrect");
}

TEST_F(CliJudge, ALaunchOfItsOwnMayBeSaid) {
  const std::string strided = kernel("for (int j = i; j < n; j += gridDim.x * blockDim.x) y[j] = 2 * x[j];");
  const json document = judged(strided, "--seconds 0 --inputs random --grid 3 --block 32", 0);
  EXPECT_EQ(document["verdict"], "right");
  EXPECT_EQ(judged(kernel("if (i < n) y[i] = 2 * x[i];"),
                   "--seconds 0 --exact-sizes --inputs random --grid 3 --block 32")["cases"][0]["outcome"],
            "wrong_result");
}

TEST_F(CliJudge, AReferenceWithoutParametersIsLaunchedAsItIsSaid) {
  const std::string fixed =
      "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
      "  for (int i = blockIdx.x * SPAN + threadIdx.x; i < n && i < (blockIdx.x + 1) * SPAN; i += 32)"
      " y[i] = 2 * x[i];\n}\n";
  folder_.write("old.cu", "#define SPAN (48 + 16)\n" + fixed);
  const json document = judged(fixed,
                               "--seconds 0 --inputs random --exact-sizes --configuration SPAN=64 "
                               "--reference-grid 'ceildiv(n, 64)' --reference-block 32",
                               0);
  EXPECT_EQ(document["verdict"], "right");
  EXPECT_THAT(document["notes"][0].get<std::string>(), HasSubstr("grid ceildiv(n, 64) and block 32"));
  folder_.write("new.cu", "#define SPAN 64\n" + fixed);
  EXPECT_THAT(run("judge new.cu --against old.cu --device host --configuration SPAN=32 --reference-grid 1 "
                  "--reference-block 32")
                  .err,
              HasSubstr("defines SPAN itself"));
}

TEST_F(CliJudge, AFunctionInCppMaySayWhatIsRight) {
  folder_.write(
      "right.cpp",
      "extern \"C\" void k(const float* x, double* y, int n) { for (int i = 0; i < n; ++i) y[i] = 2.0 * x[i]; }\n");
  folder_.write("new.cu", kernel("if (i < n) y[i] = 3 * x[i];"));
  const ProgramRun done =
      run("judge new.cu --against right.cpp --device host --size n=100 --exact-sizes --inputs random");
  EXPECT_EQ(done.exit_code, 6) << done.err << done.out;
  EXPECT_THAT(done.out, HasSubstr("wrong_result"));
}

TEST_F(CliJudge, TheTemplatesOwnReferenceIsTheDefault) {
  const ProgramRun done =
      run("judge vector_add --device host --size SIZE=1000 --exact-sizes --inputs random,zeros --draws 1 --format csv");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("SIZE=1000,random,"), HasSubstr("SIZE=1000,zeros,")));
  const ProgramRun itself = run("judge old.cu --device host");
  EXPECT_EQ(itself.exit_code, 3);
  EXPECT_THAT(itself.err, HasSubstr("--against"));
}

}  // namespace
}  // namespace warptune::tuner
