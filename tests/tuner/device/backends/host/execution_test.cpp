// The execution model: indices, barriers, shared memory of all kinds, symbols, names.
#include <algorithm>
#include <numeric>

#include "tests/tuner/device/backends/host/host_fixture.h"

namespace warptune::tuner::host {
namespace {

TEST(HostExecution, EveryThreadKnowsItsPlace) {
  auto module = build(request(R"(
    __global__ void place(unsigned* out) {
      const dim3 size = blockDim;
      const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
      const unsigned thread = (threadIdx.z * size.y + threadIdx.y) * size.x + threadIdx.x;
      out[block * size.x * size.y * size.z + thread] += 1 + thread * warpSize;
    }
  )",
                              {"place"}));
  Buffer<unsigned> out(2 * 3 * 4 * 30);
  launch(*module, "place", {{2, 3, 4}, {5, 2, 3}}, out.get());
  const auto values = out.read();
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], 1 + i % 30 * 32) << i;
}

TEST(HostExecution, BarriersOrderSharedMemory) {
  auto module = build(request(R"(
    __global__ void reverse(float* data) {
      __shared__ float tile[64];
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      tile[threadIdx.x] = data[i];
      __syncthreads();
      data[i] = tile[blockDim.x - 1 - threadIdx.x];
    }
  )",
                              {"reverse"}));
  std::vector<float> values(64 * 100);
  std::iota(values.begin(), values.end(), 0.0f);
  Buffer<float> data(values);
  launch(*module, "reverse", {{100}, {64}}, data.get());
  for (std::size_t block = 0; block < 100; ++block) std::reverse(&values[block * 64], &values[block * 64] + 64);
  EXPECT_EQ(data.read(), values);
}

struct Orders {
  int forward = 0, backward = 0, scattered = 0;  // blocks whose threads began so
};

// Runs 64 blocks of 8 threads in so many timed samples, or outside of any, and returns the orders of the last run.
Orders orders_in(int samples) {
  auto module = build(request(R"(
    __global__ void note(unsigned* order, unsigned* begun) {
      const unsigned place = atomicAdd(begun + blockIdx.x, 1u) % blockDim.x;
      order[blockIdx.x * blockDim.x + place] = threadIdx.x;
    }
  )",
                              {"note"}));
  constexpr std::size_t blocks = 64, threads = 8;
  Buffer<unsigned> order(blocks * threads), begun(blocks);
  const auto run = [&] { launch(*module, "note", {{blocks}, {threads}}, order.get(), begun.get()); };
  if (samples == 0)
    run();
  else
    shared_device().sample_ms({.work = run, .lead = {}, .prepare = {}, .samples = samples});
  const std::vector<unsigned> values = order.read();
  std::vector<unsigned> ascending(threads);
  std::iota(ascending.begin(), ascending.end(), 0u);
  Orders found;
  for (auto block = values.begin(); block != values.end(); block += threads) {
    if (std::equal(block, block + threads, ascending.begin()))
      ++found.forward;
    else
      ++(std::equal(block, block + threads, ascending.rbegin()) ? found.backward : found.scattered);
  }
  return found;
}

// What a missing barrier does depends on the order. A run that verifies has blocks of all orders, so that one of them
// is wrong.
TEST(HostExecution, ALoneRunHasBlocksOfAllOrdersOfThreads) {
  const Orders orders = orders_in(1);
  EXPECT_GT(orders.forward, 0);
  EXPECT_GT(orders.backward, 0);
  EXPECT_GT(orders.scattered, 0);
}

TEST(HostExecution, TimedSamplesHaveTheOrdersThatAreEquallyFast) {
  const Orders orders = orders_in(3);
  EXPECT_GT(orders.forward, 0);
  EXPECT_GT(orders.backward, 0);
  EXPECT_EQ(orders.scattered, 0);
  EXPECT_EQ(orders_in(0).forward, 64);
}

TEST(HostExecution, DynamicSharedArraysShareOneAddressWhateverTheirTypeAndScope) {
  auto module = build(request(R"(
    extern __shared__ __align__(16) unsigned char bytes[];
    namespace inner {
    extern __shared__ double doubles[];
    template <typename T> __device__ T* tile() { extern __shared__ T elements[]; return elements; }
    }
    __global__ void overlay(int* same, double* out, int last) {
      extern __shared__ float4 vectors[];
      if (threadIdx.x == 0) {
        same[0] = (void*)bytes == (void*)inner::doubles;
        same[1] = (void*)bytes == (void*)inner::tile<int>();
        same[2] = (void*)bytes == (void*)vectors;
        same[3] = reinterpret_cast<unsigned long long>(bytes) % 16;
      }
      for (int i = threadIdx.x; i <= last; i += blockDim.x) inner::doubles[i] = i + blockIdx.x;
      __syncthreads();
      out[blockIdx.x * blockDim.x + threadIdx.x] = inner::doubles[last - threadIdx.x];
    }
  )",
                              {"overlay"}));
  Buffer<int> same(4);
  Buffer<double> out(4 * 32);
  const std::int64_t bytes = 100 * 1024;
  const int last = static_cast<int>(bytes / 8) - 1;
  launch(*module, "overlay", {{4}, {32}, bytes}, same.get(), out.get(), last);
  EXPECT_EQ(same.read(), (std::vector<int>{1, 1, 1, 0}));
  EXPECT_EQ(out.read()[3 * 32 + 5], last - 5 + 3);
}

TEST(HostExecution, CountingBarriersCombineThePredicatesOfThreadsThatHaveNotExited) {
  auto module = build(request(R"(
    __global__ void count(int* out) {
      const int t = threadIdx.x;
      if (t >= 70) return;
      const int odd = __syncthreads_count(t % 2), all = __syncthreads_and(t < 70), some = __syncthreads_or(t == 69);
      const int none = __syncthreads_or(t == 99), notall = __syncthreads_and(t != 3);
      if (t == 42) { out[0] = odd; out[1] = all != 0; out[2] = some != 0; out[3] = none; out[4] = notall; }
    }
  )",
                              {"count"}));
  Buffer<int> out(5);
  launch(*module, "count", {{1}, {100}}, out.get());
  EXPECT_EQ(out.read(), (std::vector<int>{35, 1, 1, 0, 0}));
}

TEST(HostExecution, NameExpressionsReachTemplatesNamespacesAndAnyParameterTypes) {
  CompileRequest wanted = request(R"(
    struct Pair { int a; double b; };
    namespace ns { __global__ void mixed(double* out, char c, short s, Pair p, const long long l, bool flag) {
      s += 1; out[threadIdx.x] = c + s + p.a + p.b + l + flag; } }
    template <class T, int N> __global__ void fill(T* __restrict__ out, T value) {
      #pragma unroll
      for (int i = 0; i < N; ++i) out[i] = value;
    }
    __global__ void nothing() {}
  )",
                                  {"ns::mixed", "fill<float, 4>", "fill<int,2>", "nothing"});
  auto module = build(wanted);
  struct Pair {
    int a;
    double b;
  };
  Buffer<double> out(3);
  launch(*module, "ns::mixed", {{1}, {3}}, out.get(), char{1}, short{10}, Pair{100, 0.5}, 1000LL, true);
  EXPECT_EQ(out.read(), (std::vector<double>{1113.5, 1113.5, 1113.5}));
  Buffer<float> floats(4);
  launch(*module, "fill<float, 4>", {}, floats.get(), 2.5f);
  EXPECT_EQ(floats.read(), (std::vector<float>{2.5f, 2.5f, 2.5f, 2.5f}));
  launch(*module, "nothing", {{7}, {7}});
  EXPECT_THROW(module->kernel("absent"), std::out_of_range);
  EXPECT_THROW(module->symbol("absent"), std::out_of_range);
}

TEST(HostExecution, SymbolsAreFilledAndReadBack) {
  CompileRequest wanted = request(R"(
    __constant__ float weights[4];
    namespace ns { static __constant__ int offset; __device__ int counter = 5; }
    __device__ __noinline__ float weight(int i) { return weights[i] + ns::offset; }
    __global__ void apply(float* out) { out[threadIdx.x] = weight(threadIdx.x); atomicAdd(&ns::counter, 2); }
  )",
                                  {"apply"});
  wanted.symbols = {"weights", "ns::offset", "ns::counter"};
  auto module = build(wanted);
  Device& device = shared_device();
  const std::vector<float> weights = {1, 2, 3, 4};
  const int offset = 10;
  ASSERT_EQ(module->symbol("weights").bytes, 16u);
  device.upload(module->symbol("weights"), std::as_bytes(std::span(weights)));
  device.upload(module->symbol("ns::offset"), std::as_bytes(std::span(&offset, 1)));
  Buffer<float> out(4);
  launch(*module, "apply", {{1}, {4}}, out.get());
  EXPECT_EQ(out.read(), (std::vector<float>{11, 12, 13, 14}));
  int counter = 0;
  device.download(std::as_writable_bytes(std::span(&counter, 1)), module->symbol("ns::counter"));
  EXPECT_EQ(counter, 13);
}

TEST(HostExecution, ModulesOfTheSameKernelsStayApart) {
  const char* source = R"(
    __device__ int state = SEED;
    template <int N> __global__ void read(int* out) {
      __shared__ int tile[N];
      tile[threadIdx.x] = state;
      __syncthreads();
      out[threadIdx.x] = tile[N - 1 - threadIdx.x];
    }
  )";
  CompileRequest first = request(source, {"read<8>"}), second = first;
  first.defines = {{"SEED", "1"}};
  second.defines = {{"SEED", "2"}};
  auto one = build(first), two = build(second);
  Buffer<int> out(8);
  launch(*one, "read<8>", {{1}, {8}}, out.get());
  EXPECT_EQ(out.read()[0], 1);
  launch(*two, "read<8>", {{1}, {8}}, out.get());
  EXPECT_EQ(out.read()[0], 2);
}

// As code that the C++ library has come to depend on does: dlclose leaves it loaded, and the loader, which knows it by
// its path, must not give it out as the next module.
TEST(HostExecution, AModuleThatTheLoaderKeepsIsNotTakenForTheNextOne) {
  const char* source = R"(
    struct Kept { ~Kept() {} int touched = 0; };
    __device__ int value = SEED;
    __global__ void read(int* out) {
      static thread_local Kept kept;  // the loader keeps a library whose threads still have something to destroy
      kept.touched = 1;
      out[0] = value;
    }
  )";
  for (const char* seed : {"1", "2"}) {
    CompileRequest wanted = request(source, {"read"});
    wanted.defines = {{"SEED", seed}};
    auto module = build(wanted);
    Buffer<int> out(1);
    launch(*module, "read", {{1}, {1}}, out.get());
    EXPECT_EQ(std::to_string(out.read()[0]), seed);
  }
}

TEST(HostExecution, SleepingThreadsLetOthersOfTheBlockGoOn) {
  auto module = build(request(R"(
    __global__ void relay(int* out) {
      __shared__ volatile int turn;
      if (threadIdx.x == 0) turn = 0;
      __syncthreads();
      while (turn != blockDim.x - 1 - threadIdx.x) __nanosleep(100);
      out[turn] = threadIdx.x;
      turn = turn + 1;
    }
  )",
                              {"relay"}));
  Buffer<int> out(40);
  launch(*module, "relay", {{1}, {40}}, out.get());
  EXPECT_EQ(out.read()[0], 39);
  EXPECT_EQ(out.read()[39], 0);
}

TEST(HostExecution, StaticSharedMemoryIsMeasuredForEachKernel) {
  auto module = build(request(R"(
    __device__ float helper(int i) { __shared__ float scratch[100]; scratch[i] = i; __syncthreads(); return scratch[0]; }
    __global__ void with(float* out) { __shared__ double tile[8][9]; tile[0][threadIdx.x] = *out; *out = helper(0) + tile[0][1]; }
    template <int N> __global__ void without(float* out) { *out = N; }
    __global__ void another(float* out) { __shared__ float tile[1000]; tile[threadIdx.x] = *out; *out = tile[7]; }
  )",
                              {"with", "without<3>"}));
  const LaunchGeometry geometry{{1}, {64}, 1024};
  const search::ResourceUse use = module->kernel("with").resources(geometry);
  EXPECT_EQ(use.static_shared_bytes, 8 * 9 * 8 + 400);
  EXPECT_EQ(use.dynamic_shared_bytes, 1024);
  EXPECT_EQ(use.threads_per_block, 64);
  EXPECT_EQ(module->kernel("without<3>").resources(geometry).static_shared_bytes, 400);
}

}  // namespace
}  // namespace warptune::tuner::host
