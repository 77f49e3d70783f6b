// The counts of accesses: what each thread does is exact, and what warps make of it is what the programming guide says.
#include <gmock/gmock.h>

#include "tests/tuner/device/backends/host/tracked_fixture.h"

namespace warptune::tuner::host {
namespace {

class HostCounts : public Tracked {
 protected:
  // One statement of a kernel of 64 threads in two blocks of one warp each, `t` being the lane and `g` all threads'.
  void run_statement(const std::string& statement) {
    run("__global__ void k(float* data) { __shared__ float s[32 * 33 * 2]; const int t = threadIdx.x; "
        "const int g = blockIdx.x * 32 + t; " +
            statement + " }",
        "k", {{2}, {32}});
  }
};

TEST_F(HostCounts, LoadsStoresAndBytesAreThoseOfTheSource) {
  run_statement("for (int i = 0; i < 5; ++i) data[g] += data[g + 64];");
  EXPECT_EQ(count(Count::global_loads), 64 * 10);
  EXPECT_EQ(count(Count::global_stores), 64 * 5);
  EXPECT_EQ(count(Count::global_load_bytes), 64 * 10 * 4);
  EXPECT_EQ(count(Count::global_load_requests), 2 * 10);
  EXPECT_EQ(count(Count::shared_loads), 0);
  EXPECT_EQ(log_->launches.at(0).counts.buffers.at("data").stores, 64 * 5);
  EXPECT_EQ(count(Count::blocks), 2);
  EXPECT_EQ(count(Count::threads), 64);
}

TEST_F(HostCounts, AVectorIsOneAccess) {
  run_statement("reinterpret_cast<float4*>(data)[g] = reinterpret_cast<const float4*>(data)[g + 64];");
  EXPECT_EQ(count(Count::global_loads), 64);
  EXPECT_EQ(count(Count::global_load_bytes), 64 * 16);
  EXPECT_EQ(count(Count::global_load_sectors), 2 * 16);
  EXPECT_EQ(count(Count::global_stores), 64);
}

// Functions take and return pairs as a whole, of which GCC by itself tells nothing.
TEST_F(HostCounts, APairOfHalvesIsOneAccessWhereverItComesFromAndGoesTo) {
  run("#include <cuda_fp16.h>\n__global__ void k(float* data) { __half2* h = (__half2*)data; __half* one = (__half*)h;"
      "const int g = blockIdx.x * 32 + threadIdx.x; h[g] = __hfma2(h[g + 64], h[g + 128], h[g]);"
      "h[g + 64] = h[g] + h[g + 256]; one[2 * g + 512] = __hmul(one[2 * g], __low2half(h[g])); }",
      "k", {{2}, {32}});
  EXPECT_EQ(count(Count::global_loads), 64 * 7);
  EXPECT_EQ(count(Count::global_load_bytes), 64 * (6 * 4 + 2));
  EXPECT_EQ(count(Count::global_stores), 64 * 3);
  EXPECT_EQ(count(Count::global_store_bytes), 64 * (2 * 4 + 2));
}

TEST_F(HostCounts, SectorsTellCoalescedFromStridedAccesses) {
  const auto sectors = [&](const std::string& place) {
    run_statement("data[" + place + "] = 1;");
    return count(Count::global_store_sectors) / count(Count::global_store_requests);
  };
  EXPECT_EQ(sectors("g"), 4);      // 32 floats, 8 a sector
  EXPECT_EQ(sectors("g + 1"), 5);  // across one more
  EXPECT_EQ(sectors("2 * g"), 8);
  EXPECT_EQ(sectors("32 * g"), 32);  // each its own
  EXPECT_EQ(sectors("0"), 1);
}

TEST_F(HostCounts, BankConflictsAreWavefrontsBeyondTheFirst) {
  const auto conflicts = [&](const std::string& place) {
    run_statement("s[" + place + "] = 1;");
    return count(Count::shared_store_conflicts) / count(Count::shared_store_requests);
  };
  EXPECT_EQ(conflicts("t"), 0);
  EXPECT_EQ(conflicts("2 * t"), 1);
  EXPECT_EQ(conflicts("32 * t"), 31);  // a column
  EXPECT_EQ(conflicts("33 * t"), 0);   // of rows with padding
  EXPECT_EQ(conflicts("0"), 0);        // one word
}

TEST_F(HostCounts, LanesBelongTogetherAtEachTurnOfALoop) {
  run_statement("for (int i = 0; i < 8; ++i) s[32 * t + i] = 1;");
  EXPECT_EQ(count(Count::shared_store_requests), 2 * 8);
  EXPECT_EQ(count(Count::shared_store_conflicts), 2 * 8 * 31);
}

TEST_F(HostCounts, AFunctionCalledFromTwoPlacesIsTwoAccesses) {
  run("__device__ float at(const float* p, int i) { return p[i]; }"
      "__global__ void k(float* data) { const int t = threadIdx.x; float x = 0;"
      "if (t < 16) x += at(data, t); x += at(data, 64 + t); data[t] = x; }",
      "k", {{1}, {32}});
  EXPECT_EQ(count(Count::global_load_requests), 2);
  EXPECT_EQ(count(Count::global_load_sectors), 2 + 4);
}

TEST_F(HostCounts, AtomicsAreOneAccessEach) {
  run_statement("atomicAdd(&data[0], 1.0f); atomicMax(reinterpret_cast<int*>(&data[1]), t); atomicAdd(&s[0], 1.0f);");
  EXPECT_EQ(count(Count::global_atomics), 64 * 2);
  EXPECT_EQ(count(Count::shared_atomics), 64);
  EXPECT_EQ(count(Count::global_loads) + count(Count::global_stores), 0);
}

TEST_F(HostCounts, ABranchWhoseLanesPartIsDivergent) {
  const auto divergent = [&](const std::string& condition) {
    run_statement("if (" + condition + ") data[g] = 1; else data[g] = 2;");
    return count(Count::divergent_branches);
  };
  EXPECT_EQ(divergent("t < 16"), 2);  // once in each warp
  EXPECT_EQ(divergent("t < 32"), 0);
  EXPECT_EQ(divergent("blockIdx.x > 0"), 0);
  EXPECT_EQ(divergent("g < 5"), 1);
  EXPECT_EQ(divergent("min(t, 3) >= 0"), 0);  // the shim's own branches are none of the kernel's
}

TEST_F(HostCounts, ALoopOfUnequalLengthLeavesLanesIdle) {
  run_statement("for (int i = 0; i < 16; ++i) data[g] += 1;");
  EXPECT_EQ(count(Count::lane_steps), 32 * count(Count::warp_steps));
  run_statement("for (int i = 0; i < t; ++i) data[g] += 1;");
  EXPECT_GT(count(Count::divergent_branches), 0);
  EXPECT_LT(count(Count::lane_steps), 20 * count(Count::warp_steps));
}

TEST_F(HostCounts, BarriersAreOfBlocksAndOfWarps) {
  run_statement("__syncthreads(); __syncwarp(); __shfl_sync(~0u, t, 0); __syncthreads();");
  EXPECT_EQ(count(Count::block_barriers), 2 * 2);
  EXPECT_EQ(count(Count::warp_barriers), 2 * 2);
}

TEST_F(HostCounts, ConstantsAreNoGlobalMemory) {
  run("__constant__ float weights[4] = {1, 2, 3, 4}; __global__ void k(float* data) "
      "{ data[threadIdx.x] = weights[threadIdx.x % 4]; }",
      "k", {{1}, {32}});
  EXPECT_EQ(count(Count::constant_loads), 32);
  EXPECT_EQ(count(Count::global_loads), 0);
  EXPECT_EQ(data_[6], 3);
}

}  // namespace
}  // namespace warptune::tuner::host
