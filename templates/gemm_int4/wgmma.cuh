// The product by warpgroups (compute capability 9.0), transposed as that by warps: the left operand are weights, which
// a warpgroup dequantises into its registers while the tensor core multiplies those of the tile before; the right one
// is A's tile in shared memory. One more warpgroup, of which one thread does all the work, sends boxes of A and of the
// weights through a ring of stages; each has a barrier that says that it is full and one that says that it is free. The
// parameters are described in kernel.cu.
//
// A lane needs the weights 2t and 2t + 1 of eight: a byte of every word of its two columns.
//
// Sources: the PTX ISA manual; Thakkar et al., "CUTLASS" 3 (mixed-input kernels with warp specialisation); Neural
// Magic, "Machete" (2024), for weights as the left operand.
#pragma once

#include "dequantise.cuh"
#include "hopper.cuh"
#include "output.cuh"

constexpr int warpgroup = 128;                     // threads
constexpr int line = 64;                           // elements in 128 bytes, the swizzle's span
constexpr int group_columns = TILE_N / CONSUMERS;  // of a tile of D that a warpgroup computes
constexpr int pieces = group_columns / 64;         // multiplications beside each other
constexpr int steps_k = line / 16;
constexpr int a_bytes = TILE_M * 128;
constexpr int weights_bytes = line / word_k * TILE_N * 4;
constexpr int stage_bytes = a_bytes + weights_bytes;
constexpr int tile_groups = max_of(1, line / group_k);

static_assert(TILE_K == line, "a line of A is a swizzle's span");
static_assert(group_columns % 64 == 0, "a warpgroup multiplies 64 columns at once");

using GroupSums = float[pieces][TILE_M / 2];
using Turn = RingPlace<STAGES>;

struct Stages {
  Window start;

  __device__ Window a(int stage) const { return start + static_cast<unsigned>(stage * stage_bytes); }
  __device__ Window weights(int stage) const { return a(stage) + a_bytes; }
  __device__ Window full(int stage) const {
    return start + static_cast<unsigned>(STAGES * stage_bytes + 2 * stage * barrier_bytes);
  }
  __device__ Window free(int stage) const { return full(stage) + barrier_bytes; }

  // Who multiplies a stage frees it, warp by warp.
  __device__ void make() const {
    for (int i = 0; i < STAGES; ++i) {
      make_barrier(full(i), 1);
      make_barrier(free(i), warpgroup / 32 * CONSUMERS);
    }
    publish_barriers();
  }
  __device__ void leave(int stage) const {
    if (lane_of_thread() == 0) arrive(free(stage));
  }
};

// What a block does at a time: a tile of D, and which elements along K, from a multiple of TILE_K on.
struct Share {
  Place at;
  int part;
  int first;
  int end;
};

// Every gridDim.x-th share is a block's.
template <class Take>
__device__ inline void for_all_shares(int m, int n, int k, const Take& take) {
  const Tiles tiles = tiles_of(m, n);
  const long long steps = (k - 1) / TILE_K + 1;
  for (int i = static_cast<int>(blockIdx.x); i < tiles.count() * SPLIT_K; i += static_cast<int>(gridDim.x)) {
    const int part = i / tiles.count();
    const auto begin_of = [&](int of) { return static_cast<int>(of * steps / SPLIT_K) * TILE_K; };
    take(Share{tiles.place(i % tiles.count()), part, begin_of(part), min_of(begin_of(part + 1), k)});
  }
}

__device__ inline void send_all(const TensorMap& a, const TensorMap& weights, const Stages& stages, int m, int n,
                                int k) {
  Turn turn;
  for_all_shares(m, n, k, [&](const Share& share) {
    for (int first = share.first; first < share.end; first += TILE_K) {
      const Window full = stages.full(turn.stage);
      wait_for_phase(stages.free(turn.stage), turn.parity ^ 1);
      arrive_and_announce(full, stage_bytes);
      copy_box(stages.a(turn.stage), a, first, share.at.row, full);
      copy_box(stages.weights(turn.stage), weights, share.at.column, first / word_k, full);
      turn.advance();
    }
  });
}

// Of a lane's two columns in each piece: scales and zero points, as they lie in memory.
struct Shared {
  unsigned scales[tile_groups][pieces];
  unsigned zeros[tile_groups][pieces];

  // Of the tile that begins at k. They are read a tile ahead, or everybody would wait for them.
  __device__ void read(const Operands& from, int column, int k) {
#pragma unroll
    for (int i = 0; i < tile_groups * pieces; ++i) {
      const long long group = k / group_k + i / pieces;
      const int of = column + i % pieces * 64;
      scales[i / pieces][i % pieces] = zeros[i / pieces][i % pieces] = 0;
      if (k + i / pieces * group_k >= from.k || of >= from.n) continue;
      scales[i / pieces][i % pieces] = __ldg(reinterpret_cast<const unsigned*>(from.scales + group * from.n + of));
      if constexpr (zero_points == ZeroPoints::groups) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(from.zeros + group * (from.n / 8));
        zeros[i / pieces][i % pieces] = __ldg(bytes + of / 2);
      }
    }
  }
  __device__ Group group(int tile_group, int piece, int column) const {
    const unsigned zero = zeros[tile_group][piece] >> 4 * column & 15u;
    return group_of(zero_points == ZeroPoints::groups ? zero : middle,
                    scales[tile_group][piece] >> 16 * column & 0xffffu);
  }
};

// The left operands of a tile.
using Fragments = unsigned[pieces * steps_k][4];

// Numbers that scales have yet to multiply. column: the lane's first in the tile.
__device__ inline void read_tile(Fragments& fragments, Window weights, int column, const Shared& shared) {
  const unsigned t = threadIdx.x % 4;
  const unsigned selector = t | (t + 4) << 8;  // a byte, and the same of the word shifted by four bits
  const unsigned char* from = pointer_to(weights) + column * 4;
#pragma unroll
  for (int i = 0; i < pieces * steps_k; ++i) {
    const int step = i / pieces, piece = i % pieces;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto words =
          *reinterpret_cast<const Pack<unsigned, 2>*>(from + ((2 * step + half) * TILE_N + piece * 64) * 4);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const unsigned bits = chosen_bytes(words.at[j], words.at[j] >> 4, selector);
        fragments[i][2 * half + j] = pair_of(bits, shared.group(step * 16 / group_k % tile_groups, piece, j));
      }
    }
  }
}

__device__ inline void scale_tile(Fragments& fragments, const Fragments& numbers, const Shared& shared) {
#pragma unroll
  for (int i = 0; i < pieces * steps_k * 4; ++i) {
    const int step = i / 4 / pieces, piece = i / 4 % pieces;
    fragments[i / 4][i % 4] =
        scaled(numbers[i / 4][i % 4], shared.group(step * 16 / group_k % tile_groups, piece, i % 2));
  }
}

__device__ inline void multiply_tile(Pending& pending, GroupSums& sums, Fragments& fragments, Window a, bool add) {
  settle(fragments);
  pending.fence();
#pragma unroll
  for (int i = 0; i < pieces * steps_k; ++i) {
    const int step = i / pieces;
    multiply(pending, sums[i % pieces], fragments[i], descriptor(a + static_cast<unsigned>(step * 32)),
             add || step > 0);
  }
  pending.commit();
}

// A warpgroup's part of a tile of D.
struct Consumer {
  const Operands& from;
  const Stages& stages;
  Turn turn;
  Pending pending;
  Shared next;

  __device__ static int group() { return static_cast<int>(threadIdx.x) / warpgroup - 1; }
  // A lane's first column within the tile; its second is the next.
  __device__ static int column() {
    return group() * group_columns + static_cast<int>(threadIdx.x) % warpgroup / 32 * 16 + lane_of_thread() / 4 * 2;
  }

  // The numbers of the tile at k, which has arrived.
  __device__ void read_tile_at(Fragments& numbers, Shared& shared, int k, int first_column) {
    shared = next;
    next.read(from, first_column + column(), k + TILE_K);
    wait_for_phase(stages.full(turn.stage), turn.parity);
    read_tile(numbers, stages.weights(turn.stage), column(), shared);
  }

  // Each tile's weights become numbers while the tile before is multiplied. Multiplications read registers until they
  // are waited for, which the assembler sees to if that is in the same turn of the loop; what it takes for copies of
  // such registers it leaves out. So there is work left, the scales' multiplication, from one to the other.
  __device__ void multiply_all(GroupSums& sums, const Share& share) {
    const int first_column = share.at.column;
    Fragments fragments, numbers;
    Shared shared;
    next.read(from, first_column + column(), share.first);
    read_tile_at(numbers, shared, share.first, first_column);
    scale_tile(fragments, numbers, shared);
#pragma unroll 1
    for (int k = share.first + TILE_K; k < share.end; k += TILE_K) {
      const int stage = turn.stage;
      multiply_tile(pending, sums, fragments, stages.a(stage), k > share.first + TILE_K);
      turn.advance();
      read_tile_at(numbers, shared, k, first_column);
      settle(numbers);
      pending.template wait<0>();
      settle(fragments);
      stages.leave(stage);
      scale_tile(fragments, numbers, shared);
    }
    multiply_tile(pending, sums, fragments, stages.a(turn.stage), share.end > share.first + TILE_K);
    pending.template wait<0>();
    stages.leave(turn.stage);
    turn.advance();
#pragma unroll
    for (int piece = 0; piece < pieces; ++piece) settle(sums[piece]);
  }
};

// A lane writes two neighbours of each row.
__device__ inline void write_sums(const Result& to, const GroupSums& sums, Place at, int part) {
#pragma unroll
  for (int i = 0; i < pieces * TILE_M / 4; ++i) {
    const int piece = i / (TILE_M / 4), number = i % (TILE_M / 4);
    const int row = at.row + number / 2 * 8 + lane_of_thread() % 4 * 2 + number % 2;
    const int column = at.column + piece * 64;
    const float* sum = sums[piece] + number / 2 * 4 + number % 2;
    if (row >= to.m || column >= to.n) continue;
    const long long place = static_cast<long long>(row) * to.n + column;
    if constexpr (SPLIT_K > 1) {
      float* parts = to.parts + static_cast<long long>(part) * to.m * to.n;
      *reinterpret_cast<Pack<float, 2>*>(parts + place) = {{sum[0], sum[2]}};
    } else {
      *reinterpret_cast<unsigned*>(to.d + place) = rounded_pair<format>(sum[0], sum[2]);
    }
  }
}

// a: m x k in boxes of TILE_M x 64, swizzled by 128 bytes; weights: in boxes of 8 x TILE_N words; n and k are multiples
// of eight. Any one-dimensional grid; dynamic shared memory for STAGES stages and two barriers each. The first
// warpgroup gives registers to those that multiply, as far as 64 K last for three warpgroups.
extern "C" __global__ void __launch_bounds__(warpgroup*(1 + CONSUMERS), 1)
    gemm_int4_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap weights,
                    const Element* __restrict__ scales, const unsigned* __restrict__ zeros, Element* __restrict__ d,
                    float* parts, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char tiles_and_barriers[];
  const Stages stages{window_of(tiles_and_barriers)};
  if (threadIdx.x == 0) stages.make();
  __syncthreads();
  if (threadIdx.x < warpgroup) {
    if constexpr (CONSUMERS > 1) give_registers<40>();
    if (threadIdx.x > 0) return;
    fetch_map(a);
    fetch_map(weights);
    send_all(a, weights, stages, m, n, k);
  } else {
    if constexpr (CONSUMERS > 1) take_registers<232>();
    const Operands from{nullptr, nullptr, scales, zeros, m, n, k};
    Consumer consumer{from, stages};
    for_all_shares(m, n, k, [&](const Share& share) {
      GroupSums sums;
      consumer.multiply_all(sums, share);
      if (OVERLAP) let_next_launch_begin();
      write_sums({d, parts, nullptr, m, n}, sums, {share.at.row, share.at.column + Consumer::column()}, share.part);
    });
  }
}
