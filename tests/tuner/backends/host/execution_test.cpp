// The execution model: indices, barriers, shared memory of all kinds.
#include "tests/tuner/backends/host/host_fixture.h"

namespace warptune::host {
namespace {

TEST(HostExecution, ReversesABlockThroughStaticSharedMemory) {
  auto module = build(request(R"(
    __global__ void reverse(float* data) {
      __shared__ float tile[64];
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      tile[threadIdx.x] = data[i];
      __syncthreads();
      data[i] = tile[blockDim.x - 1 - threadIdx.x];
    }
    template <typename T, int N> __global__ void sum(const T* in, T* out, T scale) {
      extern __shared__ T partial[];
      partial[threadIdx.x] = in[blockIdx.x * N + threadIdx.x];
      for (int s = N / 2; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
      }
      T v = in[blockIdx.x * N + threadIdx.x];
      for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
      if (threadIdx.x == 0) { atomicAdd(out, scale * partial[0]); }
      if (threadIdx.x % 32 == 0) atomicAdd(out + 1, v);
    }
  )",
                              {"reverse", "sum<float, 128>"}));
  std::vector<float> values(64 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  Buffer<float> data(values);
  launch(*module, "reverse", {{3}, {64}}, data.get());
  const auto reversed = data.read();
  EXPECT_EQ(reversed[0], 63);
  EXPECT_EQ(reversed[191], 128);

  Buffer<float> ones(std::vector<float>(128 * 50, 1.0f)), out(2);
  const float* in = ones.get();
  launch(*module, "sum<float, 128>", {{50}, {128}, 128 * 4}, in, out.get(), 2.0f);
  EXPECT_EQ(out.read(), (std::vector<float>{128 * 50 * 2, 128 * 50}));
  EXPECT_EQ(module->kernel("reverse").resources({{1}, {64}}).static_shared_bytes, 256);
}

}  // namespace
}  // namespace warptune::host
