// `warptune judge` on the host: kernels that are wrong in ways of their own, and what is said of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/places.h"
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
    return run_program(folder_, "cd " + folder_.path().string() + " && XDG_CACHE_HOME=" + cache.path().string() + " " +
                                    warptune_program() + " " + arguments);
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
  const json document = judged(kernel("y[i] = 2 * x[i];"), "--seconds 0 --inputs random --seed 5");
  EXPECT_EQ(document["verdict"], "incorrect");
  EXPECT_EQ(cases(document, "correct"), std::vector<std::string>{"1024 random"});
  EXPECT_EQ(cases(document, "wrong_result").size(), 3U);
  EXPECT_THAT(cases(document, "wrong_result"), testing::IsSupersetOf({"1023 random", "513 random"}));
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
  folder_.write("old.cu", kernel("if (i < n) y[i] = 1 / (1 + fabsf(x[i]));"));
  const json off = judged(kernel("if (i < n) y[i] = 1 / (1 + fabsf(x[i])) + (fabsf(x[i]) > 2 ? 0.01f : 0);"),
                          "--seconds 0 --exact-sizes --inputs random,large");
  EXPECT_EQ(cases(off, "wrong_result"), std::vector<std::string>{"1024 large"});
}

// The other way round, infinity is the candidate's own mistake.
TEST_F(CliJudge, ACandidateMayBearWhatTheReferenceOverflowsOn) {
  folder_.write("old.cu", softmax("0"));
  const json document = judged(softmax("x[k]"), "--seconds 0 --exact-sizes --inputs random,large", 0);
  EXPECT_EQ(cases(document, "correct"), std::vector<std::string>{"1024 random"});
  EXPECT_THAT(document["cases"][1]["set_aside"].get<std::string>(), HasSubstr("the reference itself writes"));
}

// The square's last digit is worth 0.06 there, and nobody can say what its sine is.
TEST_F(CliJudge, ACaseIsSetAsideWhereRoundingAloneChangesWhatIsRight) {
  folder_.write("old.cu", kernel("if (i < n) y[i] = sinf(x[i] * x[i] + 3 * x[i]);"));
  const std::string options = "--seconds 0 --exact-sizes --inputs random,large";
  const json sound = judged(kernel("if (i < n) y[i] = sinf(x[i] * (x[i] + 3));"), options, 0);
  EXPECT_EQ(cases(sound, "correct"), std::vector<std::string>{"1024 random"});
  EXPECT_EQ(sound["cases"][1]["counts"], false);
  const json unwritten = judged(kernel("if (i < n && fabsf(x[i]) < 2) y[i] = sinf(x[i] * x[i] + 3 * x[i]);"), options);
  EXPECT_EQ(cases(unwritten, "wrong_result"), std::vector<std::string>{"1024 large"});
}

// Of a reference's and a candidate's statements for `v`, an element.
struct Pair {
  const char *reference, *candidate;
};

std::string elements(const char* value) {
  return kernel("if (i < n) { float v = x[i]; y[i] = " + std::string(value) + "; }");
}

std::string of_integers(const std::string& value) {
  return "extern \"C\" __global__ void k(const int* x, int* y, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) { int v = x[i]; y[i] = " +
         value + "; }\n}\n";
}

// All are right for numbers from -1 to 1.
TEST_F(CliJudge, FunctionsAreJudgedWhereTheyDoNotSaturate) {
  for (const Pair& pair : {Pair{"1 / (1 + expf(-v))", "fabsf(v) > 2 ? 0.f : 1 / (1 + expf(-v))"},
                           {"tanhf(v)", "fabsf(v) > 3 ? 0.f : tanhf(v)"},
                           {"v / (1 + expf(-v))", "v < -4 ? 0.f : v / (1 + expf(-v))"},
                           {"fminf(fmaxf(v, 0.f), 6.f)", "fmaxf(v, 0.f)"},
                           {"expf(v)", "v < -3 ? 0.f : expf(v)"}}) {
    folder_.write("old.cu", elements(pair.reference));
    EXPECT_EQ(judged(elements(pair.candidate), "--seconds 0 --exact-sizes --inputs random,negative,wide")["verdict"],
              "incorrect")
        << pair.candidate;
  }
}

TEST_F(CliJudge, SoundRewritesAreRightOnAllInputs) {
  const std::string options = "--seconds 0 --exact-sizes --inputs random,negative,wide,large";
  for (const Pair& pair :
       {Pair{"1 / (1 + expf(-v))", "0.5f + 0.5f * tanhf(0.5f * v)"},
        {"0.5f * v * (1 + erff(v * 0.70710678f))", "fmaf(0.5f * v, erff(v * 0.70710678f), 0.5f * v)"},
        {"expf(v)", "exp2f(v * 1.44269504f)"},
        {"v * v * v - 3 * v * v + v", "v * fmaf(v, v - 3, 1.f)"}}) {
    folder_.write("old.cu", elements(pair.reference));
    EXPECT_EQ(judged(elements(pair.candidate), options, 0)["verdict"], "right") << pair.candidate;
  }
  folder_.write("old.cu", softmax("x[k]"));
  EXPECT_EQ(judged(kernel("if (i >= n) return;\n  float most = -INFINITY, sum = 0;\n"
                          "  for (int k = n - 1; k >= 0; --k) { float m = fmaxf(most, x[k]);\n"
                          "    sum = sum * expf(most - m) + expf(x[k] - m); most = m; }\n"
                          "  y[i] = expf(x[i] - most) / sum;"),
                   options, 0)["verdict"],
            "right");
}

TEST_F(CliJudge, IntegersAreJudgedWithSignsAndBeyondTheDraftsRange) {
  const std::string options = "--seconds 0 --exact-sizes --inputs random,wide";
  for (const Pair& pair :
       {Pair{"abs(v)", "v"}, {"min(max(v, -50), 500)", "min(v, 500)"}, {"__popc(v)", "__popc(v & 255)"}}) {
    folder_.write("old.cu", of_integers(pair.reference));
    const json document = judged(of_integers(pair.candidate), options);
    EXPECT_EQ(cases(document, "wrong_result"), std::vector<std::string>{"1024 wide"}) << pair.candidate;
  }
  for (const Pair& pair : {Pair{"abs(v)", "max(v, -v)"}, {"v / 2", "(v + (v < 0)) >> 1"}}) {
    folder_.write("old.cu", of_integers(pair.reference));
    EXPECT_EQ(judged(of_integers(pair.candidate), options, 0)["verdict"], "right") << pair.candidate;
  }
}

// A float's rounding takes some to the next integer, and no more than that.
TEST_F(CliJudge, IntegersMadeOfFloatsMayBeTheNextOne) {
  const auto rounded = [](const char* value) {
    return "extern \"C\" __global__ void k(const float* x, int* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = " +
           std::string(value) + ";\n}\n";
  };
  folder_.write("old.cu", rounded("(int)floorf(x[i] * 10 + 0.3f)"));
  const std::string options = "--seconds 0 --exact-sizes --inputs random,wide,large";
  EXPECT_EQ(judged(rounded("(int)floorf(fmaf(x[i], 10.f, 0.3f))"), options, 0)["verdict"], "right");
  EXPECT_EQ(cases(judged(rounded("max(-50, (int)floorf(x[i] * 10 + 0.3f))"), options), "wrong_result"),
            (std::vector<std::string>{"1024 wide", "1024 large"}));
}

TEST_F(CliJudge, OneElementBeyondAllOthersIsFound) {
  const auto most_of = [](int count) {
    return "extern \"C\" __global__ void k(const int* x, int* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  int most = x[i * 4096];\n"
           "  for (int k = 0; k < " +
           std::to_string(count) + "; ++k) most = max(most, x[i * 4096 + k]);\n  y[i] = most;\n}\n";
  };
  folder_.write("old.cu", most_of(4096));
  folder_.write("new.cu", most_of(2048));
  const json document = json::parse(run("judge new.cu --against old.cu --device host --size n=16 --draws 1 --seconds 0 "
                                        "--exact-sizes --inputs random,outliers --format json")
                                        .out);
  EXPECT_EQ(cases(document, "wrong_result"), std::vector<std::string>{"16 outliers"});
}

// Wider ones than the bins would be out of bounds, and that is the reference's own fault.
TEST_F(CliJudge, IntegersThatAreIndicesHaveARangeThatTheReferenceBears) {
  const auto histogram = [](const std::string& bound) {
    return "#define BINS 256\nextern \"C\" __global__ void k(const int* x, int* y, int n) {\n"
           "  __shared__ int counts[BINS];\n  int t = threadIdx.x;\n  counts[t] = 0;\n  __syncthreads();\n"
           "  for (int k = t; k < n; k += 256) " +
           bound + " atomicAdd(&counts[x[k]], 1);\n  __syncthreads();\n  if (t < BINS) y[t] = counts[t];\n}\n";
  };
  folder_.write("old.cu", histogram(""));
  const std::string options = "--seconds 0 --inputs random,wide --reference-grid 1 --reference-block 256";
  EXPECT_EQ(judged(histogram(""), options, 0)["verdict"], "right");
  const json document = judged(histogram("if (x[k] <= 100)"), options + " --exact-sizes");
  EXPECT_EQ(cases(document, "wrong_result"), std::vector<std::string>{"1024 wide"});
}

TEST_F(CliJudge, ANumberThatIsWrittenIntoTheKernelIsFound) {
  const auto scaled = [](const char* factor) {
    return "extern \"C\" __global__ void k(float a, const float* x, float* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = " +
           std::string(factor) + " * x[i];\n}\n";
  };
  folder_.write("old.cu", scaled("a"));
  const std::string options = "--seconds 0 --exact-sizes --inputs random,negative";
  EXPECT_EQ(cases(judged(scaled("1.5f"), options), "wrong_result"), std::vector<std::string>{"1024 negative"});
  EXPECT_EQ(judged(scaled("a"), options, 0)["verdict"], "right");
}

TEST_F(CliJudge, ASizeThatNobodyKnowsIsDrawn) {
  const json document = judged(kernel("if (i < n && (n == 1024 || n == 1023 || n == 513)) y[i] = 2 * x[i];"),
                               "--seconds 0 --inputs random");
  EXPECT_EQ(document["cases"].size(), 4U);
  EXPECT_EQ(cases(document, "wrong_result").size(), 1U);
  EXPECT_THAT(document["reason"].get<std::string>(), HasSubstr("1 of 4 cases"));
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
