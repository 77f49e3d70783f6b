// On a real GPU; skipped where there is none. Tests that lose the context need a process each, as ctest gives them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <thread>

#include "tests/support/cubin_resources.h"
#include "tuner/device/backends/cuda/entry.h"

namespace warptune::tuner {
namespace {

constexpr const char* source = R"(
__constant__ float factors[4];
extern "C" __global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factors[i % 4];
}
extern "C" __global__ void big_shared(float* x, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = tile[n - 1 - i];
}
extern "C" __global__ void stacked(float* x, const int* at) {
  float a[64];
  for (int i = 0; i < 64; ++i) a[i] = x[i];
  for (int i = 0; i < 64; ++i) x[i] = a[at[i] & 63];
}
extern "C" __global__ void misaligned(char* x, int n) { *reinterpret_cast<int*>(x + n) = 1; }
extern "C" __global__ void out_of_bounds(float* x, long long n) { x[n] = 1; }
extern "C" __global__ void trap(float* x) { if (x) asm("trap;"); }
extern "C" __global__ void busy(float* x, long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
  if (cycles < 0) x[0] = 1;
}
extern "C" __global__ void hang(volatile int* x) { while (x[0] == 0) {} }
template <typename T, int N> __global__ void fill(T* x) { x[threadIdx.x] = N; }
)";

const std::vector<std::string> kernels = {"scale", "big_shared", "stacked", "misaligned",    "out_of_bounds",
                                          "trap",  "busy",       "hang",    "fill<float, 7>"};

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_none;
    const auto devices = backend_.devices(options_, why_none);
    if (devices.empty()) GTEST_SKIP() << why_none;
    options_.kernel_timeout_s = 2;
    device_ = backend_.open(devices[0], options_);
    CompileRequest request{.name = "gpu_test.cu", .source = source, .kernels = kernels, .symbols = {"factors"}};
    auto compiled = backend_.compiler(devices[0], options_)->compile(request);
    ASSERT_TRUE(compiled.code) << compiled.log;
    code_ = *compiled.code;
    module_ = device_->load(code_);
  }

  template <typename T>
  std::unique_ptr<Memory> put(const std::vector<T>& values) {
    auto memory = device_->allocate(values.size() * sizeof(T));
    device_->upload(memory->span(), std::as_bytes(std::span(values)));
    return memory;
  }
  template <typename T>
  std::vector<T> get(const Memory& memory) {
    std::vector<T> values(memory.span().bytes / sizeof(T));
    device_->download(std::as_writable_bytes(std::span(values)), memory.span());
    return values;
  }
  template <typename... Arguments>
  void launch(const char* name, const LaunchGeometry& geometry, Arguments... arguments) {
    std::array<void*, sizeof...(arguments)> pointers = {&arguments...};
    module_->kernel(name).launch(geometry, pointers);
  }
  // The error of a launch with one thread, waited for.
  template <typename... Arguments>
  DeviceError failure(const char* name, Arguments... arguments) {
    try {
      launch(name, {}, arguments...);
      device_->synchronize();
    } catch (const DeviceError& error) {
      return error;
    }
    return DeviceError(search::Outcome::correct, "", "no error");
  }
  void expect_lost(const DeviceError& error, search::Outcome outcome, const std::string& code) {
    EXPECT_EQ(error.outcome(), outcome) << error.what();
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_TRUE(error.sticky()) << error.what();
    EXPECT_THROW(device_->allocate(16), DeviceError);
  }

  BackendEntry backend_ = cuda::entry();
  BackendOptions options_;
  std::unique_ptr<Device> device_;
  MachineCode code_;
  std::unique_ptr<Module> module_;
};

TEST_F(Gpu, TellsTheDevicesLimits) {
  const DeviceInfo& info = device_->info();
  RecordProperty("driver", info.driver);
  EXPECT_EQ(info.id, "cuda:0");
  EXPECT_THAT(info.uuid, testing::MatchesRegex("GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
  for (const auto& [name, value] : info.limits()) {
    if (name == "ecc" || name == "power_limit_w") continue;
    EXPECT_GT(std::get<std::int64_t>(value), 0) << name;
  }
  EXPECT_EQ(info.architecture, "sm_" + std::to_string(info.compute_capability));
}

TEST_F(Gpu, RunsAKernelWithAConstant) {
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 0.0F);
  const std::array<float, 4> factors = {1, 10, 100, 1000};
  ASSERT_EQ(module_->symbol("factors").bytes, sizeof factors);
  device_->upload(module_->symbol("factors"), std::as_bytes(std::span(factors)));
  const auto memory = put(x);
  launch("scale", {{4}, {256}, 0}, memory->span().address, 1000);
  const auto got = get<float>(*memory);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], x[i] * factors[i % 4]) << i;
}

TEST_F(Gpu, RunsATemplateByItsNameExpression) {
  const auto memory = put(std::vector<float>(32));
  launch("fill<float, 7>", {{1}, {32}, 0}, memory->span().address);
  EXPECT_EQ(get<float>(*memory), std::vector<float>(32, 7.0F));
}

TEST_F(Gpu, CopiesWithinTheDevice) {
  std::vector<int> x(1 << 20);
  std::iota(x.begin(), x.end(), 0);
  const auto from = put(x);
  const auto to = device_->allocate(from->span().bytes);
  device_->copy(to->span(), from->span());
  EXPECT_EQ(get<int>(*to), x);
}

TEST_F(Gpu, OptsInToAllTheSharedMemoryThereIs) {
  const std::int64_t bytes = device_->info().max_shared_memory_per_block_optin;
  std::vector<float> x(static_cast<std::size_t>(bytes) / sizeof(float));
  std::iota(x.begin(), x.end(), 0.0F);
  const auto memory = put(x);
  launch("big_shared", {{1}, {256}, bytes}, memory->span().address, static_cast<int>(x.size()));
  std::reverse(x.begin(), x.end());
  EXPECT_EQ(get<float>(*memory), x);
}

TEST_F(Gpu, RefusesMoreThanTheDeviceHasAndStaysUsable) {
  const auto memory = put(std::vector<float>(32));
  const std::int64_t shared = device_->info().max_shared_memory_per_block_optin + 1;
  const auto refused = [&](const LaunchGeometry& geometry) {
    try {
      launch("fill<float, 7>", geometry, memory->span().address);
    } catch (const DeviceError& error) {
      return error.outcome() == search::Outcome::resource_limit && !error.sticky();
    }
    return false;
  };
  EXPECT_TRUE(refused({{1}, {1025}, 0}));
  EXPECT_TRUE(refused({{1}, {32}, shared}));
  EXPECT_TRUE(refused({{1, 65536}, {32}, 0}));
  EXPECT_TRUE(refused({{std::int64_t{1} << 32}, {32}, 0}));
  EXPECT_TRUE(refused({{0}, {32}, 0}));
  EXPECT_EQ(module_->kernel("fill<float, 7>").resources({{1}, {32}, shared}).occupancy, 0);
  EXPECT_THROW(device_->allocate(std::size_t{1} << 50), DeviceError);
  launch("fill<float, 7>", {{1}, {32}, 0}, memory->span().address);
  EXPECT_EQ(get<float>(*memory), std::vector<float>(32, 7.0F));
}

TEST_F(Gpu, KernelsNeedWhatTheirCubinSays) {
  const auto all = cuda::cubin_resources(code_.bytes);
  for (const auto& name : kernels) {
    const auto told = module_->kernel(name).resources({{1}, {64}, 0});
    const auto& read = all.at(code_.linkage_names.at(name));
    EXPECT_EQ(read.registers_per_thread, told.registers_per_thread) << name;
    EXPECT_EQ(read.local_bytes_per_thread, told.local_bytes_per_thread) << name;
    EXPECT_EQ(read.static_shared_bytes, told.static_shared_bytes) << name;
    EXPECT_GT(told.occupancy, 0) << name;
    EXPECT_LE(told.occupancy, 1) << name;
  }
}

TEST_F(Gpu, TimesWhatTheDeviceSpends) {
  const auto memory = put(std::vector<float>(1));
  const auto busy = [&](long long cycles) {
    return device_->time_ms([&] { launch("busy", {}, memory->span().address, cycles); });
  };
  busy(1000);  // loads the kernel
  const double empty = busy(0);
  const double shorter = busy(2'000'000), longer = busy(200'000'000);
  RecordProperty("busy_ms", std::to_string(empty) + " " + std::to_string(shorter) + " " + std::to_string(longer));
  EXPECT_GT(shorter, empty);
  EXPECT_GT(longer, 10 * shorter);
}

TEST_F(Gpu, AnIllegalAddressLosesTheContext) {
  const auto memory = put(std::vector<float>(1));
  expect_lost(failure("out_of_bounds", memory->span().address, 1LL << 40), search::Outcome::launch_error,
              "CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(Gpu, CannotBeOpenedAgainByAProcessThatLostIt) {
  auto memory = put(std::vector<float>(1));
  failure("out_of_bounds", memory->span().address, 1LL << 40);
  const DeviceInfo info = device_->info();
  memory.reset();
  module_.reset();
  device_.reset();
  EXPECT_THROW(backend_.open(info, options_), DeviceError);
}

TEST_F(Gpu, AMisalignedAddressLosesTheContext) {
  const auto memory = put(std::vector<float>(4));
  expect_lost(failure("misaligned", memory->span().address, 1), search::Outcome::launch_error,
              "CUDA_ERROR_MISALIGNED_ADDRESS");
}

TEST_F(Gpu, ATrapLosesTheContext) {
  const auto memory = put(std::vector<float>(1));
  const auto error = failure("trap", memory->span().address);
  expect_lost(error, search::Outcome::launch_error, error.code());
}

TEST_F(Gpu, AHangIsATimeoutAndTheProcessStillEnds) {
  const auto memory = put(std::vector<int>(1));
  expect_lost(failure("hang", memory->span().address), search::Outcome::timeout, "CUDA_ERROR_NOT_READY");
}

TEST_F(Gpu, CompilesInManyThreadsAtOnce) {
  const auto compiler = backend_.compiler(device_->info(), options_);
  std::vector<std::thread> threads;
  std::vector<std::string> logs(16);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < logs.size(); ++i)
    threads.emplace_back([&, i] {
      CompileRequest request{.name = "many.cu", .source = source, .options = {"-no-cache"}, .kernels = kernels};
      request.defines = {{"UNIQUE", std::to_string(i)}};
      const auto result = compiler->compile(request);
      if (!result.code) logs[i] = "failed: " + result.log;
    });
  for (auto& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RecordProperty("seconds_16_threads", std::to_string(took.count()));
  EXPECT_THAT(logs, testing::Each(""));
}

// What can be said beforehand of a launch without a doubt; all that was counted is printed for people.
TEST_F(Gpu, CountsWhatALaunchDoes) {
  std::unique_ptr<Profiler> profiler;
  try {
    profiler = device_->profiler();
  } catch (const DeviceError& error) {
    GTEST_SKIP() << error.what();
  }
  constexpr int n = 1 << 24;
  const auto x = put(std::vector<float>(n, 1.0f));
  const auto scale = [&] { launch("scale", {{n / 256}, {256}, 0}, x->span().address, n); };
  const std::vector<CounterValues> counted = profiler->count({[] {}, [&] { scale(), scale(); }, {"scale", "scale"}});
  ASSERT_EQ(counted.size(), 2u);
  for (const auto& [name, value] : counted[0]) std::printf("%-28s %.6g\n", name.c_str(), value);
  for (const std::string& name : profiler->lacking()) std::printf("lacking: %s\n", name.c_str());
  for (const CounterValues& launch : counted) {
    EXPECT_EQ(launch.at("threads"), n);
    EXPECT_EQ(launch.at("warps"), n / 32);
    EXPECT_EQ(launch.at("blocks"), n / 256);
    EXPECT_EQ(launch.at("global_load_bytes"), 4.0 * n);
    EXPECT_EQ(launch.at("global_store_bytes"), 4.0 * n);
    EXPECT_EQ(launch.at("global_load_requests"), n / 32);
    EXPECT_EQ(launch.at("global_load_sectors"), n / 8);
    EXPECT_EQ(launch.at("shared_bytes"), 0);
    EXPECT_GT(launch.at("achieved_occupancy"), 10);
    EXPECT_LE(launch.at("achieved_occupancy"), 100);
    EXPECT_GT(launch.at("stall_long_scoreboard"), 0);
  }
}

}  // namespace
}  // namespace warptune::tuner
