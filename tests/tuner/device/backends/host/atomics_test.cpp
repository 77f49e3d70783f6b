// Atomics in shared and global memory, across blocks on several cores.
#include "tests/tuner/device/backends/host/host_fixture.h"

namespace warptune::tuner::host {
namespace {

TEST(HostAtomics, SumsFromManyBlocksAreExact) {
  auto module = build(request(R"(
    template <class T> __global__ void sum(T* out) {
      __shared__ T partial;
      if (threadIdx.x == 0) partial = 0;
      __syncthreads();
      atomicAdd(&partial, T(1));
      atomicAdd(out, 1);
      __syncthreads();
      if (threadIdx.x == 0) atomicAdd(out + 1, partial);
    }
  )",
                              {"sum<int>", "sum<unsigned>", "sum<unsigned long long>", "sum<float>", "sum<double>"}));
  const LaunchGeometry geometry{{500}, {64}};
  const auto check = [&]<class T>(const std::string& kernel, T expected) {
    Buffer<T> out(2);
    launch(*module, kernel, geometry, out.get());
    EXPECT_EQ(out.read(), (std::vector<T>{expected, expected})) << kernel;
  };
  check("sum<int>", 32000);
  check("sum<unsigned>", 32000u);
  check("sum<unsigned long long>", 32000ull);
  check("sum<float>", 32000.0f);
  check("sum<double>", 32000.0);
}

TEST(HostAtomics, EveryOperationReturnsTheOldValue) {
  auto module = build(request(R"(
    __global__ void operations(int* i, unsigned* u, unsigned long long* l, float* f, int* old) {
      old[0] = atomicSub(&i[0], 3);   old[1] = atomicMin(&i[1], -7);  old[2] = atomicMax(&i[2], 9);
      old[3] = atomicExch(&i[3], 4);  old[4] = atomicCAS(&i[4], 4, 8); old[5] = atomicCAS(&i[5], 5, 8);
      old[6] = atomicAnd(&u[0], 6u);  old[7] = atomicOr(&u[1], 8u);   old[8] = atomicXor(&u[2], 1u);
      old[9] = atomicInc(&u[3], 5);   old[10] = atomicInc(&u[4], 5);  old[11] = atomicDec(&u[5], 5); old[12] = atomicDec(&u[6], 9);
      old[13] = atomicMax(&l[0], 100ull); old[14] = atomicCAS(&l[1], 5ull, 1ull << 40); old[15] = atomicExch(&f[0], 2.5f);
      old[16] = atomicMin(&u[7], 3u);
    }
  )",
                              {"operations"}));
  Buffer<int> integers(std::vector<int>(6, 5)), old(17);
  Buffer<unsigned> words(std::vector<unsigned>{5, 5, 5, 4, 5, 0, 5, 5});
  Buffer<unsigned long long> longs(std::vector<unsigned long long>(2, 5));
  Buffer<float> floats(std::vector<float>(1, 5));
  launch(*module, "operations", {}, integers.get(), words.get(), longs.get(), floats.get(), old.get());
  EXPECT_EQ(integers.read(), (std::vector<int>{2, -7, 9, 4, 5, 8}));
  EXPECT_EQ(words.read(), (std::vector<unsigned>{4, 13, 4, 5, 0, 5, 4, 3}));
  EXPECT_EQ(longs.read(), (std::vector<unsigned long long>{100, 1ull << 40}));
  EXPECT_EQ(floats.read(), std::vector<float>{2.5f});
  EXPECT_EQ(old.read(), (std::vector<int>{5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 5, 0, 5, 5, 5, 5, 5}));
}

TEST(HostAtomics, TheLastBlockSeesWhatTheOthersWrote) {
  auto module = build(request(R"(
    __device__ unsigned finished;
    __global__ void total(int* partial, int* out) {
      __shared__ bool last;
      if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
      }
      __syncthreads();
      if (!last) return;
      for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) atomicAdd(out, reinterpret_cast<volatile int*>(partial)[i]);
    }
  )",
                              {"total"}));
  Buffer<int> partial(1000), out(1);
  for (int i = 0; i < 3; ++i) launch(*module, "total", {{1000}, {32}}, partial.get(), out.get());
  EXPECT_EQ(out.read()[0], 3 * 499500);
}

}  // namespace
}  // namespace warptune::tuner::host
