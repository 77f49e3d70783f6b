// The sums' way to C: at once, or, where several blocks share K, by way of the workspace and a second launch. The
// parameters are described in kernel.cu.
#pragma once

#include <warptune/device/vectors.cuh>

#include "places.cuh"

using warptune::device::Pack;

// Where a share's sums go. C is not read where beta is zero, as in BLAS: it may hold NaNs then.
struct Result {
  float* c;
  float* workspace;  // SPLIT_K matrices as large as C
  int m;
  int n;
  float alpha;
  float beta;
};

template <int Width>
__device__ inline void write_run(const Result& to, const float* sums, long long index, int share) {
  if constexpr (SPLIT_K > 1) {
    Pack<float, Width> pack;
    for (int i = 0; i < Width; ++i) pack.at[i] = sums[i];
    *reinterpret_cast<Pack<float, Width>*>(to.workspace + share * (static_cast<long long>(to.m) * to.n) + index) = pack;
  } else {
    Pack<float, Width> pack{};
    if (to.beta != 0.0f) pack = *reinterpret_cast<const Pack<float, Width>*>(to.c + index);
    for (int i = 0; i < Width; ++i) pack.at[i] = to.alpha * sums[i] + (to.beta != 0.0f ? to.beta * pack.at[i] : 0.0f);
    *reinterpret_cast<Pack<float, Width>*>(to.c + index) = pack;
  }
}

// Two neighbours, of an even column on.
__device__ inline void write_pair(const Result& to, const float* sums, int row, int column, int share) {
  if (row >= to.m) return;
  const long long index = static_cast<long long>(row) * to.n + column;
  if constexpr (C_ALIGNED == 2) {
    if (column < to.n) write_run<2>(to, sums, index, share);
  } else {
    if (column < to.n) write_run<1>(to, sums, index, share);
    if (column + 1 < to.n) write_run<1>(to, sums + 1, index + 1, share);
  }
}

// The shares of each element, in their order. Any grid.
#if SPLIT_K > 1
extern "C" __global__ void __launch_bounds__(256)
    add_shares(const float* __restrict__ workspace, float* __restrict__ c, int m, int n, float alpha, float beta) {
  const long long count = static_cast<long long>(m) * n;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    float sum = 0.0f;
#pragma unroll 8
    for (int share = 0; share < SPLIT_K; ++share) sum += workspace[share * count + i];
    c[i] = alpha * sum + (beta != 0.0f ? beta * c[i] : 0.0f);
  }
}
#endif
