// The race detector: planted hazards are found with their lines, and their right counterparts are not.
#include <gmock/gmock.h>

#include "tests/tuner/device/backends/host/tracked_fixture.h"

namespace warptune::tuner::host {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class HostRaces : public Tracked {};

// A product of 16 x 16 matrices in tiles of 8 x 8; WAIT_LOADED and WAIT_USED are barriers or nothing.
std::string tiled_product(const std::string& wait_loaded, const std::string& wait_used) {
  return R"(__global__ void product(float* data) {
  __shared__ float As[8][8], Bs[8][8];
  const float* a = data;
  const float* b = data + 256;
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, column = blockIdx.x * 8 + tx;
  float sum = 0;
  for (int first = 0; first < 16; first += 8) {
    As[ty][tx] = a[row * 16 + first + tx];
    Bs[ty][tx] = b[(first + ty) * 16 + column];
    )" + wait_loaded +
         R"(
    for (int k = 0; k < 8; ++k) sum += As[ty][k] * Bs[k][tx];
    )" + wait_used +
         R"(
  }
  data[512 + row * 16 + column] = sum;
})";
}

const LaunchGeometry four_tiles{{2, 2}, {8, 8}};

TEST_F(HostRaces, ATiledProductWithBothBarriersHasNone) {
  run(tiled_product("__syncthreads();", "__syncthreads();"), "product", four_tiles);
  EXPECT_THAT(findings(), IsEmpty());
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += static_cast<float>((3 * 16 + k) * (256 + k * 16 + 5));
  EXPECT_FLOAT_EQ(data_[512 + 3 * 16 + 5], sum);
}

TEST_F(HostRaces, ATileReadBeforeItIsLoadedIsFoundWithItsLines) {
  run(tiled_product("", "__syncthreads();"), "product", four_tiles);
  EXPECT_THAT(findings(),
              AllOf(HasSubstr("As + "), HasSubstr("Bs + "), HasSubstr("test/kernel.cu:8"),
                    HasSubstr("test/kernel.cu:9"), HasSubstr("test/kernel.cu:11"), HasSubstr("block (0, 0, 0)")));
}

TEST_F(HostRaces, ATileOverwrittenBeforeAllHaveReadItIsFound) {
  run(tiled_product("__syncthreads();", ""), "product", four_tiles);
  EXPECT_THAT(findings(), AllOf(HasSubstr("write after read in shared memory"), HasSubstr("test/kernel.cu:11")));
}

std::string double_buffered(const std::string& wait) {
  return R"(__global__ void shift(float* data) {
  __shared__ float buffer[2][64];
  const int t = threadIdx.x;
  buffer[0][t] = data[t];
  __syncthreads();
  int now = 0;
  for (int i = 0; i < 4; ++i) {
    buffer[1 - now][t] = buffer[now][(t + 1) % 64];
    now = 1 - now;
    )" + wait +
         R"(
  }
  data[t] = buffer[now][t];
})";
}

TEST_F(HostRaces, TwoBuffersNeedOneBarrierAStep) {
  run(double_buffered("__syncthreads();"), "shift", {{1}, {64}});
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(data_[10], 14);
  run(double_buffered("if (i % 2 == 1) __syncthreads();"), "shift", {{1}, {64}});
  EXPECT_THAT(findings(), HasSubstr("test/kernel.cu:8"));
}

std::string warp_sum(const std::string& wait) {
  return R"(__global__ void sum(float* data) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = data[t];
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    float other = t % 32 < half ? s[t + half] : 0;
    )" + wait +
         R"(
    s[t] += other;
    )" + wait +
         R"(
  }
  if (t % 32 == 0) data[t] = s[t];
})";
}

TEST_F(HostRaces, AWarpsReductionNeedsSyncwarp) {
  run(warp_sum("__syncwarp();"), "sum", {{1}, {64}});
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(data_[32], 32 * (32 + 63) / 2);
  run(warp_sum(""), "sum", {{1}, {64}});
  EXPECT_THAT(findings(), HasSubstr("test/kernel.cu:9"));
}

TEST_F(HostRaces, SyncwarpOrdersTheLanesOfItsMaskAndNoOthers) {
  const auto source = [](const std::string& reader) {
    return R"(__global__ void share(float* data) {
      __shared__ float s[64];
      const int t = threadIdx.x;
      s[t] = data[t];
      if (t % 32 < 16) __syncwarp(0xffff);
      if (t % 32 < 16) data[t] = s[)" +
           reader + R"(];
    })";
  };
  run(source("t ^ 1"), "share", {{1}, {64}});
  EXPECT_THAT(findings(), IsEmpty());
  run(source("t ^ 16"), "share", {{1}, {64}});  // of the warp's other half
  EXPECT_THAT(findings(), HasSubstr("in shared memory"));
  run(source("t ^ 32"), "share", {{1}, {64}});  // of the other warp
  EXPECT_THAT(findings(), AllOf(HasSubstr("read after write"), HasSubstr("write after read")));
}

TEST_F(HostRaces, AtomicsDoNotRaceAmongThemselvesButWithPlainAccesses) {
  const auto source = [](const std::string& wait) {
    return R"(__global__ void sum(float* data) {
      __shared__ float total;
      if (threadIdx.x == 0) total = 0;
      __syncthreads();
      atomicAdd(&total, data[threadIdx.x]);
      )" + wait +
           R"(
      data[threadIdx.x] = total;
    })";
  };
  run(source("__syncthreads();"), "sum", {{1}, {64}});
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(data_[3], 64 * 63 / 2);
  run(source(""), "sum", {{1}, {64}});
  EXPECT_THAT(findings(), HasSubstr("updated atomically"));
}

TEST_F(HostRaces, AllMayWriteTheSameValue) {
  const auto source = [](const std::string& value) {
    return R"(__global__ void flag(float* data) {
      __shared__ float any;
      any = 0;
      __syncthreads();
      if (data[threadIdx.x] > 5) any = )" +
           value + R"(;
      __syncthreads();
      data[threadIdx.x] = any;
    })";
  };
  run(source("1"), "flag", {{1}, {64}});
  EXPECT_THAT(findings(), IsEmpty());
  run(source("threadIdx.x"), "flag", {{1}, {64}});
  EXPECT_THAT(findings(), HasSubstr("write after write"));
}

TEST_F(HostRaces, ABarrierOfTheKernelsOwnOrdersWhatItSaysThatItOrders) {
  const auto source = [](const std::string& release, const std::string& acquire) {
    return R"(
    __device__ WARPTUNE_UNTRACKED bool is_set(int* flag) { return *flag != 0; }
    __device__ WARPTUNE_UNTRACKED void set(int* flag, int value) { *flag = value; }
    __global__ void hand_over(float* data) {
      __shared__ float s;
      __shared__ int flag;
      if (threadIdx.x == 0) set(&flag, 0);
      __syncthreads();
      if (threadIdx.x == 0) {
        s = data[7];
        )" +
           release + R"(
        set(&flag, 1);
      }
      if (threadIdx.x == 40) {
        while (!is_set(&flag)) __nanosleep(0);
        )" +
           acquire +
           R"(
        data[0] = s;
      }
    })";
  };
  run(source("warptune_host::release(&flag);", "warptune_host::acquire(&flag);"), "hand_over", {{1}, {64}});
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(data_[0], 7);
  run(source("", "warptune_host::acquire(&flag);"), "hand_over", {{1}, {64}});
  EXPECT_THAT(findings(), HasSubstr("read after write"));
}

TEST_F(HostRaces, ConflictsAreOfBytesAndNotOfWords) {
  run(R"(__global__ void bytes(float* data) {
    __shared__ unsigned char s[64];
    s[threadIdx.x] = 1;
    s[threadIdx.x] += 1;
    data[threadIdx.x] = s[threadIdx.x];
  })",
      "bytes", {{1}, {64}});
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(data_[9], 2);
}

// What goes outside is told of before it happens: by how much, of what, and where.
std::string failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const DeviceError& error) {
    return error.code() + ": " + error.what();
  }
  return "no failure";
}

TEST_F(HostRaces, AnArgumentOf16BitNumbersIsNoAccessOutOfBounds) {
  const std::string source = R"(#include <cuda_fp16.h>
struct Four { __half of[4]; };
__global__ void take(Four four) {
  __shared__ float first[32];
  first[threadIdx.x] = __half2float(four.of[0]);
})";
  EXPECT_NO_THROW(run(source, "take", {{1}, {32}}));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(HostRaces, AFailedAssertionAndATrapAreNoAccessOutOfBounds) {
  const std::string source = R"(
__global__ void insist(float* data) { assert(data[0] == 1); }
__global__ void trap(float* data) { if (data[0] == 0) __trap(); }
)";
  EXPECT_THAT(failure_of([&] {
                run(source, "insist", {{1}, {32}});
              }),
              AllOf(HasSubstr("ASSERT"), HasSubstr("assertion failed: data[0] == 1")));
  EXPECT_THAT(failure_of([&] { run(source, "trap", {{1}, {32}}); }), HasSubstr("TRAP"));
}

TEST_F(HostRaces, AnAccessOutOfBoundsEndsTheLaunchWithItsPlace) {
  const std::string source = R"(__global__ void stray(float* data) {
    extern __shared__ float s[];
    s[threadIdx.x] = data[0];
    data[threadIdx.x + 10] = s[0] + 1;
  })";
  EXPECT_THAT(failure_of([&] {
                run(source, "stray", {{1}, {32}, 32 * 4}, 40);
              }),
              AllOf(HasSubstr("OUT_OF_BOUNDS"), HasSubstr("thread (30, 0, 0) of block (0, 0, 0) writes 4 bytes"),
                    HasSubstr("4 bytes past the end of data"), HasSubstr("test/kernel.cu:4")));
  EXPECT_THAT(
      failure_of([&] {
        run(source, "stray", {{1}, {32}, 31 * 4});
      }),
      AllOf(HasSubstr("thread (31, 0, 0)"), HasSubstr("past the end of the shared s"), HasSubstr("test/kernel.cu:3")));
}

class HostHeap : public Tracked {
 protected:
  void run_body(const std::string& body) {
    run("#include <stdlib.h>\n__global__ void k(float* data) {\n" + body + "}\n", "k", {{2}, {32}});
  }
  std::string failure_of(const std::string& body) {
    try {
      run_body(body);
    } catch (const DeviceError& error) {
      return error.what();
    }
    return {};
  }
};

TEST_F(HostHeap, WhatAKernelAllocatesIsItsOwn) {
  run_body(
      "  int* p = new int[4];\n  int* q = (int*)malloc(8);\n  p[3] = 1;\n  q[1] = p[3] + 1;\n"
      "  data[blockIdx.x * 32 + threadIdx.x] = q[1];\n  free(q);\n  delete[] p;\n");
  EXPECT_FLOAT_EQ(data_[63], 2);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(log_->launches.at(0).counts.buffers.at("device heap").stores, 2 * 64);
}

TEST_F(HostHeap, AnAccessBeyondOrAfterItIsFound) {
  EXPECT_THAT(failure_of("  int* p = new int[4];\n  p[5] = 1;\n  data[0] = p[5];\n"),
              HasSubstr("8 bytes past the end of memory that was allocated in a kernel (16 bytes)"));
  EXPECT_THAT(failure_of("  int* p = (int*)malloc(16);\n  free(p);\n  p[1] = 1;\n"), HasSubstr("that was freed"));
}

}  // namespace
}  // namespace warptune::tuner::host
