#include "tuner/kernel/plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/support/small_template.h"
#include "tuner/kernel/evaluation.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/source/compile_requests.h"

namespace warptune::tuner {
namespace {

KernelTemplate doubling_with(const std::string& extra = "", const std::string& launch_extra = "") {
  const TemporaryFolder folder;
  std::string manifest = doubling_manifest;
  manifest.insert(manifest.find("[reference]"), launch_extra + "\n" + extra + "\n");
  write_doubling_template(folder, manifest);
  return load_manifest(folder.path());
}

search::NamedValues scope(std::int64_t n, std::int64_t block) {
  return {{"n", n}, {"BLOCK", block}, {"EACH", std::int64_t{2}}, {"MODE", std::string("good")}};
}

TEST(Plan, EvaluatesGeometryAndScalars) {
  const Plan plan = make_plan(doubling_with(), scope(1000, 64));
  ASSERT_EQ(plan.launches.size(), 1u);
  EXPECT_EQ(plan.launches[0].geometry.grid, (Dim3{8, 1, 1}));
  EXPECT_EQ(plan.launches[0].geometry.block, (Dim3{64, 1, 1}));
  EXPECT_EQ(plan.launches[0].arguments[0].buffer, "in");
  int count = 0;
  std::memcpy(&count, plan.launches[0].arguments[2].scalar.data(), sizeof count);
  EXPECT_EQ(count, 1000);
}

TEST(Plan, UnrollsRepeatsWithTheirPass) {
  const Plan plan = make_plan(doubling_with("", "repeat = 3\nset = { count = \"n - pass\" }"), scope(10, 32));
  ASSERT_EQ(plan.launches.size(), 3u);
  int count = 0;
  std::memcpy(&count, plan.launches[2].arguments[2].scalar.data(), sizeof count);
  EXPECT_EQ(count, 8);
}

TEST(Plan, SkipsALaunchWhoseConditionIsFalse) {
  EXPECT_TRUE(make_plan(doubling_with("", "when = \"BLOCK > 100\""), scope(10, 32)).launches.empty());
  EXPECT_EQ(make_plan(doubling_with("", "when = \"BLOCK > 100\""), scope(10, 128)).launches.size(), 1u);
}

TEST(Plan, TemporariesMayDependOnTheConfiguration) {
  // The plan refers to the template's arguments.
  const KernelTemplate kernel =
      doubling_with("[temporaries.partial]\ntype = \"double\"\nshape = [\"BLOCK\", \"EACH\"]");
  const Plan plan = make_plan(kernel, scope(10, 32));
  ASSERT_EQ(plan.buffers.size(), 1u);
  EXPECT_EQ(plan.buffers[0].elements, 64u);
  EXPECT_EQ(plan.buffers[0].bytes(), 512u);
}

// What make_plan says against the first launch with this in place of a part of the manifest.
std::string fault_with(const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  std::string manifest = doubling_manifest;
  write_doubling_template(folder, manifest.replace(manifest.find(from), from.size(), to));
  try {
    make_plan(load_manifest(folder.path()), scope(1000, 64));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Plan, NamesTheFormulaThatIsNoWholeNumberAndWhatItIsOf) {
  EXPECT_EQ(fault_with("grid = \"ceildiv(n, BLOCK * EACH)\"", "grid = [1, \"n / (BLOCK * EACH)\"]"),
            "launches[0].grid[1] = n / (BLOCK * EACH) gives 7.8125 for n=1000,BLOCK=64,EACH=2, which is no whole "
            "number; '//' or ceildiv instead of '/'?");
  EXPECT_EQ(fault_with("shared = \"MODE == 'greedy' and 300000 or 0\"", "shared = \"BLOCK - 100\""),
            "launches[0].shared = BLOCK - 100 gives -36 for BLOCK=64, expected at least 0");
}

TEST(Plan, AcceptsAQuotientThatIsAWholeNumber) {
  EXPECT_EQ(fault_with("grid = \"ceildiv(n, BLOCK * EACH)\"", "grid = \"n / 8\""), "");
}

TEST(Plan, RefusesAnEmptyGrid) {
  search::NamedValues zero = scope(1000, 64);
  zero[0].second = std::int64_t{0};
  EXPECT_THROW(make_plan(doubling_with(), zero), std::invalid_argument);
}

TEST(Plan, RefusesAScalarThatDoesNotFitItsType) {
  EXPECT_THROW(scalar_bytes(ElementType::i32, search::Value(std::int64_t{1} << 40)), std::invalid_argument);
  for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16}) {
    EXPECT_THROW(scalar_bytes(type, search::Value(1e60)), std::invalid_argument);
    EXPECT_NO_THROW(scalar_bytes(type, search::Value(-std::numeric_limits<double>::infinity())));  // is what was said
  }
  EXPECT_NO_THROW(scalar_bytes(ElementType::f16, search::Value(65504.0)));
  EXPECT_NO_THROW(scalar_bytes(ElementType::u64, search::Value(std::int64_t{-1})));
}

TEST(Plan, ParametersReachTheCompilersOptions) {
  const TemporaryFolder folder;
  write_doubling_template(folder);
  KernelTemplate kernel = load_manifest(folder.path());
  kernel.options = {"-O{BLOCK}", "{MODE}", "-DPAIR={1, 2}", "-DX={UNKNOWN}"};
  kernel.backend_options["host"] = {"-ffast={FAST}"};
  const search::NamedValues chosen{{"BLOCK", std::int64_t{128}}, {"FAST", true}, {"MODE", std::string()}};
  EXPECT_EQ(compile_request(kernel, "host", chosen, chosen).options,
            (std::vector<std::string>{"-O128", "-DPAIR={1, 2}", "-DX={UNKNOWN}", "-ffast=true"}));
  // A reference knows no configuration.
  EXPECT_EQ(reference_compile_request(kernel, "cuda", {}).options.front(),
            "-O" + search::to_text(*search::find_value(kernel.default_values, "BLOCK")));
  EXPECT_EQ(options_for(kernel, "host").front(), "-O{BLOCK}");
}

TEST(Plan, ParametersReachTheCompilerAsDefines) {
  const TemporaryFolder folder;
  write_doubling_template(folder);
  const CompileRequest request =
      compile_request(load_manifest(folder.path()), "host",
                      {{"BLOCK", std::int64_t{64}}, {"FAST", true}, {"MODE", std::string("good")}}, {});
  const std::vector<std::pair<std::string, std::string>> expected{{"BLOCK", "64"}, {"FAST", "1"}, {"MODE", "good"}};
  EXPECT_EQ(request.defines, expected);
  EXPECT_EQ(request.name, "doubling/kernel.cu");
  EXPECT_EQ(request.kernels, std::vector<std::string>{"doubling"});
}

TEST(Plan, AnExpressionWithoutAValueNamesItsPlaceTextAndColumn) {
  const search::Expression halves = search::Expression::parse("n / (EACH - 1)");
  try {
    value_at(halves, {{"n", std::int64_t{8}}, {"EACH", std::int64_t{1}}}, "arguments.alpha.value");
    FAIL();
  } catch (const search::ExpressionError& error) {
    EXPECT_STREQ(error.what(), "arguments.alpha.value = n / (EACH - 1): division by zero at column 3 for n=8,EACH=1");
  }
}

}  // namespace
}  // namespace warptune::tuner
