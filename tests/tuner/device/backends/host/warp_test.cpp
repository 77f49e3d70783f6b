// Warp-level functions.
#include "tests/tuner/device/backends/host/host_fixture.h"

namespace warptune::tuner::host {
namespace {

// Runs `kernel` of `source` on one block of `threads` and returns what each thread wrote.
template <class T>
std::vector<T> run_block(const std::string& source, const std::string& kernel, std::size_t threads) {
  auto module = build(request(source, {kernel}));
  Buffer<T> out(threads);
  launch(*module, kernel, {{1}, {static_cast<std::int64_t>(threads)}}, out.get());
  return out.read();
}

TEST(HostWarp, ShufflesMoveValuesOfEveryType) {
  const auto sums = run_block<double>(R"(
    template <class T> __device__ double test(T value) {
      const unsigned full = 0xffffffff;
      return double(__shfl_sync(full, value, 3)) + 1e2 * double(__shfl_up_sync(full, value, 1))
           + 1e4 * double(__shfl_down_sync(full, value, 2)) + 1e6 * double(__shfl_xor_sync(full, value, 1));
    }
    __global__ void all(double* out) {
      const int t = threadIdx.x;
      const double expected = test<int>(t);
      bool same = test<unsigned>(t) == expected && test<long long>(t) == expected && test<unsigned long long>(t) == expected;
      same = same && test<float>(t) == expected && test<double>(t) == expected && test<long>(t) == expected;
      out[t] = same ? expected : -1;
    }
  )",
                                      "all", 64);
  EXPECT_EQ(sums[0], 3 + 0 + 2e4 + 1e6);
  EXPECT_EQ(sums[5], 3 + 4e2 + 7e4 + 4e6);
  EXPECT_EQ(sums[31], 3 + 30e2 + 31e4 + 30e6);
  EXPECT_EQ(sums[37], 35 + 36e2 + 39e4 + 36e6);
}

TEST(HostWarp, ShufflesStayInSegmentsOfTheirWidth) {
  const auto values = run_block<int>(R"(
    __global__ void segments(int* out) {
      const int t = threadIdx.x;
      const int a = __shfl_sync(~0u, t, 9, 8), b = __shfl_up_sync(~0u, t, 3, 8), c = __shfl_down_sync(~0u, t, 100, 8);
      const int d = __shfl_xor_sync(~0u, t, 4, 4);
      out[t] = a + 100 * b + 10000 * c + 1000000 * d;
    }
  )",
                                     "segments", 32);
  EXPECT_EQ(values[10], 9 + 100 * 10 + 10000 * 10 + 1000000 * 10);  // up: below the segment; xor: beyond it
  EXPECT_EQ(values[13], 9 + 100 * 10 + 10000 * 13 + 1000000 * 9);   // xor: an earlier segment may be read
}

TEST(HostWarp, ReducesAPartialWarpUnderAFullMask) {
  const auto sums = run_block<int>(R"(
    __global__ void sum(int* out) {
      int v = 1;
      for (int d = 16; d > 0; d /= 2) { const int other = __shfl_down_sync(0xffffffff, v, d); if (threadIdx.x % 32 + d < 32 && threadIdx.x + d < blockDim.x) v += other; }
      out[threadIdx.x] = v;
    }
  )",
                                   "sum", 48);
  EXPECT_EQ(sums[0], 32);
  EXPECT_EQ(sums[32], 16);
}

TEST(HostWarp, VotesMatchesAndReductions) {
  const auto bits = run_block<unsigned>(R"(
    __global__ void votes(unsigned* out) {
      const int t = threadIdx.x, lane = t % 32;
      unsigned ok = 0;
      ok |= (__ballot_sync(~0u, lane % 2) == 0xaaaaaaaa) << 0;
      ok |= (__any_sync(~0u, lane == 7) && !__any_sync(~0u, lane == 99)) << 1;
      ok |= (__all_sync(~0u, lane < 32) && !__all_sync(~0u, lane < 31)) << 2;
      ok |= (__match_any_sync(~0u, lane / 8) == 0xffu << lane / 8 * 8) << 3;
      int all; ok |= (__match_all_sync(~0u, 1.5, &all) == ~0u && all == 1) << 4;
      ok |= (__match_all_sync(~0u, lane, &all) == 0 && all == 0) << 5;
      ok |= (__reduce_add_sync(~0u, lane) == 496 && __reduce_min_sync(~0u, -lane) == -31 && __reduce_max_sync(~0u, -lane) == 0) << 6;
      ok |= (__reduce_max_sync(~0u, unsigned(-lane)) == ~0u && __reduce_min_sync(~0u, unsigned(lane)) == 0) << 7;
      ok |= (__reduce_or_sync(~0u, 1u << lane) == ~0u && __reduce_and_sync(~0u, ~(1u << lane)) == 0 && __reduce_xor_sync(~0u, 1u << lane) == ~0u) << 8;
      out[t] = ok;
    }
  )",
                                        "votes", 64);
  for (const unsigned ok : bits) EXPECT_EQ(ok, 0x1ffu);
}

TEST(HostWarp, DisjointMasksGoTheirOwnWays) {
  const auto values = run_block<int>(R"(
    __global__ void halves(int* out) {
      const int t = threadIdx.x;
      int v = 0;
      if (t < 16) { for (int i = 0; i < 3; ++i) v += __reduce_add_sync(0x0000ffff, t); __syncwarp(0x0000ffff); }
      else { v = __shfl_sync(0xffff0000, t, 20); }
      __syncwarp();
      out[t] = v;
    }
  )",
                                     "halves", 32);
  EXPECT_EQ(values[0], 360);
  EXPECT_EQ(values[31], 20);
}

TEST(HostWarp, ActiveMaskIsWhoComesToTheSameLine) {
  const auto masks = run_block<unsigned>(R"(
    __global__ void aggregate(unsigned* out) {
      __shared__ unsigned counter;
      const int t = threadIdx.x;
      if (t == 0) counter = 0;
      __syncthreads();
      unsigned mask = 0, place = 0;
      if (t % 3 == 0) {
        mask = __activemask();
        const int leader = __ffs(mask) - 1;
        if (t % 32 == leader) place = atomicAdd(&counter, __popc(mask));
        place = __shfl_sync(mask, place, leader);
      } else {
        mask = __activemask();
      }
      __syncthreads();
      out[t] = t == 1 ? counter : mask;
    }
  )",
                                         "aggregate", 64);
  EXPECT_EQ(masks[0], 0x49249249u);
  EXPECT_EQ(masks[2], ~0x49249249u);
  EXPECT_EQ(masks[33], 0x92492492u);
  EXPECT_EQ(masks[1], 22u);
}

}  // namespace
}  // namespace warptune::tuner::host
