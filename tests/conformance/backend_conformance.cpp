#include "tests/conformance/backend_conformance.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

namespace warptune::tuner {

BackendConformance::Opened& BackendConformance::open(const std::string& backend) {
  static std::map<std::string, Opened> all;
  const auto [place, first] = all.try_emplace(backend);
  Opened& opened = place->second;
  if (!first) return opened;
  const auto entry =
      std::find_if(backends().begin(), backends().end(), [&](const auto& e) { return e.name == backend; });
  const BackendOptions options;
  const auto devices = entry->devices(options, opened.why_none);
  if (devices.empty()) return opened;
  opened.device = entry->open(devices.front(), options);
  opened.compiler = entry->compiler(devices.front(), options);
  return opened;
}

void BackendConformance::SetUp() {
  opened_ = &open(GetParam());
  if (opened_->device != nullptr) return;
  EXPECT_FALSE(opened_->why_none.empty()) << "no devices, and not a word why";
  GTEST_SKIP() << GetParam() << ": " << opened_->why_none;
}

CompileRequest BackendConformance::request(std::string source, std::vector<std::string> kernels) const {
  CompileRequest request;
  request.name = "conformance/kernel.cu";
  request.source = std::move(source);
  request.options = {"-std=c++17"};
  request.kernels = std::move(kernels);
  return request;
}

std::unique_ptr<Module> BackendConformance::build(const CompileRequest& wanted) {
  const CompileResult result = compiler().compile(wanted);
  if (!result.code) throw std::runtime_error("does not compile:\n" + result.log);
  return device().load(*result.code);
}

namespace {

TEST_P(BackendConformance, DescribesTheDevice) {
  const DeviceInfo& info = device().info();
  EXPECT_EQ(info.backend, GetParam());
  EXPECT_FALSE(info.id.empty());
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.uuid.empty());
  EXPECT_FALSE(info.architecture.empty());
  EXPECT_FALSE(compiler().version().empty());
  for (const auto& [name, value] : info.limits()) EXPECT_GE(std::get<std::int64_t>(value), 0) << name;
  EXPECT_GE(info.max_threads_per_block, 256);
  EXPECT_GT(info.max_shared_memory_per_block_optin, 48 * 1024);
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_EQ(info.warp_size, 32);
}

TEST_P(BackendConformance, MemoryKeepsWhatWasWritten) {
  for (const std::size_t bytes : {1u, 3u, 255u, 4097u, 1000003u}) {
    std::vector<unsigned char> values(bytes);
    std::iota(values.begin(), values.end(), static_cast<unsigned char>(bytes));
    const auto memory = upload(values);
    ASSERT_EQ(memory->span().bytes, bytes);
    EXPECT_EQ(memory->span().address % 256, 0u) << "as aligned as CUDA's allocations";
    const auto other = device().allocate(bytes);
    device().copy(other->span(), memory->span());
    EXPECT_EQ(download<unsigned char>(*other), values) << bytes;
  }
}

TEST_P(BackendConformance, PartsOfAnAllocationAreWrittenAlone) {
  const auto memory = upload(std::vector<unsigned char>(100, 1));
  const std::vector<unsigned char> part(10, 2);
  const MemorySpan middle{memory->span().address + 33, part.size()};
  device().upload(middle, std::as_bytes(std::span(part)));
  auto expected = std::vector<unsigned char>(100, 1);
  std::fill_n(expected.begin() + 33, part.size(), 2);
  EXPECT_EQ(download<unsigned char>(*memory), expected);
}

// Each copy and launch in a stream of its own: only the waits make the order right.
TEST_P(BackendConformance, StreamsWaitForEachOthersCopiesAndLaunches) {
  const auto module = build(request(R"(
    extern "C" __global__ void twice(int* data, int count) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < count) data[i] *= 2;
    }
  )",
                                    {"twice"}));
  const int count = 1 << 20;
  const auto memory = device().allocate(count * sizeof(int));
  std::uint64_t address = memory->span().address;
  int elements = count;
  void* arguments[] = {&address, &elements};
  Transfers& transfers = device().transfers();
  for (const auto kind : {HostMemoryKind::pageable, HostMemoryKind::pinned, HostMemoryKind::mapped}) {
    const auto in = transfers.allocate(count * sizeof(int), kind), out = transfers.allocate(count * sizeof(int), kind);
    const std::span<int> values(reinterpret_cast<int*>(in->span().data()), count);
    std::iota(values.begin(), values.end(), 0);
    transfers.use_stream(1);
    transfers.copy_in(memory->span(), in->span());
    transfers.use_stream(2);
    transfers.wait_for(1);
    module->kernel("twice").launch({{count / 256}, {256}, 0}, arguments);
    transfers.use_stream(3);
    transfers.wait_for(2);
    transfers.copy_out(out->span(), memory->span());
    transfers.use_stream(0);
    transfers.wait_for(3);
    device().synchronize();
    const std::span<const int> got(reinterpret_cast<const int*>(out->span().data()), count);
    for (int i = 0; i < count; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], 2 * i) << to_string(kind);
  }
}

// Kernels write the host's memory where it is, and the host finds what they wrote: in mapped memory when they have
// ended, in managed memory wherever its pages were sent.
TEST_P(BackendConformance, KernelsReachMappedAndManagedMemory) {
  const auto module = build(request(R"(
    extern "C" __global__ void add(int* data, int count, int summand) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < count) data[i] += summand;
    }
  )",
                                    {"add"}));
  const int count = 100'003;
  Transfers& transfers = device().transfers();
  for (const auto kind : {HostMemoryKind::mapped, HostMemoryKind::managed}) {
    std::unique_ptr<HostMemory> memory;
    try {
      memory = transfers.allocate(count * sizeof(int), kind);
    } catch (const DeviceError& error) {
      ASSERT_EQ(kind, HostMemoryKind::managed) << error.what();
      ASSERT_EQ(error.outcome(), search::Outcome::resource_limit) << error.what();
      continue;
    }
    const std::span<int> values(reinterpret_cast<int*>(memory->span().data()), count);
    std::iota(values.begin(), values.end(), 0);
    const LaunchGeometry geometry{{(count + 255) / 256}, {256}, 0};
    const auto prefetch = [&](bool to_host) {
      if (kind == HostMemoryKind::managed) transfers.prefetch(memory->on_device(), to_host);
    };
    run(*module, "add", geometry, memory->on_device().address, count, 1);
    transfers.touch(memory->span());
    for (int i = 0; i < count; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i + 1) << to_string(kind);
    prefetch(false);
    run(*module, "add", geometry, memory->on_device().address, count, 2);
    prefetch(true);
    device().synchronize();
    for (int i = 0; i < count; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i + 3) << to_string(kind);
  }
}

TEST_P(BackendConformance, ArgumentsOfAnyTypeArrive) {
  const auto module = build(request(R"(
    extern "C" __global__ void mixed(double* out, char a, short b, int c, long long d, float e, double f, unsigned char g,
                                     const int* h, bool i) {
      const int t = blockIdx.x * blockDim.x + threadIdx.x;
      out[t] = a + b + c + static_cast<double>(d) + e + f + g + h[t] + (i ? 0.5 : 0.0);
    }
  )",
                                    {"mixed"}));
  const auto out = device().allocate(6 * sizeof(double));
  const auto in = upload(std::vector<int>{0, 1, 2, 3, 4, 5});
  run(*module, "mixed", {{2}, {3}}, out->span().address, char{1}, short{20}, 300, 4000LL, 0.25f, 5e4,
      static_cast<unsigned char>(200), in->span().address, true);
  const auto values = download<double>(*out);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(values[i], 54521.75 + static_cast<double>(i));
}

TEST_P(BackendConformance, NameExpressionsFindTemplates) {
  const auto module = build(request(R"(
    namespace deep { template <typename T, int N> __global__ void fill(T* out) { out[threadIdx.x] = T(N) / 2; } }
  )",
                                    {"deep::fill<float, 5>", "deep::fill<int, 7>"}));
  const auto out = device().allocate(4);
  run(*module, "deep::fill<float, 5>", {}, out->span().address);
  EXPECT_EQ(download<float>(*out)[0], 2.5f);
  run(*module, "deep::fill<int, 7>", {}, out->span().address);
  EXPECT_EQ(download<int>(*out)[0], 3);
}

TEST_P(BackendConformance, BlocksShareMoreThan48KiBOfMemory) {
  const auto module = build(request(R"(
    extern "C" __global__ void rotate(int* out, int count) {
      extern __shared__ int tile[];
      for (int i = threadIdx.x; i < count; i += blockDim.x) tile[i] = i;
      __syncthreads();
      int sum = 0;
      for (int i = threadIdx.x; i < count; i += blockDim.x) sum += tile[count - 1 - i];
      atomicAdd(&out[blockIdx.x], sum);
    }
  )",
                                    {"rotate"}));
  const int count = 15 * 1024;
  const auto out = upload(std::vector<int>(3, 0));
  const LaunchGeometry geometry{{3}, {128}, count * 4};
  run(*module, "rotate", geometry, out->span().address, count);
  EXPECT_EQ(download<int>(*out), std::vector<int>(3, count * (count - 1) / 2));
  EXPECT_EQ(module->kernel("rotate").resources(geometry).dynamic_shared_bytes, count * 4);
  EXPECT_EQ(module->kernel("rotate").resources(geometry).threads_per_block, 128);
}

TEST_P(BackendConformance, ResourcesCountStaticSharedMemory) {
  const auto module = build(request(R"(
    extern "C" __global__ void reverse(float* data) {
      __shared__ float tile[32][33];
      tile[threadIdx.x][threadIdx.y] = data[threadIdx.y * 32 + threadIdx.x];
      __syncthreads();
      data[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
    }
  )",
                                    {"reverse"}));
  EXPECT_EQ(module->kernel("reverse").resources({{1}, {32, 8}}).static_shared_bytes, 32 * 33 * 4);
}

TEST_P(BackendConformance, AtomicsOfAllBlocksAddUp) {
  const auto module = build(request(R"(
    extern "C" __global__ void count(int* i, unsigned long long* l, float* f, double* d, unsigned* largest) {
      __shared__ int block;
      if (threadIdx.x == 0) block = 0;
      __syncthreads();
      atomicAdd(&block, 1);
      atomicAdd(f, 1.0f);
      atomicAdd(d, 0.5);
      atomicMax(largest, blockIdx.x * blockDim.x + threadIdx.x);
      __syncthreads();
      if (threadIdx.x == 0) { atomicAdd(i, block); atomicAdd(l, static_cast<unsigned long long>(block)); }
    }
  )",
                                    {"count"}));
  const auto i = upload(std::vector<int>{0});
  const auto l = upload(std::vector<unsigned long long>{1ull << 40});
  const auto f = upload(std::vector<float>{0});
  const auto d = upload(std::vector<double>{0});
  const auto largest = upload(std::vector<unsigned>{0});
  run(*module, "count", {{200}, {96}}, i->span().address, l->span().address, f->span().address, d->span().address,
      largest->span().address);
  EXPECT_EQ(download<int>(*i)[0], 19200);
  EXPECT_EQ(download<unsigned long long>(*l)[0], (1ull << 40) + 19200);
  EXPECT_EQ(download<float>(*f)[0], 19200.0f);
  EXPECT_EQ(download<double>(*d)[0], 9600.0);
  EXPECT_EQ(download<unsigned>(*largest)[0], 19199u);
}

TEST_P(BackendConformance, WarpsExchangeValues) {
  const auto module = build(request(R"(
    extern "C" __global__ void reduce(float* out, unsigned* votes) {
      float v = threadIdx.x;
      for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
      const unsigned odd = __ballot_sync(0xffffffffu, threadIdx.x & 1);
      if (threadIdx.x % 32 == 0) { out[threadIdx.x / 32] = v; votes[threadIdx.x / 32] = odd; }
    }
  )",
                                    {"reduce"}));
  const auto out = device().allocate(2 * 4), votes = device().allocate(2 * 4);
  run(*module, "reduce", {{1}, {64}}, out->span().address, votes->span().address);
  EXPECT_EQ(download<float>(*out), (std::vector<float>{496, 1520}));
  EXPECT_EQ(download<unsigned>(*votes), (std::vector<unsigned>{0xaaaaaaaa, 0xaaaaaaaa}));
}

TEST_P(BackendConformance, SymbolsAreFilledBeforeALaunch) {
  auto wanted = request(R"(
    __constant__ float weights[3];
    __device__ int calls;
    extern "C" __global__ void apply(float* out) { out[threadIdx.x] = weights[threadIdx.x] * 2; atomicAdd(&calls, 1); }
  )",
                        {"apply"});
  wanted.symbols = {"weights", "calls"};
  const auto module = build(wanted);
  ASSERT_EQ(module->symbol("weights").bytes, 12u);
  const std::vector<float> weights = {1.5f, 2.5f, 3.5f};
  device().upload(module->symbol("weights"), std::as_bytes(std::span(weights)));
  const auto out = device().allocate(12);
  run(*module, "apply", {{1}, {3}}, out->span().address);
  EXPECT_EQ(download<float>(*out), (std::vector<float>{3, 5, 7}));
  int calls = 0;
  device().download(std::as_writable_bytes(std::span(&calls, 1)), module->symbol("calls"));
  EXPECT_EQ(calls, 3);
}

TEST_P(BackendConformance, LaunchesRunInTheirOrder) {
  const auto module = build(request(
      R"(extern "C" __global__ void step(int* value, int factor, int summand) { *value = *value * factor + summand; })",
      {"step"}));
  const auto value = upload(std::vector<int>{1});
  Kernel& step = module->kernel("step");
  for (int i = 0; i < 5; ++i) queue(step, {}, value->span().address, 3, i);
  device().synchronize();
  EXPECT_EQ(download<int>(*value)[0], ((((1 * 3 + 0) * 3 + 1) * 3 + 2) * 3 + 3) * 3 + 4);
}

TEST_P(BackendConformance, ASourceThatDoesNotCompileIsAResultWithALog) {
  const CompileResult result =
      compiler().compile(request("\n\nextern \"C\" __global__ void k(int* out) { *out = missing; }\n", {"k"}));
  EXPECT_FALSE(result.code.has_value());
  EXPECT_FALSE(result.timed_out);
  EXPECT_NE(result.log.find("conformance/kernel.cu"), std::string::npos) << result.log;
  EXPECT_NE(result.log.find("missing"), std::string::npos) << result.log;
}

TEST_P(BackendConformance, AKernelThatTheSourceLacksIsACompileError) {
  const CompileResult result = compiler().compile(request("__global__ void k() {}", {"absent"}));
  EXPECT_FALSE(result.code.has_value());
  EXPECT_NE(result.log.find("absent"), std::string::npos) << result.log;
}

TEST_P(BackendConformance, NamesThatWereNotCompiledAreUnknown) {
  const auto module =
      build(request("extern \"C\" __global__ void k() {} extern \"C\" __global__ void other() {}", {"k"}));
  EXPECT_NO_THROW(module->kernel("k"));
  EXPECT_THROW(module->kernel("absent"), std::out_of_range);
  EXPECT_THROW(module->symbol("absent"), std::out_of_range);
}

TEST_P(BackendConformance, PreprocessingSeesDefinesAndIgnoresComments) {
  auto one = request("/* a remark */ extern \"C\" __global__ void k(int* out) { *out = N; }", {"k"});
  one.defines = {{"N", "1"}};
  auto two = one;
  two.defines = {{"N", "2"}};
  EXPECT_NE(compiler().preprocess(one), compiler().preprocess(two));
  EXPECT_EQ(compiler().preprocess(one), compiler().preprocess(one));
}

TEST_P(BackendConformance, LaunchesBeyondALimitAreResourceLimits) {
  const auto module = build(request(
      R"(extern "C" __global__ void k(int* out) { extern __shared__ int s[]; s[0] = 1; *out = s[0]; })", {"k"}));
  const auto out = upload(std::vector<int>{7});
  const auto outcome = [&](const LaunchGeometry& geometry) {
    try {
      run(*module, "k", geometry, out->span().address);
    } catch (const DeviceError& error) {
      EXPECT_FALSE(error.sticky()) << error.what();
      EXPECT_FALSE(error.code().empty());
      return error.outcome();
    }
    return search::Outcome::correct;
  };
  const DeviceInfo& info = device().info();
  EXPECT_EQ(outcome({{1}, {info.max_threads_per_block + 1}, 4}), search::Outcome::resource_limit);
  EXPECT_EQ(outcome({{1}, {1, 1, info.max_block_z + 1}, 4}), search::Outcome::resource_limit);
  EXPECT_EQ(outcome({{1, info.max_grid_y + 1}, {1}, 4}), search::Outcome::resource_limit);
  EXPECT_EQ(outcome({{1}, {1}, info.max_shared_memory_per_block_optin + 1}), search::Outcome::resource_limit);
  EXPECT_EQ(download<int>(*out)[0], 7) << "a refused launch ran";
  EXPECT_EQ(outcome({{1}, {1}, info.max_shared_memory_per_block_optin}), search::Outcome::correct);
}

TEST_P(BackendConformance, MoreMemoryThanThereIsIsAResourceLimit) {
  try {
    device().allocate(std::size_t{1} << 50);
    FAIL() << "a petabyte was allocated";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
    EXPECT_FALSE(error.sticky());
  }
}

TEST_P(BackendConformance, TimeGrowsWithTheWork) {
  const auto module = build(request(R"(
    extern "C" __global__ void spin(float* out, int rounds) {
      float v = *out;
      for (int i = 0; i < rounds; ++i) v = v * 0.999f + 0.5f;
      *out = v;
    }
  )",
                                    {"spin"}));
  const auto out = upload(std::vector<float>{1});
  Kernel& spin = module->kernel("spin");
  const auto time = [&](int rounds) { return device().time_ms([&] { queue(spin, {}, out->span().address, rounds); }); };
  time(1000);
  const double little = time(1000);
  EXPECT_GT(little, 0);
  EXPECT_GT(time(5'000'000), little);
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& backend : backends()) names.emplace_back(backend.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Backends, BackendConformance, ::testing::ValuesIn(names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace warptune::tuner
