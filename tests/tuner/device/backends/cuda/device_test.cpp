// Memory, launches, time and errors, over the fake driver.
#include <gmock/gmock.h>

#include <array>
#include <numeric>

#include "tests/tuner/device/backends/cuda/fake_gpu.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class CudaDevice : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    device_ = open();
    module_ = device_->load(code({"scale", "fill<float, 4>", "missing"}));
  }
  void launch(const LaunchGeometry& geometry = {}) { module_->kernel("scale").launch(geometry, {}); }
  // How the next launch ends.
  void fail_next_launch(CUresult fault) {
    fake_->fault_at = 1;
    fake_->fault = fault;
  }
  DeviceError launch_and_wait() {
    return error_of([&] {
      launch();
      device_->synchronize();
    });
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Module> module_;
};

std::vector<std::byte> bytes_up_to(int n) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
  return bytes;
}

TEST_F(CudaDevice, KeepsWhatIsUploadedCopiedAndDownloaded) {
  const auto sent = bytes_up_to(200);
  const auto first = device_->allocate(200), second = device_->allocate(200);
  device_->upload(first->span(), sent);
  device_->copy(second->span(), first->span());
  std::vector<std::byte> got(200);
  device_->download(got, second->span());
  EXPECT_EQ(got, sent);
}

TEST_F(CudaDevice, RefusesCopiesOfUnequalSize) {
  const auto memory = device_->allocate(8);
  const auto nine = bytes_up_to(9);
  EXPECT_THROW(device_->upload(memory->span(), nine), std::invalid_argument);
}

TEST_F(CudaDevice, GivesEmptyBuffersAnAddressToo) {
  const auto memory = device_->allocate(0);
  EXPECT_NE(memory->span().address, 0);
  EXPECT_EQ(memory->span().bytes, 0);
  device_->upload(memory->span(), {});
}

TEST_F(CudaDevice, GivesEverythingBackAndRestoresTheCurrentContext) {
  device_->allocate(10);
  launch();
  device_->time_ms([&] { launch(); });
  EXPECT_EQ(fake_->current_depth, 0);
  module_.reset();
  device_.reset();
  EXPECT_EQ(fake_->open_buffers, 0);
  EXPECT_EQ(fake_->open_modules, 0);
  EXPECT_EQ(fake_->open_events, 0);
  EXPECT_EQ(fake_->open_streams, 0);
  EXPECT_EQ(fake_->open_contexts, 0);
  EXPECT_EQ(fake_->current_depth, 0);
}

TEST_F(CudaDevice, ReleasesTheContextIfItCannotHaveAStream) {
  module_.reset();
  device_.reset();
  fake_->refusals["cuStreamCreate"] = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(error_of([&] { open(); }).outcome(), search::Outcome::resource_limit);
  EXPECT_EQ(fake_->open_contexts, 0);
}

TEST_F(CudaDevice, PassesGeometryAndArgumentsToTheDriver) {
  int n = 41;
  std::array<void*, 1> arguments = {&n};
  fake_->on_launch = [](const fakes::FakeLaunch& launch) {
    EXPECT_EQ(launch.grid[0], 7U);
    EXPECT_EQ(launch.grid[1], 6U);
    EXPECT_EQ(launch.grid[2], 5U);
    EXPECT_EQ(launch.block[0], 8U);
    EXPECT_EQ(launch.block[1], 4U);
    EXPECT_EQ(launch.block[2], 2U);
    EXPECT_EQ(launch.shared_bytes, 100U);
    ++*static_cast<int*>(launch.arguments[0]);
  };
  module_->kernel("fill<float, 4>").launch({{7, 6, 5}, {8, 4, 2}, 100}, arguments);
  EXPECT_EQ(n, 42);
  EXPECT_THAT(fake_->launches, ElementsAre("fill<float, 4>"));
}

TEST_F(CudaDevice, OptsInToLargeSharedMemoryByItself) {
  launch({{1}, {32}, 200 * 1024});
  launch({{1}, {32}, 100 * 1024});
  EXPECT_EQ(fake_->launches.size(), 2);
}

TEST_F(CudaDevice, TellsWhatALaunchNeeds) {
  const search::ResourceUse use = module_->kernel("scale").resources({{1}, {256}, 100 * 1024});
  EXPECT_EQ(use.registers_per_thread, 40);
  EXPECT_EQ(use.local_bytes_per_thread, 16);
  EXPECT_EQ(use.static_shared_bytes, 512);
  EXPECT_EQ(use.dynamic_shared_bytes, 100 * 1024);
  EXPECT_EQ(use.threads_per_block, 256);
  EXPECT_DOUBLE_EQ(use.occupancy, 2 * 256 / 2048.0);
  EXPECT_TRUE(fake_->launches.empty());
}

TEST_F(CudaDevice, SaysThatWhatCannotLaunchHasNoOccupancy) {
  EXPECT_EQ(module_->kernel("scale").resources({{1}, {2048}, 0}).occupancy, 0);
  EXPECT_EQ(module_->kernel("scale").resources({{1}, {32}, 300 * 1024}).occupancy, 0);
  EXPECT_EQ(module_->kernel("scale").resources({{1}, {std::int64_t{1} << 40}, 0}).occupancy, 0);
}

TEST_F(CudaDevice, TimesByTheDevicesClock) {
  fake_->launch_ms = 1.5;
  fake_->polls_before_done = 3;
  launch();
  EXPECT_DOUBLE_EQ(device_->time_ms([&] {
    launch();
    launch();
  }),
                   3.0);
}

TEST_F(CudaDevice, FindsVariables) {
  module_ = device_->load(code({"factors", "missing"}));
  const auto span = module_->symbol("factors");
  EXPECT_EQ(span.bytes, 64);
  device_->upload(span, bytes_up_to(64));
  EXPECT_EQ(error_of([&] { module_->symbol("missing"); }).code(), "CUDA_ERROR_NOT_FOUND");
}

TEST_F(CudaDevice, DoesNotKnowKernelsThatWereNotCompiled) {
  EXPECT_THROW(module_->kernel("other"), std::out_of_range);
  EXPECT_THROW(module_->symbol("other"), std::out_of_range);
  EXPECT_EQ(error_of([&] { module_->kernel("missing"); }).code(), "CUDA_ERROR_NOT_FOUND");
}

TEST_F(CudaDevice, RefusesAModuleThatIsNone) {
  MachineCode junk;
  junk.bytes.resize(64);
  const auto error = error_of([&] { device_->load(junk); });
  EXPECT_EQ(error.outcome(), search::Outcome::launch_error);
  EXPECT_FALSE(error.sticky());
  EXPECT_THAT(error.what(), AllOf(HasSubstr("64 bytes"), HasSubstr("CUDA_ERROR_INVALID_IMAGE"), HasSubstr("NVRTC")));
}

TEST_F(CudaDevice, OutOfMemoryIsAResourceLimitThatLeavesItUsable) {
  const auto error = error_of([&] { device_->allocate(std::size_t{1} << 40); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
  EXPECT_EQ(error.code(), "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_FALSE(error.sticky());
  EXPECT_THAT(error.what(), AllOf(HasSubstr("allocating 1099511627776 bytes on cuda:0 (Fake GPU)"),
                                  HasSubstr("said the fake driver"), HasSubstr("smaller problem size")));
  EXPECT_NO_THROW(device_->allocate(16));
}

struct ImpossibleLaunch {
  const char* name;
  LaunchGeometry geometry;
};

void PrintTo(const ImpossibleLaunch& tested, std::ostream* out) {
  *out << tested.name;
}

class CudaImpossibleLaunch : public CudaDevice, public testing::WithParamInterface<ImpossibleLaunch> {};

TEST_P(CudaImpossibleLaunch, IsAResourceLimitThatLeavesTheDeviceUsable) {
  const auto error = error_of([&] { launch(GetParam().geometry); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit) << error.what();
  EXPECT_EQ(error.code(), "CUDA_ERROR_INVALID_VALUE");
  EXPECT_FALSE(error.sticky());
  EXPECT_THAT(error.what(), AllOf(HasSubstr("launching scale with grid"), HasSubstr("warptune devices")));
  EXPECT_NO_THROW(launch());
}

constexpr std::int64_t wraps = (std::int64_t{1} << 32) + 1;  // 1 as a 32-bit number
INSTANTIATE_TEST_SUITE_P(Geometry, CudaImpossibleLaunch,
                         testing::Values(ImpossibleLaunch{"ThreadsOfABlock", {{1}, {1025}, 0}},
                                         ImpossibleLaunch{"HeightOfAGrid", {{1, 65536}, {1}, 0}},
                                         ImpossibleLaunch{"NoBlock", {{0}, {1}, 0}},
                                         ImpossibleLaunch{"FewerThanNoBlock", {{-1}, {1}, 0}},
                                         ImpossibleLaunch{"AGridThatWraps", {{wraps}, {1}, 0}},
                                         ImpossibleLaunch{"ABlockThatWraps", {{1}, {wraps}, 0}},
                                         ImpossibleLaunch{"AllSharedMemory", {{1}, {1}, 228 * 1024}},
                                         ImpossibleLaunch{"LessThanNoSharedMemory", {{1}, {1}, -1}}));

TEST_F(CudaDevice, TooManyRegistersAreAResourceLimit) {
  fake_->refusals["cuLaunchKernel"] = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  const auto error = error_of([&] { launch(); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
  EXPECT_FALSE(error.sticky());
}

struct Fault {
  CUresult result;
  search::Outcome outcome;
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.result;
}

class CudaFault : public CudaDevice, public testing::WithParamInterface<Fault> {};

TEST_P(CudaFault, LosesTheDeviceAndNothingElse) {
  const auto memory = device_->allocate(16);
  fail_next_launch(GetParam().result);
  const auto error = launch_and_wait();
  EXPECT_EQ(error.outcome(), GetParam().outcome) << error.what();
  EXPECT_TRUE(error.sticky());
  EXPECT_THAT(error.what(), AllOf(HasSubstr("running scale on cuda:0 (Fake GPU)"), HasSubstr(error.code())));

  const auto later = error_of([&] { device_->allocate(16); });
  EXPECT_EQ(later.code(), error.code());
  EXPECT_TRUE(later.sticky());
  EXPECT_THAT(later.what(), HasSubstr("earlier error"));
  EXPECT_THROW(device_->load(code({})), DeviceError);
  EXPECT_THROW(device_->time_ms([] {}), DeviceError);
}

INSTANTIATE_TEST_SUITE_P(Faults, CudaFault,
                         testing::Values(Fault{CUDA_ERROR_ILLEGAL_ADDRESS, search::Outcome::launch_error},
                                         Fault{CUDA_ERROR_MISALIGNED_ADDRESS, search::Outcome::launch_error},
                                         Fault{CUDA_ERROR_LAUNCH_FAILED, search::Outcome::launch_error},
                                         Fault{CUDA_ERROR_LAUNCH_TIMEOUT, search::Outcome::timeout},
                                         Fault{CUDA_ERROR_UNKNOWN, search::Outcome::crash}));

TEST_F(CudaDevice, AnErrorOfRunningWorkSurfacesInACopyToo) {
  const auto memory = device_->allocate(16);
  std::vector<std::byte> got(16);
  fail_next_launch(CUDA_ERROR_ILLEGAL_ADDRESS);
  launch();
  const auto error = error_of([&] { device_->download(got, memory->span()); });
  EXPECT_EQ(error.code(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_TRUE(error.sticky());
}

TEST_F(CudaDevice, AKernelThatNeverEndsIsATimeout) {
  fail_next_launch(CUDA_ERROR_NOT_READY);
  const auto error = launch_and_wait();
  EXPECT_EQ(error.outcome(), search::Outcome::timeout);
  EXPECT_EQ(error.code(), "CUDA_ERROR_NOT_READY");
  EXPECT_TRUE(error.sticky());
  EXPECT_THAT(error.what(), AllOf(HasSubstr("running scale"), HasSubstr("time-out of 0.02 s")));
}

TEST_F(CudaDevice, TimingAKernelThatNeverEndsIsATimeout) {
  fail_next_launch(CUDA_ERROR_NOT_READY);
  EXPECT_EQ(error_of([&] { device_->time_ms([&] { launch(); }); }).outcome(), search::Outcome::timeout);
}

TEST_F(CudaDevice, NeverWaitsForAKernelThatNeverEnds) {
  auto memory = device_->allocate(16);
  fail_next_launch(CUDA_ERROR_NOT_READY);
  launch();
  EXPECT_THROW(device_->upload(memory->span(), bytes_up_to(16)), DeviceError);
  memory.reset();
  module_.reset();
  device_.reset();
  EXPECT_EQ(fake_->blocked_calls, 0);
}

TEST_F(CudaDevice, DestructorsNoticeAHangThatNobodyWaitedFor) {
  auto memory = device_->allocate(16);
  fail_next_launch(CUDA_ERROR_NOT_READY);
  launch();
  memory.reset();
  EXPECT_EQ(fake_->blocked_calls, 0);
  EXPECT_EQ(error_of([&] { device_->synchronize(); }).outcome(), search::Outcome::timeout);
}

TEST_F(CudaDevice, IsLostToTheWholeProcessByAStickyError) {
  fail_next_launch(CUDA_ERROR_ILLEGAL_ADDRESS);
  launch_and_wait();
  module_.reset();
  device_.reset();
  const auto error = error_of([&] { open(); });
  EXPECT_EQ(error.code(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_TRUE(error.sticky());
}

TEST_F(CudaDevice, OfAWorkerFailsAsTheEnvironmentSays) {
  ::setenv("FAKE_CUDA_FAULT", "2:716", 1);
  const auto again = open();
  ::unsetenv("FAKE_CUDA_FAULT");
  launch();
  device_->synchronize();
  EXPECT_EQ(launch_and_wait().code(), "CUDA_ERROR_MISALIGNED_ADDRESS");
}

}  // namespace
}  // namespace warptune::tuner
