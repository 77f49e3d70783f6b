// The products by warpgroups (compute capability 9.0), as gemm_tensor's wgmma.cuh has one. The parameters are described
// in kernel.cu.
#pragma once

#include "hand_over.cuh"

// What the kernel is called with.
struct Problem {
  Element* d;
  Experts experts;
  unsigned* tickets;
  int k;

  __device__ int pairs() const { return (k - 1) / TILE_K + 1; }
};

// B is a box of an expert's own matrix: what lies outside are zeros.
__device__ inline void send_tile(const TensorMap& a, const TensorMap& b, const ExpertTile& tile, const Stages& stages,
                                 Turn& turn, int pairs) {
  for (int pair = 0; pair < pairs; ++pair) {
    const Window full = stages.full(turn.stage);
    wait_for_phase(stages.free(turn.stage), turn.parity ^ 1);
    arrive_and_announce(full, stage_pair_bytes);
    copy_box(stages.a(turn.stage), a, pair * TILE_K, tile.at.row, full);
#pragma unroll
    for (int part = 0; part < b_parts; ++part) {
      copy_box(stages.b(turn.stage) + static_cast<unsigned>(part * b_part_bytes), b, tile.at.column + part * line,
               pair * TILE_K, tile.expert, full);
    }
    turn.advance();
  }
}

__device__ inline void send_all(const TensorMap& a, const TensorMap& b, const Problem& problem, const Stages& stages,
                                const HandOver& hands, int* starts) {
  Search search(problem.experts, starts);
  ExpertTile tile;
  Turn turn;
  Hand hand;
  int number = static_cast<int>(blockIdx.x);
  while (search.find(number, tile)) {
    hands.give(hand, tile);
    send_tile(a, b, tile, stages, turn, problem.pairs());
    if constexpr (!persistent) break;
    number = number_after(number, problem.tickets);
  }
  hands.give_end(hand);
  leave_tickets(number, search.count(), problem.tickets);
}

// A warpgroup of which no row belongs to the expert leaves the tensor cores to the other one.
__device__ inline void pass_over(const Stages& stages, Turn& turn, int pairs) {
  for (int pair = 0; pair < pairs; ++pair) {
    wait_for_phase(stages.full(turn.stage), turn.parity);
    __syncwarp();
    free_as_warp(stages.free(turn.stage));
    turn.advance();
  }
}

__device__ inline void multiply_all(const Problem& problem, const Stages& stages, const HandOver& hands) {
  const int group = group_of_thread();
  const int pairs = problem.pairs();
  const int first_row = taking_turns ? 0 : group * group_rows;
  Turn turn;
  Hand hand;
  unsigned parity = group == 0 ? 1 : 0;  // the first need not wait
  if constexpr (taking_turns) turn.skip(group * pairs), hand.skip(group);
  for (ExpertTile tile = hands.take(hand); tile.expert >= 0; tile = hands.take(hand)) {
    if (tile.at.row + first_row >= tile.end) {
      pass_over(stages, turn, pairs);
      continue;
    }
    if constexpr (taking_turns) wait_for_phase(stages.go(group), parity);
    parity ^= 1;
    GroupSums sums;
    multiply_tile(sums, stages, turn, pairs, first_row);
    if constexpr (taking_turns) turn.skip((CONSUMERS - 1) * pairs);
    const Fused to{problem.d, nullptr, nullptr, tile.end, problem.experts.n, 1.0f};
    write_tile(to, sums, {tile.at.row + first_row, tile.at.column});
  }
}

// a: tokens x k in boxes of TILE_M x 64, b: experts x k x n in boxes of 64 x 64, both swizzled by 128 bytes; d: tokens
// x n, row-major, n a multiple of eight; offsets: experts + 1, from 0 to tokens. The grid as for warps; dynamic shared
// memory for STAGES pairs of tiles with two barriers each, CONSUMERS barriers, tiles that are handed over and, behind
// them, experts + 1 numbers if prefix sums are searched. tickets: 0, and 0 afterwards. The first warpgroup gives
// registers to those that multiply, as far as 64 K last for three warpgroups.
extern "C" __global__ void __launch_bounds__(warpgroup*(1 + CONSUMERS), 1)
    gemm_grouped_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
                       Element* __restrict__ d, const int* __restrict__ offsets, unsigned* __restrict__ tickets,
                       int experts, int n, int k) {
  extern __shared__ __align__(1024) unsigned char tiles_and_barriers[];
  const Stages stages{window_of(tiles_and_barriers)};
  const HandOver hands{stages.go(CONSUMERS)};
  const Problem problem{d, {offsets, experts, n}, tickets, k};
  if (threadIdx.x == 0) hands.make(), stages.make();
  __syncthreads();
  if (threadIdx.x < warpgroup) {
    if constexpr (CONSUMERS > 1) give_registers<40>();
    if (threadIdx.x >= 32) return;
    int* starts = reinterpret_cast<int*>(pointer_to(hands.start) + HandOver::bytes);
    prepare_search(problem.experts, starts);
    if (threadIdx.x > 0) return;
    fetch_map(a);
    fetch_map(b);
    send_all(a, b, problem, stages, hands, starts);
  } else {
    if constexpr (CONSUMERS > 1) take_registers<232>();
    multiply_all(problem, stages, hands);
  }
}
