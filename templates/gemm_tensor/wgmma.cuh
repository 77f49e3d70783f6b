// The product by warpgroups, which multiply out of shared memory (compute capability 9.0). One more warpgroup, of which
// one thread does all the work, sends boxes of A and B through a ring of stages; each stage has a barrier that says
// that it is full and one that says that it is free. The parameters are described in kernel.cu.
//
// Sources: the PTX ISA manual; Thakkar et al., "CUTLASS" 3 (warp-specialised kernels, "pingpong" and "cooperative");
// Bikshandi & Shah, "Developing CUDA Kernels for GEMM on NVIDIA Hopper" (Colfax Research, 2023).
#pragma once

#if FUSED && !FLOATS
#include "group_fused.cuh"
#else
#include "group_output.cuh"
#endif
#include "last_wave.cuh"

// Alternate: every other tile of a block is summed up from K's end, where the L2 cache still has what it read last.
enum class KOrder { forward, alternate };

constexpr KOrder k_order = KOrder::K_ORDER;

// What a tile's sums become: C, or the variant's D.
#if FUSED
using Written = Fused;
#else
using Written = Result;
#endif

// Where the part of a tile begins that a warpgroup computes: its own tile, or some rows of a tile that warpgroups
// share; of floats, whose transposed product is computed, some columns.
__device__ inline Place first_of_group() {
  const int before = taking_turns ? 0 : group_of_thread();
#if FLOATS
  return {0, before * group_columns};
#else
  return {before * group_rows, 0};
#endif
}

// Has the L2 cache fetch a tile that the sums will be added to, some rows with each pair of tiles, so that who adds
// need not wait for the memory.
__device__ inline void fetch_rows(const Written& to, Place at, int pair, int pairs) {
  const int rows = (TILE_M - 1) / pairs + 1;
  const int bytes = static_cast<int>(sizeof(*to.rows())) * min_of(TILE_N, to.n - at.column);
  const int end = min_of((pair + 1) * rows, min_of(TILE_M, to.m - at.row));
  for (int row = at.row + pair * rows; row < at.row + end; ++row)
    fetch_to_l2(to.rows() + static_cast<long long>(row) * to.n + at.column, bytes);
}

// The thread that copies.
struct Sender {
  const TensorMap& a;
  const TensorMap& b;
  const Written& to;
  const Tiles& tiles;
  const Stages& stages;
  Turn turn{};
  bool backwards = false;

  __device__ void send_pair(Place at, int k) {
    const Window full = stages.full(turn.stage);
    wait_for_phase(stages.free(turn.stage), turn.parity ^ 1);
    arrive_and_announce(full, stage_pair_bytes);
    copy_box(stages.a(turn.stage), a, k, at.row, full);
#pragma unroll
    for (int box = rank_in_cluster(); box < b_parts; box += CLUSTER_SIZE) {
      copy_box_to_all(stages.b(turn.stage) + static_cast<unsigned>(box * b_part_bytes), b,
                      at.column + box * (TILE_N / b_parts), k, full);
    }
    turn.advance();
  }
  __device__ void send(const Part& part) {
    const Place at = tile_of_block(part.tile, tiles.m, tiles.n);
    for (int i = 0; i < part.count; ++i) {
      send_pair(at, (part.first + (backwards ? part.count - 1 - i : i)) * TILE_K);
      if (PREFETCH_C && to.reads_rows()) fetch_rows(to, at, i, part.count);
    }
    backwards = k_order == KOrder::alternate && !backwards;
  }
};

// A warpgroup that multiplies.
struct Multiplier {
  const Written& to;
  float* workspace;
  const Tiles& tiles;
  const Stages& stages;
  Place first = first_of_group();
  Turn turn{};
  unsigned parity = group_of_thread() == 0 ? 1u : 0u;  // the first need not wait

  __device__ Place begin(int tile) {
    const Place at = tile_of_block(tile, tiles.m, tiles.n);
    if (waits_for_go()) wait_for_phase(stages.go(group_of_thread()), parity);
    parity ^= 1;
    return {at.row + first.row, at.column + first.column};
  }
  __device__ void compute_tile(int tile) {
    const Place mine = begin(tile);
    GroupSums sums;
    ReadAhead ahead;
    multiply_tile(sums, stages, turn, tiles.pairs(), max_of(first.row, first.column), [&] { ahead.read(to, mine); });
    if constexpr (taking_turns) turn.skip((CONSUMERS - 1) * tiles.pairs());
    write_tile(to, sums, mine, ahead, stages.go(CONSUMERS));
  }
  // A tile that blocks share: who has its end writes it. What is read of C comes late, for want of registers.
  __device__ void compute_part(const Shares& shares, const Part& part) {
    const Place mine = begin(part.tile);
    GroupSums sums;
    multiply_tile(sums, stages, turn, part.count, max_of(first.row, first.column), [] {});
    if (!shares.ends(part)) return leave_sums(sums, workspace);
    add_parts(sums, workspace, shares, part);
    ReadAhead ahead;
    ahead.read(to, mine);
    write_tile(to, sums, mine, ahead, stages.go(CONSUMERS));
  }
};

__device__ inline void send_all(Sender sender) {
  const Tiles& tiles = sender.tiles;
  const int whole = whole_tiles(tiles);
  for (int tile = cluster_of_block(); tile < whole; tile += clusters()) sender.send({tile, 0, tiles.pairs()});
  if constexpr (splitting)
    Shares(tiles).for_each_part(cluster_of_block(), [&](const Part& part) { sender.send(part); });
}

// The code for whole tiles is apart from that for parts, which took 2 % of the speed when both were one.
__device__ inline void multiply_all(Multiplier multiplier) {
  const Tiles& tiles = multiplier.tiles;
  const int whole = whole_tiles(tiles);
  const int group = taking_turns ? group_of_thread() : 0;
  if constexpr (taking_turns) multiplier.turn.skip(group * tiles.pairs());
  for (int tile = cluster_of_block() + group * clusters(); tile < (splitting ? whole : tiles.count());
       tile += (taking_turns ? CONSUMERS : 1) * clusters())
    multiplier.compute_tile(tile);
  if constexpr (splitting) {
    const Shares shares(tiles);
    shares.for_each_part(anew(cluster_of_block()), [&](const Part& part) { multiplier.compute_part(shares, part); });
  }
  if constexpr (FUSED && output == Output::shared) wait_until_read();
}

// The first warpgroup gives registers to those that multiply, as far as 64 K last for three warpgroups.
__device__ inline void copy_or_multiply(const TensorMap& a, const TensorMap& b, const Written& to, float* workspace,
                                        const Tiles& tiles, unsigned char* shared) {
  const Stages stages{window_of(shared)};
  if (threadIdx.x == 0) stages.make();
  meet_cluster();
  if (threadIdx.x < warpgroup) {
    if constexpr (CONSUMERS > 1) give_registers<40>();
    if (threadIdx.x > 0) return;
    fetch_map(a);
    fetch_map(b);
    send_all({a, b, to, tiles, stages});
  } else {
    if constexpr (CONSUMERS > 1) take_registers<232>();
    multiply_all({to, workspace, tiles, stages});
  }
  leave_cluster();
}

// a: m x k in boxes of TILE_M x 64, b: k x n in boxes of 64 x 64, both swizzled by 128 bytes; of floats, a in boxes of
// TILE_M x 32, b in boxes of 32 x 16, which are swizzled by 64 bytes; n a multiple of eight.
// Any one-dimensional grid; dynamic shared memory for STAGES pairs of tiles and two barriers each,
// two more barriers, and the strips of D if they go through shared memory. workspace: for LAST_WAVE split a tile of
// floats for each block, aligned to 16 bytes; else nobody reads it.
#if FUSED
// d: m x n, or m x (n / 2) of swiglu, row-major; vector and residual: what the fusion names, else anything.
extern "C" __global__ void CLUSTER_OF_BLOCKS __launch_bounds__(warpgroup*(1 + CONSUMERS), 1)
    gemm_tensor_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, Element* __restrict__ d,
                      const float* __restrict__ vector, const Element* __restrict__ residual, int m, int n, int k,
                      float alpha, float* workspace) {
  extern __shared__ __align__(1024) unsigned char tiles_and_barriers[];
  copy_or_multiply(a, b, {d, vector, residual, m, n, alpha}, workspace, {m, n, k}, tiles_and_barriers);
}
#else
// c: m x n, row-major.
extern "C" __global__ void CLUSTER_OF_BLOCKS __launch_bounds__(warpgroup*(1 + CONSUMERS), 1)
    gemm_tensor_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* __restrict__ c,
                      int m, int n, int k, float alpha, float beta, float* workspace) {
  extern __shared__ __align__(1024) unsigned char tiles_and_barriers[];
  copy_or_multiply(a, b, {c, m, n, alpha, beta}, workspace, {m, n, k}, tiles_and_barriers);
}
#endif
