// Kernels and requests that are wrong: each ends in a DeviceError that says what and where, never in a hang.
#include <gmock/gmock.h>

#include "tests/tuner/device/backends/host/host_fixture.h"
#include "tuner/device/backends/host/host_info.h"

namespace warptune::tuner::host {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The error of running `source`'s kernel `wrong(int*)`; the device must work again afterwards.
DeviceError error_of(const std::string& source, const LaunchGeometry& geometry) {
  auto module = build(request(source + "\n__global__ void right(int* out) { __syncthreads(); atomicAdd(out, 1); }",
                              {"wrong", "right"}));
  Buffer<int> out(1);
  DeviceError error(search::Outcome::correct, "", "");
  try {
    launch(*module, "wrong", geometry, out.get());
  } catch (const DeviceError& thrown) {
    error = thrown;
  }
  Buffer<int> count(1);
  launch(*module, "right", {{10}, {100}}, count.get());
  EXPECT_EQ(count.read()[0], 1000);
  return error;
}

TEST(HostFailure, ThreadsThatWaitForDifferentBarriersAreADivergence) {
  const DeviceError error = error_of(
      "__global__ void wrong(int* out) { if (threadIdx.x == 5) __syncwarp(); else __syncthreads(); }", {{3}, {64}});
  EXPECT_EQ(error.outcome(), search::Outcome::launch_error);
  EXPECT_EQ(error.code(), "BARRIER_DIVERGENCE");
  EXPECT_THAT(error.what(), AllOf(HasSubstr("kernel wrong"), HasSubstr("block (0, 0, 0)"),
                                  HasSubstr("thread (5, 0, 0)"), HasSubstr("__syncwarp"), HasSubstr("__syncthreads")));
}

TEST(HostFailure, TheFirstBlockOfTheGridThatFailsIsNamedThoughALaterOneFailsSooner) {
  const DeviceError error = error_of(R"(__global__ void wrong(int* out) {
    if (blockIdx.x == 1) {
      for (int i = 0; i < 3000000; ++i) atomicAdd(out, 1);
      __trap();
    }
    assert(blockIdx.x == 0);
  })",
                                     {{9}, {1}});
  EXPECT_EQ(error.code(), "TRAP");
}

TEST(HostFailure, AShuffleThatALaneNeverReachesIsADivergence) {
  const DeviceError error = error_of(
      "__global__ void wrong(int* out) { if (threadIdx.x != 7) *out = __shfl_down_sync(~0u, 1, 1); __syncthreads(); }",
      {{1}, {32}});
  EXPECT_EQ(error.code(), "BARRIER_DIVERGENCE");
  EXPECT_THAT(error.what(), AllOf(HasSubstr("__shfl_down_sync with mask 0xffffffff"), HasSubstr("thread (7, 0, 0)")));
}

TEST(HostFailure, DifferentFormsOfABlockBarrierDoNotMeet) {
  const DeviceError error = error_of(
      "__global__ void wrong(int* out) { if (threadIdx.x) __syncthreads(); else __syncthreads_count(1); }", {{1}, {2}});
  EXPECT_EQ(error.code(), "BARRIER_DIVERGENCE");
}

TEST(HostFailure, ALaneOutsideItsOwnMaskIsNamed) {
  const DeviceError error = error_of("__global__ void wrong(int* out) { __shfl_sync(1u, 1, 0); }", {{1}, {2}});
  EXPECT_EQ(error.code(), "WARP_MASK");
  EXPECT_THAT(error.what(), HasSubstr("thread (1, 0, 0)"));
}

TEST(HostFailure, TrapsAndAssertionsEndTheLaunch) {
  EXPECT_EQ(error_of("__global__ void wrong(int* out) { if (blockIdx.x == 3) __trap(); }", {{9}, {32}}).code(), "TRAP");
  const DeviceError error =
      error_of("__global__ void wrong(int* out) {\n  __syncthreads();\n  assert(threadIdx.x < 10);\n}", {{9}, {32}});
  EXPECT_EQ(error.code(), "ASSERT");
  EXPECT_THAT(error.what(), AllOf(HasSubstr("test/kernel.cu:3"), HasSubstr("threadIdx.x < 10")));
}

TEST(HostFailure, LaunchesBeyondTheLimitsAreRefused) {
  auto module = build(request(R"(
    __global__ void k(int* out) { __shared__ int s[100]; s[*out] = 1; __syncthreads(); *out = s[7]; }
    __global__ void big(int* out) { __shared__ int s[13000]; s[*out] = 1; __syncthreads(); *out = s[7]; }
  )",
                              {"k", "big"}));
  Buffer<int> out(1);
  const auto refused = [&](const std::string& kernel, const LaunchGeometry& geometry) {
    try {
      launch(*module, kernel, geometry, out.get());
    } catch (const DeviceError& error) {
      EXPECT_THAT(error.what(), HasSubstr(kernel));
      return error.outcome();
    }
    return search::Outcome::correct;
  };
  EXPECT_EQ(refused("k", {{1}, {1025}}), search::Outcome::resource_limit);
  EXPECT_EQ(refused("k", {{1}, {32, 33}}), search::Outcome::resource_limit);
  EXPECT_EQ(refused("k", {{1}, {1, 1, 65}}), search::Outcome::resource_limit);
  EXPECT_EQ(refused("k", {{1, 65536}, {1}}), search::Outcome::resource_limit);
  EXPECT_EQ(refused("k", {{1}, {1}, 227 * 1024 - 399}), search::Outcome::resource_limit);
  EXPECT_EQ(refused("k", {{1}, {1}, 227 * 1024 - 400}), search::Outcome::correct);
  EXPECT_EQ(refused("big", {{1}, {1}}), search::Outcome::resource_limit);
  EXPECT_EQ(refused("k", {{0}, {1}}), search::Outcome::launch_error);
}

TEST(HostFailure, AWrongNumberOfArgumentsIsRefused) {
  auto module = build(request("__global__ void k(int* out, int n) { *out = n; }", {"k"}));
  Buffer<int> out(1);
  EXPECT_THROW(launch(*module, "k", {}, out.get()), DeviceError);
}

TEST(HostFailure, MoreMemoryThanThereIsIsRefusedBeforeItIsTouched) {
  try {
    shared_device().allocate(std::size_t{1} << 50);
    FAIL() << "a petabyte was allocated";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
    EXPECT_EQ(error.code(), "ENOMEM");
  }
}

TEST(HostFailure, CodeOfAnotherKindIsRefused) {
  MachineCode code;
  code.bytes.resize(100);
  EXPECT_THROW(shared_device().load(code), DeviceError);
}

TEST(HostFailures, ALaunchKeepsTheLimitsOfTheArchitectureThatWasAskedFor) {
  BackendOptions options;
  options.host_threads = 1;
  const auto device = entry().open(as_architectures(shared_device().info()).front(), options);
  ASSERT_EQ(device->info().id, "host:sm_75");
  const CompileRequest wanted = request("__global__ void k() {}", {"k"});
  const MachineCode code = *shared_compiler().compile(wanted).code;
  const auto here = shared_device().load(code), there = device->load(code);
  const LaunchGeometry large{{1}, {1}, 70 * 1024};
  here->kernel("k").launch(large, {});
  try {
    there->kernel("k").launch(large, {});
    FAIL() << "70 KiB on sm_75";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
    EXPECT_THAT(error.what(), HasSubstr("is 71680, the limit is 65536"));
  }
}

}  // namespace
}  // namespace warptune::tuner::host
