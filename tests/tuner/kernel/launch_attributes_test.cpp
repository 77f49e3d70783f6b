// Launch attributes from a manifest to the plan, and by name.
#include "tuner/device/launch_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_template.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/macro_check.h"

namespace warptune::tuner {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Pair;

KernelTemplate doubling_with(const std::string& launch_extra) {
  const TemporaryFolder folder;
  std::string manifest = doubling_manifest;
  manifest.insert(manifest.find("[reference]"), launch_extra + "\n");
  write_doubling_template(folder, manifest);
  return load_manifest(folder.path());
}

std::string refusal_of(const std::string& launch_extra) {
  try {
    doubling_with(launch_extra);
  } catch (const ManifestError& error) {
    return error.what();
  }
  return "it was not refused";
}

search::NamedValues scope(std::int64_t block = 64) {
  return {{"n", std::int64_t{1000}},
          {"BLOCK", block},
          {"EACH", std::int64_t{2}},
          {"MODE", std::string("good")},
          {"compute_capability", std::int64_t{90}}};
}

std::vector<LaunchAttributes> planned(const std::string& launch_extra, std::int64_t block = 64) {
  std::vector<LaunchAttributes> all;
  for (const PlannedLaunch& launch : make_plan(doubling_with(launch_extra), scope(block)).launches)
    all.push_back(launch.geometry.attributes);
  return all;
}

std::vector<std::string> limits_in_reports(const std::string& launch_extra) {
  std::vector<std::string> shown;
  for (const search::Constraint& limit : device_constraints(doubling_with(launch_extra)))
    shown.push_back(limit.in_reports());
  return shown;
}

std::size_t valid_configurations(const std::string& launch_extra, std::int64_t compute_capability) {
  DeviceInfo device;
  device.compute_capability = compute_capability;
  device.max_threads_per_block = device.max_block_x = device.max_block_y = device.max_block_z = 1024;
  device.max_grid_x = device.max_grid_y = device.max_grid_z = 65535;
  device.max_shared_memory_per_block_optin = 1 << 17;
  return build_space(doubling_with(launch_extra), problem_constants({{"n", std::int64_t{1024}}}, device)).size();
}

TEST(LaunchAttributes, AreExpressionsOverTheConfiguration) {
  const auto attributes = planned(
      "cluster = [\"BLOCK // 32\", 1]\npreferred_cluster = \"BLOCK // 16\"\ncarveout = \"50 if BLOCK > 32 else -1\"\n"
      "cooperative = \"EACH == 2\"\npriority = -2");
  ASSERT_EQ(attributes.size(), 1);
  EXPECT_EQ(attributes[0].cluster, (Dim3{2, 1, 1}));
  EXPECT_EQ(attributes[0].preferred_cluster, (Dim3{4, 1, 1}));
  EXPECT_EQ(attributes[0].carveout_percent, 50);
  EXPECT_TRUE(attributes[0].cooperative);
  EXPECT_EQ(attributes[0].priority, -2);
  EXPECT_EQ(planned("", 32).at(0), LaunchAttributes{});
}

// What comes before a run is the tuner's own work, which must have ended.
TEST(LaunchAttributes, LetNoRunBeginBeforeWhatWasThereBefore) {
  std::vector<bool> overlapping;
  for (const LaunchAttributes& one : planned("repeat = 3\nprogrammatic = true"))
    overlapping.push_back(one.programmatic);
  EXPECT_THAT(overlapping, ElementsAre(false, true, true));
  for (const LaunchAttributes& one : planned("repeat = 2\nprogrammatic = true\nclear = [\"out\"]"))
    EXPECT_FALSE(one.programmatic);
}

TEST(LaunchAttributes, LimitsOfADeviceAreNamedInReports) {
  EXPECT_THAT(
      limits_in_reports("cluster = 2\npreferred_cluster = 4\ncarveout = 50"),
      IsSupersetOf({"doubling: threads per block <= max_threads_per_block", "doubling: 1 <= grid.x <= max_grid_x",
                    "doubling: 1 <= block.z <= max_block_z",
                    "doubling: 0 <= dynamic shared memory <= max_shared_memory_per_block_optin",
                    "doubling: 1 <= blocks of cluster <= 16", "doubling: cluster needs compute capability 9.0",
                    "doubling: preferred_cluster needs compute capability 10.0",
                    "doubling: grid.x is a multiple of cluster.x",
                    "doubling: preferred_cluster.x is a multiple of cluster.x", "doubling: -1 <= carveout <= 100"}));
  EXPECT_THAT(limits_in_reports("when = \"EACH == 2\""),
              Contains("doubling: 1 <= grid.x <= max_grid_x (if EACH == 2)"));
}

TEST(LaunchAttributes, AreNoChoiceWhereTheDeviceHasNone) {
  const std::size_t all = valid_configurations("", 80);
  ASSERT_GT(all, 0);
  EXPECT_EQ(valid_configurations("programmatic = true", 80), 0);
  EXPECT_EQ(valid_configurations("programmatic = true", 90), all);
  EXPECT_EQ(valid_configurations("cluster = 2", 80), 0);
  EXPECT_EQ(valid_configurations("cluster = \"2 if compute_capability >= 90 else 1\"", 80), all);
  EXPECT_EQ(valid_configurations("cluster = 32", 90), 0);
  EXPECT_EQ(valid_configurations("cluster = 2\npreferred_cluster = 4", 90), 0);
  EXPECT_EQ(valid_configurations("carveout = 101", 90), 0);
  EXPECT_EQ(valid_configurations("programmatic = true\ncluster = 2", 0), valid_configurations("cluster = 2", 0));
}

TEST(LaunchAttributes, HaveClustersThatDivideTheGrid) {
  EXPECT_EQ(valid_configurations("cluster = 7", 90), 0);  // of 1024 elements
  EXPECT_GT(valid_configurations("cluster = 2", 90), 0);
}

TEST(LaunchAttributes, CountAsUsesOfAParameter) {
  EXPECT_EQ(refusal_of("carveout = \"NOBODY\"").find("it was not refused"), std::string::npos);
  EXPECT_THAT(refusal_of("carveout = \"NOBODY\""), HasSubstr("'NOBODY' means nothing here"));
}

TEST(LaunchAttributes, SayWhatAPreferredClusterNeeds) {
  EXPECT_THAT(refusal_of("preferred_cluster = 2"), HasSubstr("expected the key 'cluster' beside it"));
  EXPECT_THAT(refusal_of("clusters = 2"), HasSubstr("cluster"));
}

TEST(LaunchAttributes, GoByNameThereAndBack) {
  const LaunchAttributes all{{2, 3, 1}, {4, 3, 1}, 0, true, true, -5};
  EXPECT_EQ(attributes_from(named_attributes(all)), all);
  EXPECT_TRUE(named_attributes({}).empty());
  EXPECT_THAT(named_attributes({{2, 1, 1}}), ElementsAre(Pair("cluster_x", 2)));
  EXPECT_EQ(attributes_from({{"cluster_x", 1'000'000}, {"later", 1}, {"carveout", INT64_MAX}}), LaunchAttributes{});
  EXPECT_EQ(attributes_text(named_attributes(all)),
            "cluster of 2 x 3 x 1, preferred cluster of 4 x 3 x 1, carve-out 0 %, programmatic, cooperative, "
            "priority -5");
}

}  // namespace
}  // namespace warptune::tuner
