// The tiles of A and B on their way through shared memory.
#pragma once

#include "tiles.cuh"

// A ring of STAGES pairs of tiles in shared memory. While one pair is multiplied, later ones are on their way: the next
// one in registers, or STAGES - 1 as asynchronous copies. Past the end of K travel zeros, which is cheaper than to ask.
//
// SourceA and SourceB know where tiles come from and how they lie in shared memory: fetch(staged) loads this thread's
// part of the current tile to `registers` registers, put(tile, staged) stores them, copy_to(tile) starts asynchronous
// copies instead, advance() turns to the next tile along K.
template <class SourceA, class SourceB>
struct Ring {
  static constexpr int ahead = copy == Copy::async ? STAGES - 1 : 1;

  Element* shared;
  SourceA a;
  SourceB b;
  Element staged_a[SourceA::registers];
  Element staged_b[SourceB::registers];
  int reading = 0;  // the stage to multiply

  __device__ Element* a_stage(int stage) const { return shared + stage * (a_tile + b_tile); }
  __device__ Element* b_stage(int stage) const { return a_stage(stage) + a_tile; }

  // The stage `steps` < STAGES after `reading`, without a division.
  __device__ int after(int steps) const {
    const int stage = reading + steps;
    return stage < STAGES ? stage : stage - STAGES;
  }

  // Sends the next pair on its way, as far as registers or up to `stage`.
  __device__ void send(int stage) {
    if constexpr (copy == Copy::async) {
      a.copy_to(a_stage(stage));
      b.copy_to(b_stage(stage));
      commit_copies();
    } else {
      a.fetch(staged_a);
      b.fetch(staged_b);
    }
    a.advance();
    b.advance();
  }

  // Makes the pair that left first readable in `stage`.
  __device__ void receive(int stage) {
    if constexpr (copy == Copy::async) {
      wait_for_copies<max_of(ahead - 1, 0)>();
    } else {
      a.put(a_stage(stage), staged_a);
      b.put(b_stage(stage), staged_b);
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
