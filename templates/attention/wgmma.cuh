// Attention by warpgroups (compute capability 9.0), as FlashAttention-3 does it. One warpgroup sends boxes of Q, K and
// V to shared memory; each of the others has 64 queries of the block's tile. Q K^T is multiplied out of shared memory;
// its exponentials are, rounded and still in registers, the left operand of the product with V. While a tile of keys is
// made exponentials, the tensor cores multiply those of the tile before. The parameters are described in kernel.cu.
//
// Sources: Shah et al., "FlashAttention-3" (2024), algorithm 2 and "pingpong scheduling"; the PTX ISA manual; Thakkar
// et al., "CUTLASS" 3 (warp-specialised kernels).
#pragma once

#include "hopper.cuh"
#include "scores.cuh"

enum class Schedule { independent, pingpong };

constexpr Schedule schedule = Schedule::SCHEDULE;
constexpr int warpgroup = 128;          // threads
constexpr int consumers = TILE_M / 64;  // warpgroups that multiply
constexpr int line = 64;                // elements in 128 bytes, the swizzle's span
constexpr int parts = head_dim / line;
constexpr int part_of_q_bytes = 64 * 128;  // of a warpgroup's queries
constexpr int part_bytes = TILE_N * 128;
constexpr int q_bytes = parts * part_of_q_bytes;
constexpr int stage_bytes = parts * part_bytes;

using Turn = RingPlace<STAGES>;

// Each warpgroup's queries, a ring of K's tiles and one of V's; then each one's barriers: it is full, and it is free.
struct Memory {
  Window start;

  __device__ Window q(int group) const { return start + static_cast<unsigned>(group * q_bytes); }
  __device__ Window k(int stage) const { return q(consumers) + static_cast<unsigned>(stage * stage_bytes); }
  __device__ Window v(int stage) const { return k(STAGES + stage); }
  __device__ Window q_full(int group) const { return k(2 * STAGES) + static_cast<unsigned>(2 * group * barrier_bytes); }
  __device__ Window q_free(int group) const { return q_full(group) + barrier_bytes; }
  __device__ Window k_full(int stage) const {
    return q_full(consumers) + static_cast<unsigned>(2 * stage * barrier_bytes);
  }
  __device__ Window k_free(int stage) const { return k_full(stage) + barrier_bytes; }
  __device__ Window v_full(int stage) const { return k_full(STAGES + stage); }
  __device__ Window v_free(int stage) const { return v_full(stage) + barrier_bytes; }
  __device__ Window turn(int group) const { return k_full(2 * STAGES) + static_cast<unsigned>(group * barrier_bytes); }

  // Who has read a stage frees it, warp by warp.
  __device__ void make_barriers() const {
    for (int i = 0; i < 2 * STAGES; ++i) {
      make_barrier(k_full(i), 1);
      make_barrier(k_free(i), consumers * warpgroup / 32);
    }
    for (int i = 0; i < consumers; ++i) {
      make_barrier(q_full(i), 1);
      make_barrier(q_free(i), warpgroup / 32);
      make_barrier(turn(i), 2 * warpgroup);
    }
    publish_barriers();
  }
};

struct Maps {
  const TensorMap& q;
  const TensorMap& k;
  const TensorMap& v;
};

// Sends what a block needs, in the order in which it is used: the last keys first, because only they may have to be
// masked.
struct Sender {
  const Maps& maps;
  const Memory& memory;
  Turn of_k;
  Turn of_v;
  unsigned parity_of_q = 1;

  __device__ void send(const TensorMap& map, Window to, int bytes_of_part, int row, int matrix, Window full) const {
    arrive_and_announce(full, parts * bytes_of_part);
#pragma unroll
    for (int part = 0; part < parts; ++part)
      copy_box(to + static_cast<unsigned>(part * bytes_of_part), map, part * line, row, matrix, full);
  }
  __device__ void send_q(const Tile& tile, int group) const {
    spin_for_phase(memory.q_free(group), parity_of_q);
    send(maps.q, memory.q(group), part_of_q_bytes, tile.row + 64 * group, tile.matrix, memory.q_full(group));
  }
  __device__ void send_k(int step, int matrix) {
    spin_for_phase(memory.k_free(of_k.stage), of_k.parity ^ 1);
    send(maps.k, memory.k(of_k.stage), part_bytes, step * TILE_N, matrix, memory.k_full(of_k.stage));
    of_k.advance();
  }
  __device__ void send_v(int step, int matrix) {
    spin_for_phase(memory.v_free(of_v.stage), of_v.parity ^ 1);
    send(maps.v, memory.v(of_v.stage), part_bytes, step * TILE_N, matrix, memory.v_full(of_v.stage));
    of_v.advance();
  }

  __device__ void send_tile(const Tile& tile, int steps, int matrix) {
    send_q(tile, 0);
    send_k(steps - 1, matrix);
    for (int i = 1; i < consumers; ++i) send_q(tile, i);
    parity_of_q ^= 1;
    for (int step = steps - 2; step >= 0; --step) {
      send_k(step, matrix);
      send_v(step + 1, matrix);
    }
    send_v(0, matrix);
  }
};

// A warpgroup's 64 queries.
struct Consumer {
  const Problem& problem;
  const Memory& memory;
  int group;  // among those that multiply
  Turn of_k;
  Turn of_v;
  unsigned parity_of_q = 0;
  Pending pending;

  // What a warpgroup's warps do once for all of their lanes.
  __device__ static void arrive_as_warp(Window barrier) {
    if (lane_of_thread() == 0) arrive(barrier);
  }
  __device__ void wait_for_my_turn() const {
    if constexpr (schedule == Schedule::pingpong) wait_for_turn(memory.turn(group), 1 + group);
  }
  __device__ void give_turn_on() const {
    const int next = group + 1 < consumers ? group + 1 : 0;
    if constexpr (schedule == Schedule::pingpong) give_turn(memory.turn(next), 1 + next);
  }
  __device__ int query(const Tile& tile) const {
    return tile.row + group * 64 + static_cast<int>(threadIdx.x) % warpgroup / 32 * 16 + lane_of_thread() / 4;
  }

  __device__ void start_scores(Scores& scores) {
    const Window q = memory.q(group);
    const Window k = memory.k(of_k.stage);
    pending.fence();
#pragma unroll
    for (int step = 0; step < head_dim / 16; ++step) {
      const auto across = static_cast<unsigned>(step % 4 * 32);
      const unsigned long long of_q = descriptor(q + static_cast<unsigned>(step / 4 * part_of_q_bytes) + across, 0);
      const unsigned long long of_k_tile = descriptor(k + static_cast<unsigned>(step / 4 * part_bytes) + across, 0);
      multiply<format>(pending, scores, of_q, of_k_tile, step > 0);
    }
    pending.commit();
  }
  __device__ void start_outputs(Outputs& outputs, Exponentials& weights, bool add) {
    const Window v = memory.v(of_v.stage);
    settle(weights);
    pending.fence();
#pragma unroll
    for (int step = 0; step < depth_steps; ++step)
      multiply<format>(pending, outputs, weights[step],
                       descriptor(v + static_cast<unsigned>(step * 16 * 128), part_bytes), add || step > 0);
    pending.commit();
  }
  __device__ void free_k() {
    arrive_as_warp(memory.k_free(of_k.stage));
    of_k.advance();
  }
  __device__ void free_v() {
    arrive_as_warp(memory.v_free(of_v.stage));
    of_v.advance();
  }

  // Scores of one tile of keys, while the exponentials of the tile before are multiplied with its values.
  template <bool Masked>
  __device__ void step_on(Scores& scores, Exponentials& weights, Outputs& outputs, Rows& rows, const Tile& tile,
                          int step, bool add) {
    spin_for_phase(memory.k_full(of_k.stage), of_k.parity);
    wait_for_my_turn();
    start_scores(scores);
    spin_for_phase(memory.v_full(of_v.stage), of_v.parity);
    start_outputs(outputs, weights, add);
    give_turn_on();
    pending.template wait<1>();
    settle(scores);
    free_k();
    if constexpr (Masked) mask(scores, problem, query(tile), step * TILE_N);
    float shrink[2];
    exponentiate(scores, rows, shrink, problem.scale);
    pending.template wait<0>();
    settle(outputs);
    settle(weights);
    free_v();
    shrink_outputs(outputs, shrink);
    round_exponentials<format>(weights, scores);
  }

  __device__ void first_step(Scores& scores, Exponentials& weights, Rows& rows, const Tile& tile, int step,
                             int unmasked) {
    spin_for_phase(memory.k_full(of_k.stage), of_k.parity);
    start_scores(scores);
    pending.template wait<0>();
    settle(scores);
    free_k();
    if (step >= unmasked) mask(scores, problem, query(tile), step * TILE_N);
    float shrink[2];
    exponentiate(scores, rows, shrink, problem.scale);
    round_exponentials<format>(weights, scores);
  }

  __device__ void attend(Outputs& outputs, Rows& rows, const Tile& tile, int steps) {
    Scores scores;
    Exponentials weights;
    const int unmasked = max_of(problem.visible(tile.row), 0) / TILE_N;
    spin_for_phase(memory.q_full(group), parity_of_q);
    parity_of_q ^= 1;
    first_step(scores, weights, rows, tile, steps - 1, unmasked);
    int step = steps - 2;
#pragma unroll 1
    for (; step >= unmasked; --step) step_on<true>(scores, weights, outputs, rows, tile, step, step < steps - 2);
#pragma unroll 1
    for (; step >= 0; --step) step_on<false>(scores, weights, outputs, rows, tile, step, step < steps - 2);
    arrive_as_warp(memory.q_free(group));
    spin_for_phase(memory.v_full(of_v.stage), of_v.parity);
    start_outputs(outputs, weights, steps > 1);
    pending.template wait<0>();
    settle(outputs);
    settle(weights);
    free_v();
  }
};

__device__ inline void send_all(const Maps& maps, const Memory& memory, const Tiles& tiles) {
  Sender sender{maps, memory, {}, {}};
  for (int index = static_cast<int>(blockIdx.x); index < tiles.count(); index += static_cast<int>(gridDim.x)) {
    const Tile tile = tiles.at(index);
    const int steps = tile.steps(tiles.problem);
    if (steps > 0) sender.send_tile(tile, steps, tiles.problem.matrix_of_keys(tile.matrix));
  }
}

__device__ inline void attend_all(const Memory& memory, const Tiles& tiles, Element* o) {
  const int group = static_cast<int>(threadIdx.x) / warpgroup - 1;
  Consumer consumer{tiles.problem, memory, group};
  if (group == consumers - 1) consumer.give_turn_on();  // the first need not wait
  for (int index = static_cast<int>(blockIdx.x); index < tiles.count(); index += static_cast<int>(gridDim.x)) {
    const Tile tile = tiles.at(index);
    const int steps = tile.steps(tiles.problem);
    Outputs outputs = {};
    Rows rows;
    if (steps > 0) consumer.attend(outputs, rows, tile, steps);
    write_outputs(outputs, rows, tiles.problem, tile.matrix, consumer.query(tile), o);
  }
}

// q, k, v: matrices of rows of HEAD_DIM elements in boxes of 64 columns and 64 (q) or TILE_N rows, swizzled by 128
// bytes; o: as q, aligned to 16 bytes. Any one-dimensional grid; dynamic shared memory as Memory lays it out. The first
// warpgroup gives registers to those that multiply, as far as 64 K last.
extern "C" __global__ void __launch_bounds__(warpgroup*(1 + consumers), 1)
    attention_wgmma(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,
                    const __grid_constant__ TensorMap v, Element* __restrict__ o, int matrices, int heads, int kv_heads,
                    int queries, int keys, float scale) {
  extern __shared__ __align__(1024) unsigned char shared_storage[];
  const Memory memory{window_of(shared_storage)};
  const Tiles tiles{{matrices, heads, kv_heads, queries, keys, scale}};
  if (threadIdx.x == 0) memory.make_barriers();
  __syncthreads();
  if (threadIdx.x < warpgroup) {
    give_registers<consumers == 2 ? 24 : 32>();
    if (threadIdx.x > 0) return;
    fetch_map(q);
    fetch_map(k);
    fetch_map(v);
    send_all({q, k, v}, memory, tiles);
  } else {
    take_registers<consumers == 2 ? 240 : 160>();
    attend_all(memory, tiles, o);
  }
}
