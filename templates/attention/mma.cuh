// Attention by warps, each with WARP_M queries of the block's tile, as FlashAttention-2 does it. Tiles of K and V come
// to shared memory by asynchronous copies, fragments of them by ldmatrix to the registers from which tensor cores
// multiply (mma.sync). The parameters are described in kernel.cu.
//
// Sources: Dao, "FlashAttention-2" (2023): queries are split among warps, and keys are not; the PTX ISA manual,
// "cp.async" and "ldmatrix".
#pragma once

#include <warptune/device/async_copy.cuh>

#include "scores.cuh"

using warptune::device::commit_copies;
using warptune::device::copy_async_or_zero;
using warptune::device::left_operand;
using warptune::device::LeftOperand;
using warptune::device::load_matrices;
using warptune::device::multiply_add;
using warptune::device::right_operand;
using warptune::device::RightOperand;
using warptune::device::wait_for_copies;

enum class QMemory { registers, shared };

constexpr QMemory q_memory = QMemory::Q_MEMORY;
constexpr int warps = TILE_M / WARP_M;
constexpr int threads = 32 * warps;
constexpr int strips = WARP_M / 16;  // of a warp: the 16 queries of a fragment
constexpr int row_bytes = head_dim * 2;
constexpr int chunks = row_bytes / 16;  // of a row; ldmatrix reads one of each of eight rows at once
constexpr int head_steps = head_dim / 16;
constexpr int q_bytes = TILE_M * row_bytes;
constexpr int stage_bytes = TILE_N * row_bytes;

// Eight rows below each other keep the same chunk in different banks.
__device__ inline int place_of(int row, int chunk) {
  return row * row_bytes + (chunk ^ row % 8) * 16;
}

// Starts to copy `Rows` rows to a tile in shared memory, from `first` on; zeros for those behind the last.
template <int Rows>
__device__ inline void copy_tile(unsigned char* tile, const Element* matrix, int first, int last) {
#pragma unroll
  for (int i = 0; i < (Rows * chunks - 1) / threads + 1; ++i) {
    const int index = i * threads + static_cast<int>(threadIdx.x);
    const int row = index / chunks;
    if (Rows * chunks % threads != 0 && row >= Rows) return;
    const Element* source = matrix + static_cast<long long>(first + row) * head_dim + index % chunks * 8;
    copy_async_or_zero<16>(tile + place_of(row, index % chunks), source, first + row < last);
  }
}

// Rings of tiles of K and V. Copies are started in the order K, V, K, V ...; each ring's stage is filled again as soon
// as all warps have multiplied it.
struct Rings {
  unsigned char* start;
  const Element* k;
  const Element* v;
  int keys;
  int steps;

  __device__ unsigned char* k_tile(int i) const { return start + i % STAGES * stage_bytes; }
  __device__ unsigned char* v_tile(int i) const { return start + (STAGES + i % STAGES) * stage_bytes; }
  // The i-th tile is the i-th from the end. A group of copies is closed even behind the last tile.
  __device__ void send(unsigned char* tile, const Element* matrix, int i) const {
    if (i < steps) copy_tile<TILE_N>(tile, matrix, (steps - 1 - i) * TILE_N, keys);
    commit_copies();
  }
  __device__ void send_k(int i) const { send(k_tile(i), k, i); }
  __device__ void send_v(int i) const { send(v_tile(i), v, i); }
  __device__ void start_copies() const {
#pragma unroll
    for (int i = 0; i < STAGES; ++i) {
      send_k(i);
      if (i + 1 < STAGES) send_v(i);
    }
  }
  // Of the i-th tile: whichever is asked for has 2 * STAGES - 2 groups behind it. The barrier shows what has arrived,
  // and that all warps are done with what was multiplied before, whose stage is filled again.
  __device__ const unsigned char* receive_k(int i) const {
    wait_for_copies<2 * STAGES - 2>();
    __syncthreads();
    send_v(i + STAGES - 1);
    return k_tile(i);
  }
  __device__ const unsigned char* receive_v(int i) const {
    wait_for_copies<2 * STAGES - 2>();
    __syncthreads();
    send_k(i + STAGES);
    return v_tile(i);
  }
};

// A warp's queries as left operands: held in registers, or read again for each tile of keys.
struct Queries {
  const unsigned char* tile;
  int row;  // the warp's first
  LeftOperand<format> held[q_memory == QMemory::registers ? strips : 1]
                          [q_memory == QMemory::registers ? head_steps : 1];

  __device__ LeftOperand<format> read(int strip, int step) const {
    unsigned words[4];
    const int lane = lane_of_thread();
    load_matrices<false>(words, tile + place_of(row + 16 * strip + lane % 16, 2 * step + lane / 16));
    return left_operand<format>(words);
  }
  __device__ void hold() {
    if constexpr (q_memory == QMemory::registers) {
#pragma unroll
      for (int i = 0; i < strips * head_steps; ++i)
        held[i / head_steps][i % head_steps] = read(i / head_steps, i % head_steps);
    }
  }
  __device__ LeftOperand<format> at(int strip, int step) const {
    if constexpr (q_memory == QMemory::registers) return held[strip][step];
    return read(strip, step);
  }
};

// scores = Q K^T. Rows of K lie along the depth, as the right operand's columns do.
__device__ inline void multiply_keys(Scores (&scores)[strips], const Queries& queries, const unsigned char* k) {
  const int lane = lane_of_thread();
#pragma unroll
  for (int step = 0; step < head_steps; ++step) {
    LeftOperand<format> q[strips];
#pragma unroll
    for (int strip = 0; strip < strips; ++strip) q[strip] = queries.at(strip, step);
#pragma unroll
    for (int i = 0; i < depth_steps; ++i) {
      unsigned words[4];
      load_matrices<false>(words, k + place_of(16 * i + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const RightOperand<format> right = right_operand<format>(words[2 * j], words[2 * j + 1]);
#pragma unroll
        for (int strip = 0; strip < strips; ++strip)
          multiply_add<format>(scores[strip] + 8 * i + 4 * j, q[strip], right);
      }
    }
  }
}

// outputs += weights V. Rows of V lie along the columns: each matrix is transposed on its way.
__device__ inline void multiply_values(Outputs (&outputs)[strips], const Scores (&weights)[strips],
                                       const unsigned char* v) {
  const int lane = lane_of_thread();
  Exponentials rounded[strips];
#pragma unroll
  for (int strip = 0; strip < strips; ++strip) round_exponentials<format>(rounded[strip], weights[strip]);
#pragma unroll
  for (int step = 0; step < depth_steps; ++step) {
    LeftOperand<format> left[strips];
#pragma unroll
    for (int strip = 0; strip < strips; ++strip) left[strip] = left_operand<format>(rounded[strip][step]);
#pragma unroll
    for (int i = 0; i < head_steps; ++i) {
      unsigned words[4];
      load_matrices<true>(words, v + place_of(16 * step + lane % 16, 2 * i + lane / 16));
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const RightOperand<format> right = right_operand<format>(words[2 * j], words[2 * j + 1]);
#pragma unroll
        for (int strip = 0; strip < strips; ++strip)
          multiply_add<format>(outputs[strip] + 8 * i + 4 * j, left[strip], right);
      }
    }
  }
}

// A warp's queries and what they have come to.
struct Warp {
  const Problem& problem;
  int query;  // of the lane's first row
  bool idle;  // all of its queries lie behind the last
  Rows rows[strips];
  Outputs outputs[strips] = {};

  template <bool Masked>
  __device__ void attend(const Rings& rings, const Queries& queries, int i) {
    Scores scores[strips] = {};
    const unsigned char* k = rings.receive_k(i);
    if (!idle) multiply_keys(scores, queries, k);
#pragma unroll
    for (int strip = 0; strip < strips; ++strip) {
      if constexpr (Masked) mask(scores[strip], problem, query + 16 * strip, (rings.steps - 1 - i) * TILE_N);
      float shrink[2];
      exponentiate(scores[strip], rows[strip], shrink, problem.scale);
      shrink_outputs(outputs[strip], shrink);
    }
    const unsigned char* v = rings.receive_v(i);
    if (!idle) multiply_values(outputs, scores, v);
  }
};

// q, k, v, o: matrices of rows of HEAD_DIM elements, aligned to 16 bytes. A block per tile of queries, in a
// one-dimensional grid; dynamic shared memory for the tile and STAGES tiles of K and V.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    attention_mma(const Element* __restrict__ q, const Element* __restrict__ k, const Element* __restrict__ v,
                  Element* __restrict__ o, int matrices, int heads, int kv_heads, int queries, int keys, float scale) {
  extern __shared__ uint4 shared_storage[];
  unsigned char* shared = reinterpret_cast<unsigned char*>(shared_storage);
  const Problem problem{matrices, heads, kv_heads, queries, keys, scale};
  const Tile tile = Tiles{problem}.at(static_cast<int>(blockIdx.x));
  const int steps = tile.steps(problem);
  const long long of_keys = static_cast<long long>(problem.matrix_of_keys(tile.matrix)) * keys * head_dim;
  const Rings rings{shared + q_bytes, k + of_keys, v + of_keys, keys, steps};
  copy_tile<TILE_M>(shared, q + static_cast<long long>(tile.matrix) * queries * head_dim, tile.row, queries);
  rings.start_copies();
  const int row = static_cast<int>(threadIdx.x) / 32 * WARP_M;
  Warp warp{problem, tile.row + row + lane_of_thread() / 4, tile.row + row >= queries, {}};
  Queries of_warp{shared, row, {}};
  if constexpr (q_memory == QMemory::registers) {
    wait_for_copies<2 * STAGES - 2>();
    __syncthreads();
    of_warp.hold();
  }
  const int masked = min_of(steps, max_of(1, steps - max_of(problem.visible(tile.row), 0) / TILE_N));
#pragma unroll 1
  for (int i = 0; i < masked; ++i) warp.template attend<true>(rings, of_warp, i);
#pragma unroll 1
  for (int i = masked; i < steps; ++i) warp.template attend<false>(rings, of_warp, i);
#pragma unroll
  for (int strip = 0; strip < strips; ++strip)
    write_outputs(warp.outputs[strip], warp.rows[strip], problem, tile.matrix, warp.query + 16 * strip, o);
}
