// The product by warps: floats come from shared memory to registers, are split there, and mma.sync multiplies the
// parts. Nothing but A and B is read, and any device with tensor cores for bfloat16 and TF32 can do it. The parameters
// are described in kernel.cu.
#pragma once

#include "instructions.cuh"
#include "output.cuh"
#include "tiles.cuh"

constexpr int tiles_m = WARP_M / 16;
constexpr int tiles_n = WARP_N / 8;
constexpr int warps_n = TILE_N / WARP_N;
constexpr int words_deep = 2;  // of a row or column, that a lane holds of a fragment

using Sums = float[tiles_m][tiles_n][4];

// Which element along K is which in a fragment does not matter, as long as it is the same for A and B: a lane takes
// elements 2t and 2t + 1 of each eight.
__device__ inline int first_of_word(int word) {
  return of_tf32 ? word : word * 8;
}

// row: this lane's first float of the fragment's first row.
__device__ inline void read_a(LeftOperand (&operands)[parts], const float* row) {
  unsigned words[parts][4];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float* from = row + half * 8 * a_pitch;
#pragma unroll
    for (int deep = 0; deep < words_deep; ++deep) {
      float values[per_word];
      unsigned of_word[parts];
      const Pack<float, 2> pack = *reinterpret_cast<const Pack<float, 2>*>(from + (of_tf32 ? 0 : deep * 8));
#pragma unroll
      for (int i = 0; i < per_word; ++i) values[i] = pack.at[of_tf32 ? deep : i];
      split(values, of_word);
#pragma unroll
      for (int part = 0; part < parts; ++part) words[part][deep * 2 + half] = of_word[part];
    }
  }
#pragma unroll
  for (int part = 0; part < parts; ++part) operands[part] = left_operand(words[part]);
}

// column: this lane's first float of its column.
__device__ inline void read_b(RightOperand (&operands)[parts], const float* column) {
  unsigned words[parts][2];
#pragma unroll
  for (int deep = 0; deep < words_deep; ++deep) {
    float values[per_word];
    unsigned of_word[parts];
#pragma unroll
    for (int i = 0; i < per_word; ++i) values[i] = column[(first_of_word(deep) + i) * b_pitch];
    split(values, of_word);
#pragma unroll
    for (int part = 0; part < parts; ++part) words[part][deep] = of_word[part];
  }
#pragma unroll
  for (int part = 0; part < parts; ++part) operands[part] = right_operand(words[part]);
}

// One step along K. The tensor core adds up a step's products and no more; their sum is rounded to nearest when it is
// added to the others (Ootomo & Yokota).
__device__ inline void multiply_step(Sums& sums, const float* a, const float* b) {
  LeftOperand left[tiles_m][parts];
#pragma unroll
  for (int i = 0; i < tiles_m; ++i) read_a(left[i], a + i * 16 * a_pitch);
#pragma unroll
  for (int j = 0; j < tiles_n; ++j) {
    RightOperand right[parts];
    read_b(right, b + j * 8);
    float step[tiles_m][4] = {};
#pragma unroll
    for (int product = 0; product < products; ++product) {
#pragma unroll
      for (int i = 0; i < tiles_m; ++i) multiply_add(step[i], left[i][left_part(product)], right[right_part(product)]);
    }
#pragma unroll
    for (int i = 0; i < tiles_m; ++i) {
#pragma unroll
      for (int s = 0; s < 4; ++s) sums[i][j][s] += step[i][s];
    }
  }
}

__device__ inline void multiply_share(Sums& sums, Ring& ring, Place warp, int pairs) {
  const int lane = lane_of_thread();
  const int of_a = (warp.row + lane / 4) * a_pitch + lane % 4 * 2;
  const int of_b = lane % 4 * 2 * b_pitch + warp.column + lane / 4;
  constexpr int unroll = UNROLL;
  ring.start();
  for (int pair = 0; pair < pairs; ++pair) {
    ring.send();
#pragma unroll unroll
    for (int k = 0; k < TILE_K; k += step_k) {
      multiply_step(sums, ring.a_tile() + of_a + k, ring.b_tile() + of_b + k * b_pitch);
    }
    ring.turn();
  }
}

// at: the warp's first element of C.
__device__ inline void write_tile(const Result& to, const Sums& sums, Place at, int share) {
  const int row = at.row + lane_of_thread() / 4;
  const int column = at.column + lane_of_thread() % 4 * 2;
#pragma unroll
  for (int i = 0; i < 2 * tiles_m; ++i) {
#pragma unroll
    for (int j = 0; j < tiles_n; ++j) {
      write_pair(to, &sums[i / 2][j][i % 2 * 2], row + i * 8, column + j * 8, share);
    }
  }
}

// a: m x k, b: k x n, c: m x n; row-major, aligned to 16 bytes. A block for each share of a tile of C, in a
// one-dimensional grid; dynamic shared memory for STAGES pairs of tiles.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    gemm_emulated_mma(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                      float* __restrict__ workspace, int m, int n, int k, float alpha, float beta) {
  extern __shared__ float4 shared_storage[];
  const Share share = Problem{m, n, k}.share(static_cast<int>(blockIdx.x));
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const Place in_block{warp / warps_n * WARP_M, warp % warps_n * WARP_N};
  const int first = share.first * TILE_K;
  const int pairs = share.end - share.first;
  Ring ring{reinterpret_cast<float*>(shared_storage), source_of<SourceOfA>(a, m, k, {share.at.row, first}),
            source_of<SourceOfB>(b, k, n, {first, share.at.column}), pairs};
  Sums sums = {};
  multiply_share(sums, ring, in_block, pairs);
  write_tile({c, workspace, m, n, alpha, beta}, sums, {share.at.row + in_block.row, share.at.column + in_block.column},
             share.number);
}
