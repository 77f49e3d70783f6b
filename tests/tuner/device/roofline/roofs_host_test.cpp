// Measuring the roofs of this machine's processor, through the interface that GPUs go through.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tuner/device/backend.h"
#include "tuner/device/roofline/measure_roofs.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HostRoofs, AreMeasuredInTheOrderInWhichTheyAreShown) {
  const auto host = std::ranges::find(backends(), std::string_view("host"), &BackendEntry::name);
  std::string why_none;
  const BackendOptions options;
  const DeviceInfo info = host->devices(options, why_none).at(0);
  const auto device = host->open(info, options);
  const auto compiler = host->compiler(info, options);
  std::size_t steps = 0;
  const MeasuredRoofs found =
      measure_roofs(*device, *compiler, {0.2, 2, 64 << 20}, [&](const std::string&) { ++steps; });
  std::vector<std::string> names;
  for (const db::Roof& roof : found.roofs) {
    names.push_back(roof.name);
    // Slower than any processor's, and faster than any's: a figure of another unit is not between.
    EXPECT_GT(roof.value, 1e7) << roof.name;
    EXPECT_LT(roof.value, 1e15) << roof.name;
    EXPECT_FALSE(roof.method.empty());
  }
  EXPECT_THAT(names, ElementsAre("dram", "l2", "shared", "fp32", "fp64"));
  EXPECT_THAT(found.notes, IsEmpty());
  EXPECT_EQ(steps, 7u);  // compiling, and a kernel for each, two for the memory
}

// Of server processors the last cache may be larger than the buffer: reading a quarter of it would leave the buffer.
TEST(HostRoofs, ReadNoMoreThanIsThereHoweverLargeTheCacheIs) {
  const auto host = std::ranges::find(backends(), std::string_view("host"), &BackendEntry::name);
  std::string why_none;
  const BackendOptions options;
  DeviceInfo info = host->devices(options, why_none).at(0);
  info.l2_bytes = std::int64_t{1} << 40;
  const auto device = host->open(info, options);
  ASSERT_EQ(device->info().l2_bytes, info.l2_bytes);
  const auto compiler = host->compiler(info, options);
  const MeasuredRoofs found = measure_roofs(*device, *compiler, {0.2, 2, 1 << 20}, {});
  EXPECT_THAT(found.notes, IsEmpty());
  ASSERT_EQ(found.roofs.size(), 5u);
  EXPECT_THAT(found.roofs[1].method, testing::HasSubstr("1.0 MiB"));
}

// A compiler that has no room for anything.
class NoCompiler : public Compiler {
 public:
  std::string version() const override { return "no compiler 1.0"; }
  std::string preprocess(const CompileRequest&) override { return {}; }
  CompileResult compile(const CompileRequest&) override { return {std::nullopt, "out of everything"}; }
};

TEST(HostRoofs, SayWhatDoesNotCompile) {
  const auto host = std::ranges::find(backends(), std::string_view("host"), &BackendEntry::name);
  std::string why_none;
  const DeviceInfo info = host->devices({}, why_none).at(0);
  NoCompiler compiler;
  const MeasuredRoofs found = measure_roofs(*host->open(info, {}), compiler, {0.2, 2, 64 << 20});
  EXPECT_THAT(found.roofs, IsEmpty());
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_THAT(found.notes[0], testing::HasSubstr("no compiler 1.0 does not compile roof_read"));
}

}  // namespace
}  // namespace warptune::tuner
