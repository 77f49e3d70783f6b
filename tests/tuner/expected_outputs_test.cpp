// What is said, before anything is measured, of a reference that cannot tell right from wrong; and outputs of which the
// sum is compared.
#include "tuner/measure/verification/expected_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/host_session.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char surveyed_manifest[] = R"toml(
name = "k"
[sizes]
n = 1000
[parameters.MODE]
values = [0, 1, 2]
default = 0
[arguments.x]
type = "TYPE"
shape = ["n"]
fill = FILL
[arguments.y]
type = "TYPE"
shape = ["SHAPE"]
OUTPUT
[arguments.n]
type = "int"
value = "n"
MORE
[[launches]]
kernel = "k"
grid = "ceildiv(n, 64)"
block = 64
arguments = [ARGUMENTS]
[reference]
default_configuration = true
)toml";

struct Problem {
  std::string body;  // of the kernel, with i
  std::string type = "int", fill = "{ uniform = [1, 9] }", shape = "n", output = "role = \"output\"";
  std::string more = "", parameters = "", arguments = R"("x", "y", "n")";
};

// Notes what it is told, in order.
class Listener : public SessionObserver {
 public:
  void on_expected(const std::vector<search::ExpectedOutput>& outputs, const std::vector<std::string>& said) override {
    expected = outputs;
    notes = said;
    is_before_trials = trials == 0;
  }
  void on_trial(const search::Trial&, const SessionProgress&) override { ++trials; }

  ExpectedOutputs expected;
  std::vector<std::string> notes;
  std::size_t trials = 0;
  bool is_before_trials = false;
};

class ExpectedOutputsOf : public HostSession {
 protected:
  void write(const Problem& problem) {
    std::string text = surveyed_manifest;
    for (const auto& [from, to] : {std::pair<std::string, std::string>("TYPE", problem.type),
                                   {"FILL", problem.fill},
                                   {"SHAPE", problem.shape},
                                   {"OUTPUT", problem.output},
                                   {"MORE", problem.more},
                                   {"ARGUMENTS", problem.arguments}})
      for (std::size_t at = text.find(from); at != text.npos; at = text.find(from)) text.replace(at, from.size(), to);
    folder_.write("template.toml", text);
    const std::string type = problem.type == "half" ? "half" : problem.type;
    folder_.write(
        "kernel.cu",
        (type == "half" ? "#include <cuda_fp16.h>\n" : "") + std::string("extern \"C\" __global__ void k(const ") +
            type + "* x, " + type + "* y, int n" + problem.parameters +
            ") {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n || MODE < 0) return;\n  " +
            problem.body + "\n}\n");
  }

  Listener tell(const Problem& problem) {
    write(problem);
    db::Store opened = store();
    Listener listener;
    Tuning tuning(request(), opened, stop_, &listener);
    tuning.session().run();
    record_ = opened.session(tuning.id()).value();
    trials_ = tuning.session().result().trials;
    EXPECT_TRUE(listener.is_before_trials);
    EXPECT_GT(listener.trials, 0u);
    return listener;
  }

  // Before anything is measured.
  std::string refusal(const Problem& problem) {
    write(problem);
    db::Store opened = store();
    try {
      Listener listener;
      Tuning(request(), opened, stop_, &listener).session().run();
    } catch (const WorkloadError& error) {
      return error.what();
    }
    return "";
  }

  db::SessionRecord record_;
  std::vector<search::Trial> trials_;
};

TEST_F(ExpectedOutputsOf, AreNotedBeforeTheFirstTrialWhereAllAreOneValue) {
  for (const char* type : {"int", "double", "half"}) {
    const Listener told = tell({"y[i] = x[i] > (" + std::string(type) + ")100 ? x[i] : (" + type + ")0;", type});
    EXPECT_THAT(told.notes,
                ElementsAre(AllOf(HasSubstr("y is expected to be 0 everywhere, in all of its 1001 elements"),
                                  HasSubstr("Choose other data in [arguments.x]"))))
        << type;
  }
}

TEST_F(ExpectedOutputsOf, AreKeptInTheSessionsRecord) {
  tell({"y[i] = 7;"});
  const Json kept = Json::parse(record_.expected);
  EXPECT_EQ(kept[0]["name"], "y");
  EXPECT_EQ(kept[0]["one_value"], true);
  EXPECT_EQ(kept[0]["most"], 7);
}

TEST_F(ExpectedOutputsOf, AreNoReasonForANoteWhereTheyVary) {
  const Listener told = tell({"y[i] = x[i];"});
  EXPECT_THAT(told.notes, IsEmpty());
  EXPECT_EQ(told.expected.at(0).least, 1);
  EXPECT_EQ(told.expected.at(0).most, 9);
  EXPECT_TRUE(told.expected.at(0).tells());
}

// One in a thousand is another: a kernel that writes zeros is wrong there.
TEST_F(ExpectedOutputsOf, AreToldWithTheirShareWhereNearlyAllAreOneValue) {
  const Listener told = tell({"y[i] = i == 500 ? 3 : 0;"});
  EXPECT_THAT(told.notes, IsEmpty());
  EXPECT_EQ(variety_text(told.expected.at(0)), "0 to 3; 0 in 99.9 % of 1001 elements");
}

TEST_F(ExpectedOutputsOf, MayBeOneNumberWhereThereIsOneElement) {
  const Listener told = tell(
      {"if (i == 0) { int s = 0; for (int k = 0; k < n; ++k) s += x[k]; y[0] = s; }", "int", "{ constant = 0 }", "1"});
  EXPECT_THAT(told.notes, IsEmpty());
}

TEST_F(ExpectedOutputsOf, AreNotedByOutputWhereOneOfSeveralIsConstant) {
  Problem problem{"y[i] = x[i]; z[i] = 5;"};
  problem.more = "[arguments.z]\ntype = \"int\"\nshape = [\"n\"]\nrole = \"output\"";
  problem.parameters = ", int* z";
  problem.arguments = R"("x", "y", "n", "z")";
  EXPECT_THAT(tell(problem).notes, ElementsAre(HasSubstr("z is expected to be 5 everywhere")));
}

// The kernel that writes nothing would be right, and the fastest.
TEST_F(ExpectedOutputsOf, AreRefusedWhereTheOnlyOneEndsAsItBegins) {
  Problem problem{"if (x[i] > 100) y[i] = x[i];"};
  problem.output = "role = \"inout\"\nfill = { uniform = [1, 1000], seed = 9 }";
  EXPECT_THAT(refusal(problem),
              AllOf(HasSubstr("nothing that k writes can be verified"),
                    HasSubstr("y is expected to end as it begins, within its tolerance, in all of its "
                              "1001 elements"),
                    HasSubstr("Choose other data in [arguments.x] or [arguments.y]")));
  problem.shape = "1";
  problem.body = "if (i == 0 && x[i] > 100) y[i] = x[i];";
  EXPECT_THAT(refusal(problem), HasSubstr("y is expected to end as it begins"));
}

TEST_F(ExpectedOutputsOf, AreRefusedWhereTheyChangeByLessThanTheTolerance) {
  Problem problem{"y[i] += x[i] * 1e-6f;", "float"};
  problem.output = "role = \"inout\"\nfill = { uniform = [100, 1000], seed = 9 }\ntolerance = { relative = 1e-4 }";
  EXPECT_THAT(refusal(problem), HasSubstr("y is expected to end as it begins, within its tolerance"));
  problem.body = "y[i] += x[i];";
  EXPECT_THAT(tell(problem).notes, IsEmpty());
}

TEST_F(ExpectedOutputsOf, AreRefusedWhereTheirSumEndsAsItBegins) {
  Problem problem{"if (i < 4) { y[i] += x[i]; y[i + 4] -= x[i]; }"};
  problem.shape = "8";
  problem.output = "role = \"inout\"\nfill = { uniform = [1, 1000], seed = 9 }\ncompare = \"sum\"";
  EXPECT_THAT(refusal(problem), HasSubstr("y is expected to end as it begins"));
}

TEST_F(ExpectedOutputsOf, AreRefusedWhereNothingOfTheOnlyOneIsCompared) {
  Problem problem{"y[i] = x[i];"};
  problem.output = "role = \"output\"\ncounts = \"n // 5000\"";
  EXPECT_THAT(refusal(problem), AllOf(HasSubstr("nothing of y is compared, for its `counts` are 0"),
                                      HasSubstr("Leave `counts` in [arguments.y] out")));
  problem.output = "role = \"output\"\ncounts = 1";
  EXPECT_THAT(tell(problem).notes, IsEmpty());
}

TEST_F(ExpectedOutputsOf, AreRefusedWhereIntegersAreWithinTheToleranceOfZero) {
  Problem problem{"y[i] = x[i] % 2;"};
  problem.output = "role = \"output\"\ntolerance = { absolute = 1 }";
  EXPECT_THAT(refusal(problem), AllOf(HasSubstr("the tolerance of y covers every value that is expected"),
                                      HasSubstr("Say a smaller `tolerance` in [arguments.y]")));
}

// What a kernel that writes nothing, or zeros, gets right of several outputs is noted; all of it is an error.
TEST_F(ExpectedOutputsOf, AreNotedWhereOneOfSeveralTellsNothing) {
  const auto with = [](const std::string& keys, const std::string& body) {
    Problem problem{"y[i] = x[i]; " + body};
    problem.more = "[arguments.z]\ntype = \"int\"\nshape = [\"n\"]\n" + keys;
    problem.parameters = ", int* z";
    problem.arguments = R"("x", "y", "n", "z")";
    return problem;
  };
  const std::string inout = "role = \"inout\"\nfill = { uniform = [1, 1000], seed = 9 }";
  const std::string lax = "role = \"output\"\ntolerance = { absolute = 1 }", none = "role = \"output\"\ncounts = 0";
  EXPECT_THAT(tell(with(inout, "")).notes,
              ElementsAre(AllOf(HasSubstr("z is expected to end as it begins"), HasSubstr("say counts = 0"))));
  EXPECT_THAT(tell(with(lax, "z[i] = x[i] % 2;")).notes,
              ElementsAre(AllOf(HasSubstr("the tolerance of z covers every value"), HasSubstr("writes zeros"))));
  EXPECT_THAT(tell(with(none, "z[i] = x[i];")).notes, ElementsAre(HasSubstr("nothing of z is compared")));
  Problem all = with(none, "");
  all.output = inout;
  all.body = "if (x[i] > 100) y[i] = x[i];";
  EXPECT_THAT(refusal(all),
              AllOf(HasSubstr("y is expected to end as it begins"), HasSubstr("nothing of z is compared")));
}

// So are the arrays of variants that are not chosen.
TEST_F(ExpectedOutputsOf, AreNoReasonForANoteWhereOneElementIsLeftAlone) {
  Problem problem{"y[i] = x[i];"};
  problem.more = "[arguments.z]\ntype = \"int\"\nshape = [\"1\"]\nrole = \"inout\"\nfill = { constant = 3 }";
  problem.parameters = ", int* z";
  problem.arguments = R"("x", "y", "n", "z")";
  EXPECT_THAT(tell(problem).notes, IsEmpty());
}

// Of two sets of inputs: what is one value in each of them, and another one, is computed.
TEST(ExpectedOutputs, AreNotOneValueWhereAnotherSetOfInputsGivesAnotherOne) {
  search::ExpectedOutput known{.name = "y", .elements = 4, .least = 5, .most = 5, .commonest = 5, .same = 4};
  known.one_value = true;
  search::ExpectedOutput same = known, other = known;
  take_both(same, known);
  EXPECT_TRUE(same.one_value);
  known.least = known.most = known.commonest = 7;
  take_both(other, known);
  EXPECT_FALSE(other.one_value);
  EXPECT_EQ(other.least, 5);
  EXPECT_EQ(other.most, 7);
}

// 2^60 and its sixty neighbours on either side are one double.
TEST(ExpectedOutputs, AreNotedWhereIntegersAreComparedWithFewerNumbers) {
  KernelTemplate kernel;
  kernel.arguments.push_back({.name = "y", .type = ElementType::i64, .role = Role::output});
  ElementType& reference = kernel.arguments.front().reference_type;
  search::ExpectedOutput y{.name = "y", .elements = 9, .least = 0, .most = 0x1p60, .told = 9};
  reference = ElementType::f64;
  EXPECT_THAT(notes_on(kernel, {y}), ElementsAre(HasSubstr("reference_type = \"int64\" compares integers")));
  reference = ElementType::i64;
  EXPECT_THAT(notes_on(kernel, {y}), IsEmpty());
  y.most = 0x1p30;
  reference = ElementType::f64;
  EXPECT_THAT(notes_on(kernel, {y}), IsEmpty());
  reference = ElementType::f32;
  EXPECT_THAT(notes_on(kernel, {y}), ElementsAre(HasSubstr("has not all of those beyond 16777216")));
}

TEST(ExpectedOutputs, AreNotFiniteInAllSetsWhereOneHasInfinity) {
  search::ExpectedOutput known{.name = "y", .elements = 4}, other{.name = "y", .elements = 4, .nan = 1, .infinite = 2};
  take_both(known, other);
  EXPECT_EQ(known.nan, 1);
  EXPECT_EQ(known.infinite, 2);
}

TEST_F(ExpectedOutputsOf, AreComparedByTheirSumWhereTheManifestSaysSo) {
  Problem problem{
      "const int sums = MODE == 1 ? 4 : 8;\n"
      "  if (i >= 8) return;\n  int s = 0;\n  if (i < sums) for (int k = i; k < n; k += sums) s += x[k];\n"
      "  y[i] = MODE == 2 && i == 3 ? s + 1 : s;"};
  problem.shape = "8";
  problem.output = "role = \"output\"\ncompare = \"sum\"";
  tell(problem);
  ASSERT_EQ(trials_.size(), 3u);
  std::map<std::uint32_t, const search::Trial*> by_mode;
  for (const search::Trial& trial : trials_) by_mode[trial.configuration.choices[0]] = &trial;
  EXPECT_TRUE(by_mode[0]->correct());
  EXPECT_TRUE(by_mode[1]->correct()) << by_mode[1]->message;
  EXPECT_EQ(by_mode[2]->outcome, search::Outcome::wrong_result);
  EXPECT_THAT(by_mode[2]->message, HasSubstr("the sum of the 8 elements of y: expected "));
}

// A bug that is planted: a block that forgets its partial result.
TEST_F(ExpectedOutputsOf, AreWrongAsASumWhereAnElementIsNeverWritten) {
  Problem problem{"if (i < 8 && !(MODE == 1 && i == 5)) y[i] = x[i];"};
  problem.shape = "8";
  problem.output = "role = \"output\"\ncompare = \"sum\"";
  tell(problem);
  for (const search::Trial& trial : trials_)
    EXPECT_EQ(trial.correct(), trial.configuration.choices[0] != 1) << trial.message;
}

// What fewer blocks leave is what the buffer began as.
TEST_F(ExpectedOutputsOf, AreRightAsASumWhereFewerBlocksAddToZeros) {
  Problem problem{
      "const int sums = MODE == 1 ? 2 : 8;\n  if (i >= sums) return;\n"
      "  float s = 0;\n  for (int k = i; k < n; k += sums) s += x[k];\n  y[i] += s;"};
  problem.type = "float";
  problem.shape = "8";
  problem.output = "role = \"inout\"\nfill = { constant = 0 }\ncompare = \"sum\"\ntolerance = { relative = 1e-5 }";
  tell(problem);
  for (const search::Trial& trial : trials_) EXPECT_TRUE(trial.correct()) << trial.message;
}

}  // namespace
}  // namespace warptune::tuner
