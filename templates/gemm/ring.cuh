// The tiles of A and B on their way through shared memory.
#pragma once

#include "tiles.cuh"

// A ring of STAGES pairs of tiles in shared memory. While one pair is multiplied, later ones are on their way: the next
// one in registers, or STAGES - 1 as asynchronous copies. Past the end of K travel zeros, which is cheaper than to ask.
// An asynchronous copy cannot turn a row into a column: A's transposed tile is then copied float by float.
template <int Width>
struct Ring {
  static constexpr int ahead = copy == Copy::async ? STAGES - 1 : 1;
  static constexpr int a_width = copy == Copy::async && a_layout == Layout::transposed ? 1 : Width;
  using ShareA = Share<BLOCK_M, BLOCK_K, a_width>;
  using ShareB = Share<BLOCK_K, BLOCK_N, Width>;

  float* shared;
  Window a;
  Window b;
  float staged_a[max_of(1, BLOCK_M* BLOCK_K / threads)];
  float staged_b[max_of(1, BLOCK_K* BLOCK_N / threads)];
  int reading = 0;  // the stage to multiply

  __device__ float* a_stage(int stage) const { return shared + stage * (a_tile + b_tile); }
  __device__ float* b_stage(int stage) const { return a_stage(stage) + a_tile; }

  // The stage `steps` < STAGES after `reading`, without a division.
  __device__ int after(int steps) const {
    const int stage = reading + steps;
    return stage < STAGES ? stage : stage - STAGES;
  }

  __device__ static float* place_a(float* tile, int i, int step) {
    return tile + place_of_a(ShareA::row() + ShareA::down(i), ShareA::column() + ShareA::across(i) + step);
  }
  __device__ static float* place_b(float* tile, int i) {
    return tile + (ShareB::row() + ShareB::down(i)) * BLOCK_N + ShareB::column() + ShareB::across(i);
  }

  template <typename Share, int N>
  __device__ static void fetch(float* staged, const Window& window) {
#pragma unroll
    for (int i = 0; i < Share::count; ++i) {
      Pack<N> pack{};
      if (window.holds(Share::down(i), Share::across(i))) pack = load<N>(window.at(Share::down(i), Share::across(i)));
#pragma unroll
      for (int j = 0; j < N; ++j) staged[i * N + j] = pack.at[j];
    }
  }

  __device__ void put(int stage) {
#pragma unroll
    for (int i = 0; i < ShareA::count; ++i) {
      if constexpr (a_layout == Layout::rows) {
        *reinterpret_cast<Pack<a_width>*>(place_a(a_stage(stage), i, 0)) = pack_of<a_width>(staged_a + i * a_width);
      } else {
#pragma unroll
        for (int j = 0; j < a_width; ++j) *place_a(a_stage(stage), i, j) = staged_a[i * a_width + j];
      }
    }
#pragma unroll
    for (int i = 0; i < ShareB::count; ++i) {
      *reinterpret_cast<Pack<Width>*>(place_b(b_stage(stage), i)) = pack_of<Width>(staged_b + i * Width);
    }
  }

  __device__ void copy_to(int stage) {
#pragma unroll
    for (int i = 0; i < ShareA::count; ++i) {
      const int down = ShareA::down(i);
      const int across = ShareA::across(i);
      copy_async<a_width>(place_a(a_stage(stage), i, 0), a.at(down, across), a.holds(down, across));
    }
#pragma unroll
    for (int i = 0; i < ShareB::count; ++i) {
      const int down = ShareB::down(i);
      const int across = ShareB::across(i);
      copy_async<Width>(place_b(b_stage(stage), i), b.at(down, across), b.holds(down, across));
    }
    commit_copies();
  }

  // Sends the next pair on its way, as far as registers or up to `stage`.
  __device__ void send(int stage) {
    if constexpr (copy == Copy::async) {
      copy_to(stage);
    } else {
      fetch<ShareA, a_width>(staged_a, a);
      fetch<ShareB, Width>(staged_b, b);
    }
    a.move_across(BLOCK_K);
    b.move_down(BLOCK_K);
  }

  // Makes the pair that left first readable in `stage`.
  __device__ void receive(int stage) {
    if constexpr (copy == Copy::async) {
      wait_for_copies<max_of(ahead - 1, 0)>();
    } else {
      put(stage);
    }
    __syncthreads();
  }

  __device__ void start() {
#pragma unroll
    for (int i = 0; i < ahead; ++i) send(i);
    receive(0);
  }

  __device__ void send_next() {
    send(after(ahead % STAGES));
  }

  // Turns to the next pair. Its one barrier (two with a single stage) shows what has arrived, and frees the stage left.
  __device__ void turn() {
    if constexpr (STAGES == 1) __syncthreads();
    reading = after(1 % STAGES);
    receive(reading);
  }
};
