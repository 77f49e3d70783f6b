// Kernels that look right and are not, and some that look wrong and are right, each measured on the host backend in a
// session with all others: what one does must not cost the next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_template.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/measure/verification/workload.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr char manifest[] = R"toml(
name = "liar"
SCRATCH[sizes]
n = 1001
[parameters.MODE]
values = [MODES]
default = "DEFAULT"
[arguments.x]
type = "TYPE"
shape = ["n"]
fill = { uniform = [1, 100], seed = 1 }
[arguments.y]
type = "TYPE"
shape = ["n"]
role = "output"
OUTPUT
[arguments.count]
type = "int"
value = "n"
[temporaries.scratch]
type = "int"
shape = ["n"]
[[launches]]
kernel = "liar"
grid = "ceildiv(n, 64)"
block = 64
arguments = ["x", "y", "count", "scratch"]
[reference]
[[reference.launches]]
kernel = "expected"
grid = "ceildiv(n, 64)"
block = 64
arguments = ["x", "y", "count"]
)toml";

struct Liars {
  std::vector<std::string> modes;  // the first is the default's
  std::string body;                // of the kernel: T* x, T* y, int count, int* scratch, i and t are there
  std::string type = "float";
  // double* y of floats unless `output` has another reference_type, T* y otherwise
  std::string expected = "y[i] = 2.0 * x[i];";
  std::string output = "";   // further keys
  std::string before = "";   // the kernel
  std::string scratch = "";  // further keys of the manifest
};

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [from, to] : pairs)
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  return text;
}

// Of an output, by its further keys.
std::string type_of_expected(const Liars& liars, const std::string& type) {
  const auto says = [&](const std::string& text) { return liars.output.find(text) != std::string::npos; };
  if (says("reference_type = \"uint64\"")) return "unsigned long long";
  const bool is_double = type == "float" && !says("reference_type");
  return is_double || says("reference_type = \"double\"") ? "double" : type;
}

void write_liars(const TemporaryFolder& folder, const Liars& liars) {
  const std::string type = liars.type == "uint8" ? "unsigned char" : liars.type == "int64" ? "long long" : liars.type;
  std::string values, macros;
  for (const std::string& mode : liars.modes) {
    values += (values.empty() ? "\"" : ", \"") + mode + "\"";
    macros += "#define " + mode + " " + std::to_string(macros.size()) + "\n";
  }
  folder.write("template.toml", replaced(manifest, {{"MODES", values},
                                                    {"DEFAULT", liars.modes.front()},
                                                    {"TYPE", liars.type},
                                                    {"OUTPUT", liars.output},
                                                    {"SCRATCH", liars.scratch}}));
  folder.write("kernel.cu", macros + liars.before + "\nextern \"C\" __global__ void liar(" + type + "* x, " + type +
                                "* y, int count, int* scratch) {\n  const int t = threadIdx.x;\n" +
                                "  const int i = blockIdx.x * blockDim.x + t;\n" + liars.body + "\n}\n");
  folder.write("reference.cu", "extern \"C\" __global__ void expected(const " + type + "* x, " +
                                   type_of_expected(liars, type) + "* y, int count) {\n" +
                                   "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < count) { " +
                                   liars.expected + " }\n}\n");
}

// The trial of each mode, in one session in this process.
std::map<std::string, search::Trial> trials(const Liars& liars, Verify verify = Verify::always) {
  const TemporaryFolder folder;
  write_liars(folder, liars);
  TuneRequest request;
  request.manifest = folder.path() / "template.toml";
  request.device = "host";
  request.strategy = "exhaustive";
  request.evaluator.policy.verify = verify;
  request.evaluator.policy.race = 0;
  request.evaluator.policy.max_samples = 6;
  request.finals = 0;
  db::Store store = db::Store::open(folder.path() / "s.db", db::OpenMode::read_write);
  const std::atomic<bool> stop{false};
  Tuning tuning(request, store, stop, nullptr);
  tuning.session().run();
  std::map<std::string, search::Trial> by_mode;
  for (const search::Trial& trial : tuning.session().result().trials)
    by_mode[search::to_text(tuning.space().values(trial.configuration)[0].second)] = trial;
  return by_mode;
}

void expect_wrong(const std::map<std::string, search::Trial>& all, const std::string& mode,
                  const testing::Matcher<std::string>& why) {
  ASSERT_TRUE(all.contains(mode)) << mode;
  EXPECT_EQ(all.at(mode).outcome, search::Outcome::wrong_result) << mode << ": " << all.at(mode).message;
  EXPECT_THAT(all.at(mode).message, why) << mode;
}

void expect_right(const std::map<std::string, search::Trial>& all, const std::string& mode) {
  ASSERT_TRUE(all.contains(mode)) << mode;
  EXPECT_EQ(all.at(mode).outcome, search::Outcome::correct) << mode << ": " << all.at(mode).message;
}

TEST(HostVerification, NoRunFindsWhatAnotherOneLeft) {
  const auto all = trials({{"honest", "skips", "maximum", "adds", "flagged", "after"}, R"(
  if (i >= count) return;
  if (MODE == skips && y[i] == y[i]) return;
  if (MODE == flagged && scratch[i] == 7) return;
  scratch[i] = 7;
  if (MODE == maximum) y[i] = fmaxf(y[i], 2 * x[i]);
  else if (MODE == adds) y[i] += 2 * x[i];
  else y[i] = 2 * x[i];
)"});
  expect_right(all, "honest");
  expect_wrong(all, "maximum", HasSubstr("elements differ"));
  expect_wrong(all, "adds", HasSubstr("elements differ"));
  expect_wrong(all, "skips", HasSubstr("elements differ"));
  // It does no less work than it must, because nothing is ever left for it: right, and timed as that.
  expect_right(all, "flagged");
  expect_right(all, "after");
}

TEST(HostVerification, AnIntegersMaximumOverUnwrittenMemoryIsFound) {
  const auto all = trials({{"honest", "greatest", "least", "counts"},
                           R"(
  if (i >= count) return;
  if (MODE == greatest) atomicMax(&y[i], x[i]);
  else if (MODE == least) atomicMin(&y[i], x[i]);
  else if (MODE == counts) { if (scratch[i] == 0) y[i] = x[i]; }
  else y[i] = x[i];
)",
                           "int",
                           "y[i] = x[i];"});
  expect_right(all, "honest");
  for (const char* mode : {"greatest", "least", "counts"}) expect_wrong(all, mode, HasSubstr("elements differ"));
}

TEST(HostVerification, WhoWritesAnInputIsNamedAndCostsTheNextNothing) {
  const auto all = trials({{"honest", "clobbers", "after", "overruns", "last"}, R"(
  if (i < count) y[i] = 2 * x[i];
  if (MODE == clobbers && i == 1000) x[3] = -1;
  if (MODE == overruns && i == 0) x[-1] = 0;
)"});
  expect_wrong(all, "clobbers", HasSubstr("x, an input, was written"));
  expect_wrong(all, "overruns",
               testing::ContainsRegex("x was written [1-4] bytes? before its start, where element -1 would be"));
  for (const char* mode : {"honest", "after", "last"}) expect_right(all, mode);
}

TEST(HostVerification, GuardsHoldToTheByte) {
  const auto all = trials({{"honest", "one", "three", "same"},
                           R"(
  if (i < count + (MODE == one) + 3 * (MODE == three)) y[i] = i < count ? x[i] : 77;
  if (MODE == same && i == 0) y[count] = 0x3c;
)",
                           "uint8",
                           "y[i] = x[i];"});
  expect_right(all, "honest");
  for (const char* mode : {"one", "same"}) expect_wrong(all, mode, HasSubstr("y was written 1 byte past its end"));
  // A guard's byte may be 77 by chance, and then the next one tells.
  expect_wrong(all, "three", ContainsRegex("y was written [123] bytes? past its end"));
}

TEST(HostVerification, NeverWrittenIsItsOwnAnswerWhateverValueIsMissing) {
  const auto all = trials({{"honest", "misses", "half"},
                           R"(
  if (MODE == half ? i % 2 == 0 && i < count - 1 : i < count && !(MODE == misses && i % 4 == 3))
    y[i] = MODE == half && i == 0 ? 1 : 255;
)",
                           "uint8",
                           "y[i] = 255;"});
  expect_right(all, "honest");
  expect_wrong(all, "misses", HasSubstr("was never written; "));
  expect_wrong(all, "half", HasSubstr("never written"));
}

TEST(HostVerification, InfinityAndNanAreRightWhereTheyAreExpected) {
  const auto all = trials({{"honest", "finite", "negative", "unwritten_nan", "number"},
                           R"(
  if (i >= count) return;
  const float infinity = __int_as_float(0x7f800000), nan = __int_as_float(0x7fffffff);
  if (i % 2) { if (MODE != unwritten_nan) y[i] = MODE == number ? 3 : nan; }
  else y[i] = MODE == finite ? 7 : MODE == negative ? -infinity : infinity;
)",
                           "float",
                           "y[i] = i % 2 ? 0.0 / (x[i] - x[i]) : 1e308 * 10 * x[i];",
                           "tolerance = { relative = 1e-3 }"});
  expect_right(all, "honest");
  expect_wrong(all, "finite", HasSubstr("expected inf"));
  expect_wrong(all, "negative", HasSubstr("expected inf"));
  expect_wrong(all, "unwritten_nan", HasSubstr("never written"));
  expect_wrong(all, "number", HasSubstr("expected nan, got 3"));
}

TEST(HostVerification, StateThatOutlivesARunIsFoundUnlessItReturnsOrIsScratchMemory) {
  Liars liars{{"honest", "counts", "remembers", "resets", "scratch_memory"}, R"(
  if (i < count) y[i] = 2 * x[i];
  if (i != 0) return;
  if (MODE == counts) ++runs;
  if (MODE == remembers) known = x;
  if (MODE == resets) { ++runs; --runs; }
  if (MODE == scratch_memory) { declared = i; y[0] = 2 * x[0] + declared; }
)"};
  liars.before = "__device__ int runs;\n__device__ float* known;\n__device__ int declared;";
  liars.scratch = "scratch_variables = [\"declared\"]\n";
  const auto all = trials(liars);
  expect_wrong(all, "counts", HasSubstr("its variable runs is not what it was"));
  expect_wrong(all, "remembers", HasSubstr("its variable known is not what it was"));
  for (const char* mode : {"honest", "resets", "scratch_memory"}) expect_right(all, mode);
}

TEST(HostVerification, MissingBarriersAndUninitialisedSharedMemoryAreFound) {
  const auto all = trials({{"honest", "left", "right", "zero", "local"}, R"(
  __shared__ float row[64];
  __shared__ int total[16];
  if (MODE == zero && t == 0 && blockIdx.x == 0) for (int k = 0; k < 16; ++k) total[k] = 0;
  row[t] = i < count ? x[i] : 0;
  if (MODE == honest) __syncthreads();
  const int other = MODE == right ? (t + 1) % 64 : (t + 63) % 64;
  const int j = i - t + other;
  float difference = j < count ? row[other] - x[j] : 0;
  if (MODE == zero || MODE == local) difference = 0;
  if (MODE == left && t == 0) difference = 0;
  if (MODE == right && t == 63) difference = 0;
  if (MODE == zero) for (int k = 0; k < 16; ++k) difference += total[k] != 0;
  if (i < count) y[i] = 2 * x[i] + difference;
)"});
  expect_right(all, "honest");
  expect_right(all, "local");
  for (const char* mode : {"left", "right", "zero"}) expect_wrong(all, mode, HasSubstr("elements differ"));
}

class Reference : public testing::Test {
 protected:
  std::string error(const Liars& liars) {
    const TemporaryFolder folder;
    write_liars(folder, liars);
    return error_in(folder);
  }
  static std::string error_in(const TemporaryFolder& folder) {
    TuneRequest request;
    request.manifest = folder.path() / "template.toml";
    request.device = "host";
    db::Store store = db::Store::open(folder.path() / "s.db", db::OpenMode::read_write);
    const std::atomic<bool> stop{false};
    try {
      Tuning(request, store, stop, nullptr);
    } catch (const std::runtime_error& thrown) {
      return thrown.what();
    }
    return "";
  }
};

TEST_F(Reference, ThatLeavesAnElementUnwrittenIsTheTemplatesError) {
  const std::string body = "if (i < count) y[i] = 255;";
  EXPECT_THAT(error({{"honest"}, body, "float", "if (i != 300) y[i] = 2;"}),
              HasSubstr("the reference of liar never writes y[300] (element 300)"));
  // A byte may be given just the poison's value by chance.
  EXPECT_THAT(error({{"honest"}, body, "uint8", "if (i != 7) y[i] = 255;"}), HasSubstr("y[7] (element 7)"));
  EXPECT_EQ(error({{"honest"}, body, "uint8", "y[i] = i;"}), "");
}

TEST_F(Reference, ThatIsTheDefaultConfigurationIsCalledSo) {
  const TemporaryFolder folder;
  folder.write("kernel.cu",
               "__global__ void twice(const float* x, float* y, int n) {\n"
               "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n - 1) y[i] = 2 * x[i];\n}\n");
  folder.write("template.toml", R"(
name = "twice"
source = "kernel.cu"
sizes = { n = 1000 }
parameters = { BLOCK = { values = [64, 128], default = 64 } }
launches = [{ kernel = "twice", grid = "n // BLOCK + 1", block = "BLOCK", arguments = ["x", "y", "n"] }]
reference = { default_configuration = true }
[arguments]
x = { type = "float", shape = ["n"], fill = { uniform = [1.0, 2.0], seed = 1 } }
y = { type = "float", shape = ["n"], role = "output", tolerance = { absolute = 0.0 } }
n = { type = "int32", value = "n" }
)");
  EXPECT_THAT(error_in(folder),
              AllOf(HasSubstr("the default configuration of twice, which is its reference, never writes y[999]"),
                    HasSubstr("So your kernel leaves it out")));
}

TEST_F(Reference, ThatIsNotANumberAnywhereVerifiesNothing) {
  const std::string body = "if (i < count) y[i] = 1;";
  EXPECT_THAT(error({{"honest"}, body, "float", "y[i] = sqrt(-1.0 - i);"}),
              HasSubstr("every value that the reference of liar writes to y is NaN"));
  EXPECT_EQ(error({{"honest"}, body, "float", "y[i] = i == 5 ? 1.0 : sqrt(-1.0 - i);"}), "");
}

TEST_F(Reference, WhoseValuesTheToleranceCoversVerifiesNothing) {
  const std::string body = "if (i < count) y[i] = 1e-5f;";
  EXPECT_THAT(error({{"honest"}, body, "float", "y[i] = 1e-5;", "tolerance = { absolute = 1e-4 }"}),
              HasSubstr("the tolerance of y covers every value"));
  EXPECT_EQ(error({{"honest"}, body, "float", "y[i] = 1e-5;", "tolerance = { absolute = 1e-8 }"}), "");
  // What is expected may be nothing but zeros, or infinite.
  EXPECT_EQ(error({{"honest"}, body, "float", "y[i] = 0;", "tolerance = { absolute = 1e-4 }"}), "");
  EXPECT_EQ(
      error({{"honest"}, body, "float", "y[i] = i == 9 ? 1e300 * 1e300 : 1e-5;", "tolerance = { absolute = 1e-4 }"}),
      "");
}

TEST(HostVerification, IntegersAreAsFarApartAsIntegersAre) {
  const auto near = trials({{"honest", "far"},
                            "if (i < count) y[i] = (1ll << 60) + (MODE == far ? 60 : i % 2);",
                            "int64",
                            "y[i] = 1ll << 60;",
                            "tolerance = { absolute = 1 }"});
  expect_right(near, "honest");
  expect_wrong(near, "far", HasSubstr("1001 of 1001 elements differ, the worst by 60"));
  const auto mixed =
      trials({{"honest", "below", "least"},
              "if (i < count) y[i] = MODE == honest ? 7 : MODE == below ? -1 : -9223372036854775807 - 1;",
              "int64",
              "y[i] = 7;",
              "reference_type = \"uint64\""});
  expect_right(mixed, "honest");
  expect_wrong(mixed, "below", HasSubstr("the worst by 8"));
  expect_wrong(mixed, "least", HasSubstr("the worst by 9.22e+18"));
}

TEST(HostVerification, ASumOfIntegersIsComparedWithOneOfDoubles) {
  const auto all = trials({{"honest", "less"},
                           "if (i < count) y[i] = i - (MODE == less && i == 9);",
                           "int",
                           "y[i] = i;",
                           "compare = \"sum\"\nreference_type = \"double\""});
  expect_right(all, "honest");
  expect_wrong(all, "less", HasSubstr("the sum of the 1001 elements of y: expected 500500, got 500499"));
}

TEST(HostVerification, AWrongZeroIsNotTakenForWhatWasNeverWritten) {
  const auto all =
      trials({{"honest", "zeros"}, "if (i < count) y[i] = MODE == zeros && i % 2 ? 0 : 255;", "uint8", "y[i] = 255;"});
  EXPECT_THAT(all.at("zeros").message, Not(HasSubstr("never written")));
}

TEST_F(Reference, MayLeaveWhatDoesNotCount) {
  const auto all = trials({{"honest", "wrong"},
                           "if (i < 300) y[i] = 2 * x[i] + (MODE == wrong && i == 299);",
                           "float",
                           "if (i < 300) y[i] = 2.0 * x[i];",
                           "counts = 300"});
  expect_right(all, "honest");
  expect_wrong(all, "wrong", HasSubstr("y[299] (element 299)"));
}

TEST_F(Reference, OfNothingComparedVerifiesNothing) {
  const std::string body = "if (i < count) y[i] = 2 * x[i];";
  EXPECT_THAT(error({{"honest"}, body, "float", "", "counts = 0\nreference_type = \"float\""}),
              HasSubstr("nothing of y is compared"));
  EXPECT_THAT(error({{"honest"}, "", "float", "", "counts = 0"}), HasSubstr("reference_type must be its type, float"));
}

TEST_F(Reference, NeedsATolerance) {
  for (const char* tolerance : {"relative = inf", "absolute = nan", "absolute = -1e-6", "relative = \"0 - n\""})
    EXPECT_THAT(error({{"honest"}, "", "float", "y[i] = 1;", std::string("tolerance = { ") + tolerance + " }"}),
                HasSubstr("expected a finite number of at least 0"))
        << tolerance;
}

}  // namespace
}  // namespace warptune::tuner
