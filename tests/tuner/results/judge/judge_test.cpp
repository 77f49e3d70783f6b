// What a judgement is made of: two kernels as one template, the conclusion.
#include "tuner/results/judge/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/small_template.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/results/judge/manifest_json.h"
#include "tuner/results/judge/second_look.h"
#include "tuner/results/report/judge_report.h"
#include "tuner/system/files.h"

namespace warptune::tuner::judge {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class JudgeCombination : public testing::Test {
 protected:
  JudgeCombination() { write_doubling_template(folder_); }

  Kernel reference() const {
    Kernel kernel;
    kernel.manifest = doubling_manifest;
    kernel.file = folder_.path() / "template.toml";
    return kernel;
  }
  Kernel candidate(const std::string& text) const {
    Kernel kernel;
    kernel.source = folder_.write("candidate.cu", text);
    return kernel;
  }
  Combination combined(const Kernel& kernel) const {
    std::filesystem::create_directories(folder_.path() / "made");
    return combine(reference(), kernel, folder_.path() / "made");
  }
  std::string refusal(const Kernel& kernel) const {
    try {
      combined(kernel);
    } catch (const RequestError& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  TemporaryFolder folder_;
};

constexpr char mine[] = "extern \"C\" __global__ void mine(const float* a, float* b, int n) { b[0] = EACH; }\n";

TEST_F(JudgeCombination, BothKernelsHaveLaunchesOfOneTemplate) {
  Kernel kernel = candidate(mine);
  kernel.grid = {"ceildiv(n, 256)"};
  kernel.block = {"256"};
  const Combination made = combined(kernel);
  const KernelTemplate both = parse_manifest(toml_text(made.manifest), folder_.path() / "made" / "template.toml");
  ASSERT_EQ(both.launches.size(), 2U);
  EXPECT_EQ(both.launches[0].kernel, "doubling");
  EXPECT_EQ(both.launches[1].kernel, "mine");
  EXPECT_EQ(both.launches[1].block[0].text(), "256");
  EXPECT_EQ(both.launches[1].when->text(), "WARPTUNE_CANDIDATE == 1");
  EXPECT_EQ(both.parameters.size(), 1U);
  // Of each only its own kernel is compiled.
  for (const std::int64_t side : {0, 1}) {
    const search::NamedValues chosen = {{who, side}};
    search::NamedValues scope = chosen;
    scope.emplace_back("n", std::int64_t{1000});
    EXPECT_THAT(compile_request(both, "host", chosen, scope).kernels, ElementsAre(side == 1 ? "mine" : "doubling"));
  }
  // Parameters of the reference have their defaults, in expressions and in both sources.
  EXPECT_THAT(both.launches[0].grid[0].text(), HasSubstr("(64)"));
  EXPECT_THAT(*read_file(folder_.path() / "made" / "warptune_candidate.cu"), HasSubstr("#define EACH 1\n"));
}

TEST_F(JudgeCombination, TheNoteOnTheLaunchHasNumbersForParameters) {
  EXPECT_THAT(combined(candidate(mine)).notes,
              Contains(AllOf(HasSubstr("mine is launched with"), HasSubstr("block 64"), Not(HasSubstr("BLOCK")))));
}

TEST_F(JudgeCombination, ADefinitionOfTheCandidatesOwnStays) {
  combined(candidate(std::string("#define EACH 4\n") + mine));
  EXPECT_THAT(*read_file(folder_.path() / "made" / "warptune_candidate.cu"), Not(HasSubstr("#define EACH 1\n")));
}

constexpr char sized[] =
    "extern \"C\" __global__ void doubling(const float* in, float* out, int n) { out[0] = LENGTH; }\n";

// The doubling with a size that is a macro of its source, which its manifest then defines.
Combination with_macro(const TemporaryFolder& folder, const std::string& candidate) {
  Kernel reference, other;
  reference.manifest = std::string(doubling_manifest) + "[defines]\nLENGTH = \"n\"\n";
  reference.manifest.insert(0, "whole_program = true\n");
  reference.file = folder.path() / "template.toml";
  folder.write("kernel.cu", std::string("#define LENGTH 1000\n") + sized);
  other.source = folder.write("candidate.cu", candidate);
  std::filesystem::create_directories(folder.path() / "made");
  return combine(reference, other, folder.path() / "made");
}

TEST_F(JudgeCombination, ACopyWithTheReferencesDefineIsTakenLikeTheReference) {
  const Combination made = with_macro(folder_, std::string("#define LENGTH 1000\n") + sized);
  EXPECT_THAT(*read_file(folder_.path() / "made" / "warptune_candidate.cu"), Not(HasSubstr("#define LENGTH")));
  EXPECT_EQ(made.manifest["defines"]["LENGTH"], "n");
  EXPECT_THAT(made.fixed_sizes, Contains("n"));
}

TEST_F(JudgeCombination, ADefineWithAnotherValueIsTheCandidatesOwn) {
  const Combination made = with_macro(folder_, std::string("#define LENGTH 16\n") + sized);
  EXPECT_THAT(*read_file(folder_.path() / "made" / "warptune_candidate.cu"), HasSubstr("#define LENGTH 16"));
  EXPECT_THAT(*read_file(folder_.path() / "made" / "warptune_reference.cu"),
              HasSubstr("#define LENGTH WARPTUNE_DEFINE_LENGTH"));
  EXPECT_FALSE(made.manifest["defines"].contains("LENGTH"));
  EXPECT_EQ(made.manifest["defines"]["WARPTUNE_DEFINE_LENGTH"], "n");
}

TEST_F(JudgeCombination, ShakenInputsAreCopiesThatAKernelOfItsOwnMakes) {
  std::filesystem::create_directories(folder_.path() / "shaken");
  const Json made = shaken(reference(), folder_.path() / "shaken").value();
  const KernelTemplate both = parse_manifest(toml_text(made), folder_.path() / "shaken" / "template.toml");
  ASSERT_EQ(both.launches.size(), 3U);
  EXPECT_THAT(both.launches[0].arguments, ElementsAre("in", "out", "count"));
  EXPECT_EQ(both.launches[1].kernel, "warptune_shake_in");
  EXPECT_THAT(both.launches[1].arguments, ElementsAre("in", "warptune_shaken_in"));
  EXPECT_THAT(both.launches[2].arguments, ElementsAre("warptune_shaken_in", "out", "count"));
  EXPECT_TRUE(both.reference.default_configuration);
  Kernel integers = reference();
  integers.manifest.replace(integers.manifest.find("type = \"float\""), 14, "type = \"int32\"");
  EXPECT_EQ(shaken(integers, folder_.path() / "shaken"), std::nullopt);
}

TEST_F(JudgeCombination, AKernelIsFoundInItsNamespaces) {
  const std::string inside = "namespace of { " + std::string(mine) + "}\n";
  Kernel kernel = candidate(inside);
  const auto launched = [&] { return combined(kernel).manifest["launches"][1]["kernel"]; };
  EXPECT_EQ(launched(), "of::mine");
  for (const char* name : {"mine", "of::mine"}) {
    kernel.name = name;
    EXPECT_EQ(launched(), "of::mine");
  }
}

TEST_F(JudgeCombination, ATemplateTakesWhatTheReferencesDoes) {
  Kernel known = reference();
  known.manifest.replace(known.manifest.find("kernel = \"doubling\""), 19, "kernel = \"doubling<float, {EACH}>\"");
  std::filesystem::create_directories(folder_.path() / "made");
  const Kernel copy = candidate("template <class T, int N> __global__ void mine(const T* a, T* b, int n) {}\n");
  const Json made = combine(known, copy, folder_.path() / "made").manifest;
  EXPECT_EQ(made["launches"][1]["kernel"], "mine<float, 1>");
}

// It is behind definitions there, where no compiler takes it.
TEST_F(JudgeCombination, AByteOrderMarkIsLeftOut) {
  combined(candidate("\xEF\xBB\xBF" + std::string(mine)));
  const std::string text = *read_file(folder_.path() / "made" / "warptune_candidate.cu");
  EXPECT_THAT(text, AllOf(HasSubstr("mine"), Not(HasSubstr("\xEF\xBB\xBF"))));
}

TEST_F(JudgeCombination, OtherArgumentsAreRefusedWithBothSignatures) {
  EXPECT_THAT(refusal(candidate("extern \"C\" __global__ void f(const float* a, float* b, long n) {}\n")),
              AllOf(HasSubstr("f(const float* a, float* b, long n)"), HasSubstr("doubling(const float* in")));
  EXPECT_THAT(refusal(candidate("extern \"C\" __global__ void f(float* b) {}\n")), HasSubstr("cannot take the place"));
  EXPECT_THAT(refusal(candidate("void f() {}\n")), HasSubstr("no __global__ function"));
}

TEST_F(JudgeCombination, HeadersOfOneNameMustBeAlike) {
  folder_.write("own/part.cuh", "1");
  folder_.write("part.cuh", "2");
  Kernel kernel;
  kernel.source = folder_.write("own/candidate.cu", std::string("#include \"part.cuh\"\n") + mine);
  EXPECT_THAT(refusal(kernel), HasSubstr("part.cuh"));
}

TEST_F(JudgeCombination, ACandidateWithAManifestBringsItsLaunchesAndTemporaries) {
  const std::string manifest = R"toml(
name = "other"
source = "candidate.cu"
constraints = ["count % TILE == 0"]
[sizes]
n = 1000
[parameters.TILE]
values = [8, 16]
default = 16
[derived]
count = "n"
[arguments.a]
type = "float"
shape = ["n"]
fill = { constant = 0 }
[arguments.b]
type = "float"
shape = ["n"]
role = "output"
tolerance = { absolute = 0 }
[arguments.length]
type = "int"
value = "n"
[temporaries.partial]
type = "float"
shape = ["n"]
[[launches]]
kernel = "first{TILE}"
grid = "count // TILE"
block = "TILE"
arguments = ["a", "partial", "length"]
[[launches]]
kernel = "second"
grid = 1
block = "TILE"
arguments = ["partial", "b", "length"]
[reference]
default_configuration = true
)toml";
  folder_.write("candidate.cu", "");
  Kernel kernel;
  kernel.manifest = manifest;
  kernel.file = folder_.path() / "template.toml";
  kernel.parameters = {{"TILE", std::int64_t{8}}};
  const Combination made = combined(kernel);
  const KernelTemplate both = parse_manifest(toml_text(made.manifest), folder_.path() / "made" / "template.toml");
  ASSERT_EQ(both.launches.size(), 3U);
  EXPECT_EQ(both.launches[1].kernel, "first8");
  EXPECT_THAT(both.launches[1].arguments, ElementsAre("in", "partial", "count"));
  EXPECT_EQ(both.constraints.size(), 2U);
  EXPECT_EQ(both.temporaries.size(), 1U);
}

TEST(JudgeConclusion, ATimeThatNoMemoryAllowsIsImplausible) {
  DeviceInfo device;
  device.name = "GPU";
  device.memory_clock_khz = 1'000'000;
  device.memory_bus_bits = 4000;  // 1000 GB/s
  device.l2_bytes = 50'000'000;
  EXPECT_THAT(implausibility(device, 1e9, 0.5), AllOf(HasSubstr("2000 GB/s"), HasSubstr("1000 GB/s")));
  EXPECT_EQ(implausibility(device, 1e9, 1.0), "");
  EXPECT_EQ(implausibility(device, 9e7, 1e-3), "");  // may stay in the cache
  EXPECT_EQ(implausibility(DeviceInfo{}, 1e9, 1e-3), "");
}

Case right(const char* set_aside = "") {
  Case each{{{{"n", std::int64_t{8}}}, {}}, Inputs::zeros, 1, true, set_aside, {}};
  each.candidate.outcome = search::Outcome::correct;
  return each;
}

Case wrong() {
  Case each = right();
  each.candidate.outcome = search::Outcome::wrong_result;
  each.candidate.message = "y[0]";
  return each;
}

Judgement concluded(std::vector<Case> cases, std::vector<SpeedUp> ups, double required = 1) {
  Judgement judgement;
  judgement.cases = std::move(cases);
  for (const SpeedUp& up : ups) judgement.comparisons.push_back({judgement.cases[0].problem, 1, 1, 9, up, {}});
  judgement.required_speed_up = required;
  conclude(judgement);
  return judgement;
}

TEST(JudgeConclusion, TheVerdictIsTheWorstOfAllCasesThatCount) {
  EXPECT_EQ(concluded({right()}, {}).verdict, Verdict::right);
  EXPECT_EQ(concluded({right("no")}, {}).verdict, Verdict::not_judged);
  EXPECT_EQ(concluded({}, {}).verdict, Verdict::not_judged);
  const Judgement one_wrong = concluded({right(), wrong(), right("no")}, {{2, 1.5, 2.5, false}});
  EXPECT_EQ(one_wrong.verdict, Verdict::incorrect);
  EXPECT_THAT(one_wrong.reason, HasSubstr("1 of 2 cases. The first: wrong_result at n=8 with zeros inputs: y[0]"));
  EXPECT_EQ(concluded({wrong()}, {}).reason, "It fails: wrong_result at n=8 with zeros inputs: y[0]");
}

TEST(JudgeConclusion, SaysHowManyElementsWereComparedAndWithWhatRoom) {
  Case each = right();
  each.expected = {{.name = "y", .elements = 100, .least = -2, .most = 8, .told = 90, .room = 0.25}};
  EXPECT_EQ(concluded({each}, {}).reason,
            "It is right in one case, 90 of 100 elements compared (of the others a zero is right, too), with room for "
            "errors of 0.250 where values reach 8.00; its time was not compared");
  each.expected[0].told = 100;
  each.expected[0].room = 0;
  EXPECT_THAT(concluded({each}, {}).reason, HasSubstr("in one case, all 100 elements compared, exactly;"));
}

TEST(JudgeConclusion, WhatWasInterruptedIsNotJudgedUnlessItHasFailed) {
  Judgement fine = concluded({right(), right()}, {{2, 1.5, 2.5, false}});
  cut_short(fine);
  EXPECT_EQ(fine.verdict, Verdict::not_judged);
  EXPECT_EQ(fine.reason, "It was interrupted after 2 cases");
  EXPECT_EQ(fine.slowest(), nullptr);  // nor is it fast enough
  Judgement none = concluded({}, {});
  cut_short(none);
  EXPECT_EQ(none.verdict, Verdict::not_judged);
  Judgement failed = concluded({right(), wrong()}, {});
  cut_short(failed);
  EXPECT_EQ(failed.verdict, Verdict::incorrect);
}

TEST(JudgeReport, AMessageThatRepeatsIsShownToPeopleOnce) {
  const Judgement judgement = concluded({wrong(), right(), wrong(), wrong()}, {});
  const std::string table = case_table(judgement).render(Format::table);
  EXPECT_EQ(table.find("y[0]"), table.rfind("y[0]"));
  EXPECT_NE(table.find("as above"), table.rfind("as above"));
  EXPECT_THAT(case_table(judgement).render(Format::csv), Not(HasSubstr("as above")));
}

TEST(JudgeConclusion, SpeedIsThatOfTheSlowestSize) {
  EXPECT_EQ(concluded({right()}, {{2, 1.5, 2.5, false}}).verdict, Verdict::faster);
  EXPECT_EQ(concluded({right()}, {{2, 1.5, 2.5, false}, {0.9, 0.8, 0.95, false}}).verdict, Verdict::slower);
  EXPECT_EQ(concluded({right()}, {{0.999, 0.99, 1.01, true}}).verdict, Verdict::as_fast);
  EXPECT_FALSE(concluded({right()}, {{2, 1.5, 2.5, false}, {0.9, 0.8, 0.95, false}}).fast_enough());
  EXPECT_TRUE(concluded({right()}, {{0.997, 0.995, 0.999, true}}).fast_enough());
  EXPECT_FALSE(concluded({right()}, {{2, 1.5, 2.5, false}}, 3).fast_enough());
  EXPECT_TRUE(concluded({right()}, {{2, 1.5, 2.5, false}}, 2.4).fast_enough());
}

TEST(JudgeConclusion, SpeedUpsHaveThreeDigits) {
  EXPECT_THAT(concluded({right()}, {{1, 0.999, 1.004, true}}).reason, HasSubstr("1.00 times as fast (0.999 to 1.00)"));
  EXPECT_THAT(concluded({right()}, {{1.5, 1.4, 12.345, false}}, 20).reason,
              HasSubstr("It is 1.50 times as fast (1.40 to 12.3) at n=8; 20.0 times were required"));
}

TEST(JudgeConclusion, WithoutAnIntervalNothingIsExcluded) {
  const double infinite = std::numeric_limits<double>::infinity();
  const Judgement judgement = concluded({right()}, {{2, -infinite, infinite, false}}, 3);
  EXPECT_TRUE(judgement.fast_enough());
  EXPECT_THAT(judgement.reason, HasSubstr("too few rounds"));
}

}  // namespace
}  // namespace warptune::tuner::judge
