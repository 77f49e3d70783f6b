#include "tuner/kernel/problem.h"

#include <gtest/gtest.h>

#include "tests/support/small_template.h"
#include "tuner/kernel/evaluation.h"
#include "tuner/kernel/manifest/manifest.h"

namespace warptune::tuner {
namespace {

KernelTemplate doubling() {
  const TemporaryFolder folder;
  write_doubling_template(folder);
  return load_manifest(folder.path());
}

DeviceInfo small_device() {
  DeviceInfo device;
  device.max_threads_per_block = 64;
  device.max_block_x = device.max_block_y = device.max_block_z = 1024;
  device.max_grid_x = device.max_grid_y = device.max_grid_z = 65535;
  device.max_shared_memory_per_block_optin = 100'000;
  return device;
}

TEST(Problem, SizesAreReadWithSuffixes) {
  EXPECT_EQ(search::to_text(parse_sizes("M=1024,N=4k,K=2M")), "M=1024,N=4096,K=2097152");
}

TEST(Problem, RefusesMalformedSizes) {
  for (const char* text : {"M", "=3", "M=", "M=x", "M=3q", "M=99999999999G", "M=1,N=2,M=3"})
    EXPECT_THROW(parse_sizes(text), RequestError) << text;
}

TEST(Problem, RefusesUnknownAndZeroSizes) {
  EXPECT_THROW(resolve_problem(doubling(), "", {.sizes = {{"m", std::int64_t{3}}}}), RequestError);
  EXPECT_THROW(resolve_problem(doubling(), "", {.sizes = {{"n", std::int64_t{0}}}}), RequestError);
  EXPECT_THROW(resolve_problem(doubling(), "huge", {}), RequestError);
}

TEST(Problem, RefusesASizeBeyondItsLimitAndNamesIt) {
  KernelTemplate kernel = doubling();
  kernel.size_limits["n"] = 2000;
  EXPECT_EQ(resolve_problem(kernel, "", {.sizes = {{"n", std::int64_t{2000}}}}).text(), "n=2000");
  try {
    resolve_problem(kernel, "", {.sizes = {{"n", std::int64_t{2001}}}});
    FAIL();
  } catch (const RequestError& error) {
    EXPECT_STREQ(error.what(), "problem size n=2001: doubling takes at most 2000");
  }
}

TEST(Problem, DeviceLimitsBecomeConstraints) {
  const search::NamedValues constants = problem_constants({{"n", std::int64_t{1000}}}, small_device());
  const search::SearchSpace space = build_space(doubling(), constants);
  // 128 threads exceed the device, and the greedy mode's shared memory does too.
  EXPECT_EQ(space.domains()[0].size(), 2u);
  EXPECT_EQ(space.domains()[2].size(), 5u);
  EXPECT_EQ(search::to_text(space.size()), "40");
}

TEST(Problem, AnEmptySpaceNamesWhatContradicts) {
  DeviceInfo device = small_device();
  device.max_threads_per_block = 16;
  const search::SearchSpace space = build_space(doubling(), problem_constants({{"n", std::int64_t{1000}}}, device));
  ASSERT_TRUE(space.empty());
  EXPECT_NE(space.contradiction().at(0).find("max_threads_per_block"), std::string::npos);
}

TEST(Problem, AConstraintWithoutAValueDoesNotHoldAndSaysWhy) {
  const search::NamedValues scope = {{"n", std::int64_t{12}}, {"EACH", std::int64_t{1}}};
  EXPECT_TRUE(evaluate_constraint("n % (EACH + 3) == 0", scope).holds);
  EXPECT_EQ(evaluate_constraint("n % 5 == 0", scope).no_value, "");
  const ConstraintResult broken = evaluate_constraint("n % (EACH - 1) == 0", scope);
  EXPECT_FALSE(broken.holds);
  EXPECT_EQ(broken.no_value, "it has no value there: division by zero (column 3)");
}

TEST(Problem, AVariantsValueMayHoldCommas) {
  EXPECT_EQ(search::to_text(parse_variants("TYPE=Shape<8, 4>,TILED=true")), "TYPE=Shape<8, 4>,TILED=true");
  EXPECT_EQ(parse_variants("TYPE=Shape<8, 4>,TILED=true").size(), 2u);
}

}  // namespace
}  // namespace warptune::tuner
