// Launches that copy, in manifests and plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/copying_template.h"
#include "tuner/kernel/manifest/document.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Changes = std::vector<std::pair<std::string, std::string>>;

KernelTemplate copying(const Changes& changes = {}) {
  const TemporaryFolder folder;
  write_copying_template(folder, copying_with(changes));
  return load_manifest(folder.path());
}

std::string copies_error_after(const std::string& from, const std::string& to) {
  try {
    copying({{from, to}});
  } catch (const ManifestError& error) {
    return error.what();
  }
  return "";
}

search::NamedValues scope(std::int64_t n, std::int64_t chunk, std::int64_t streams, bool pinned) {
  return {{"n", n}, {"CHUNK", chunk}, {"STREAMS", streams}, {"PINNED", pinned}};
}

TEST(Copies, OfAGroupAreRepeatedTogetherWithItsLaunches) {
  const KernelTemplate kernel = copying();
  const Plan plan = make_plan(kernel, scope(700, 300, 2, true));
  ASSERT_EQ(plan.launches.size(), 9u);
  for (std::size_t i = 0; i < 9; i += 3) {
    ASSERT_TRUE(plan.launches[i].copy && !plan.launches[i + 1].copy && plan.launches[i + 2].copy) << i;
    EXPECT_EQ(plan.launches[i + 1].kernel, "doubling");
    EXPECT_FALSE(plan.launches[i].copy->to_host);
    EXPECT_TRUE(plan.launches[i + 2].copy->to_host);
  }
  const PlannedCopy& last = *plan.launches[8].copy;
  EXPECT_EQ(last.from, "work");
  EXPECT_EQ(last.to, "out");
  EXPECT_EQ(last.from_byte, 2400u);
  EXPECT_EQ(last.to_byte, 2400u);
  EXPECT_EQ(last.bytes, 400u);
}

TEST(Copies, GoToTheirStreamsAndWaitForOthers) {
  const KernelTemplate kernel = copying();
  const Plan plan = make_plan(kernel, scope(700, 300, 2, true));
  std::vector<int> streams;
  for (const PlannedLaunch& launch : plan.launches) streams.push_back(launch.stream);
  EXPECT_THAT(streams, ElementsAre(0, 0, 0, 1, 0, 1, 0, 0, 0));
  EXPECT_THAT(plan.launches[4].after, ElementsAre(1));
  EXPECT_THAT(plan.launches[5].after, ElementsAre(0));
}

TEST(Copies, NeedMemoryThatIsPinnedOrNotAsTheConfigurationSays) {
  const KernelTemplate kernel = copying();
  for (const auto& [pinned, kind] :
       {std::pair(true, HostMemoryKind::pinned), std::pair(false, HostMemoryKind::pageable)})
    EXPECT_THAT(make_plan(kernel, scope(10, 100, 1, pinned)).host_memory,
                ElementsAre(testing::Pair("in", kind), testing::Pair("out", kind)));
}

TEST(Copies, OfAGroupHappenIfItsConditionAndTheirOwnAreTrue) {
  const KernelTemplate kernel =
      copying({{"repeat = ", "when = \"CHUNK > 100\"\nrepeat = "}, {"copy = {", "when = \"pass == 1\"\ncopy = {"}});
  EXPECT_EQ(make_plan(kernel, scope(200, 100, 1, true)).launches.size(), 0u);
  EXPECT_EQ(make_plan(kernel, scope(600, 300, 1, true)).launches.size(), 5u);
}

TEST(Copies, DemandNothingOfTheDevicesGeometry) {
  for (const search::Constraint& constraint : device_constraints(copying()))
    EXPECT_TRUE(constraint.text.find("128") != std::string::npos || constraint.text.find("(0)") != std::string::npos ||
                constraint.text.find("(1)") != std::string::npos)
        << constraint.text;
}

TEST(Copies, AreNoKernelsToCompile) {
  const TemporaryFolder folder;
  write_copying_template(folder);
  const KernelTemplate kernel = load_manifest(folder.path());
  EXPECT_THAT(compile_request(kernel, "host", kernel.default_values, scope(10, 100, 1, true)).kernels,
              ElementsAre("doubling"));
}

TEST(Copies, InMoreStreamsThanADeviceHasAreRefused) {
  EXPECT_THROW(make_plan(copying({{"stream = 0", "stream = 32"}}), scope(10, 100, 1, true)), std::invalid_argument);
}

TEST(Copies, ThatMakeNoSenseAreRefusedByTheirManifest) {
  EXPECT_THAT(copies_error_after("from = \"in\", to = \"work\"", "from = \"in\", to = \"out\""),
              HasSubstr("one buffer in the host's memory and one in the device's"));
  EXPECT_THAT(copies_error_after("from = \"work\", to = \"out\"", "from = \"work\", to = \"in\""),
              HasSubstr("an input keeps its values"));
  EXPECT_THAT(copies_error_after("to = \"work\"", "to = \"nothing\""), HasSubstr("no such buffer"));
  EXPECT_THAT(copies_error_after("[temporaries.work]\ntype = \"float\"", "[temporaries.work]\ntype = \"double\""),
              HasSubstr("two buffers of one type"));
  EXPECT_THAT(copies_error_after("elements = \"length\"", "elements = \"lenght\""),
              HasSubstr("'lenght' means nothing here"));
  EXPECT_THAT(copies_error_after("stream = 0", "stream = 0\nrepeat = 2"), HasSubstr("repeated together"));
}

TEST(Copies, AreAllThatReachesMemoryOnTheHost) {
  EXPECT_THAT(copies_error_after("[\"work\", \"first\"", "[\"in\", \"first\""), HasSubstr("which only copies reach"));
  EXPECT_THAT(copies_error_after("role = \"output\"", "role = \"inout\"\nfill = { constant = 1 }"),
              HasSubstr("an input or an output"));
  EXPECT_THAT(copies_error_after("memory = \"host\"", "memory = \"device\""),
              HasSubstr("only memory = \"host\" is pinned"));
}

TEST(Copies, AreNothingForAReference) {
  EXPECT_THAT(copies_error_after("kernel = \"reference\"", "stream = 1\nkernel = \"reference\""),
              HasSubstr("one after the other"));
}

}  // namespace
}  // namespace warptune::tuner
