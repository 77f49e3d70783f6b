// Candidates by a queue in shared memory: elements larger than the TOP-th best so far are appended to it, and a full
// one is put in order and cut to TOP. Of random rows few elements get that far: about TOP times the logarithm of the
// row's length over TOP. Rejected: queues in registers, whose length and sorting network the compiler must know for
// each TOP.
#pragma once

#include "row.cuh"

// Sorts `count` candidates in descending order by a bitonic network; those behind them up to a power of two become 0.
__device__ inline void put_in_order(Candidate* candidates, int count) {
  int size = 2;
  while (size < count) size *= 2;
  for (int i = count + thread_of_row(); i < size; i += THREADS_PER_ROW) candidates[i] = 0;
  wait_for_row();
  for (int run = 2; run <= size; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      for (int i = thread_of_row(); i < size / 2; i += THREADS_PER_ROW) {
        const int low = 2 * i - (i & (distance - 1)), high = low + distance;
        const Candidate a = candidates[low], b = candidates[high];
        if ((a < b) == ((low & run) == 0)) {
          candidates[low] = b;
          candidates[high] = a;
        }
      }
      wait_for_row();
    }
  }
}

// The threshold after a full queue has been cut: what is not above it comes too late, also if it is equal.
__device__ inline unsigned cut_queue(const RowMemory& memory, int count) {
  put_in_order(memory.candidates, count);
  const unsigned threshold = static_cast<unsigned>(memory.candidates[TOP - 1] >> 32);
  if (thread_of_row() == 0) memory.counters[0] = TOP;
  wait_for_row();
  return threshold;
}

// Fills the candidates and returns how many there are: TOP at least, or all of the row.
__device__ inline int candidates_by_queue(const Element* row, int columns, const RowMemory& memory) {
  constexpr int room = CANDIDATES - step;  // a vector of each thread finds a place
  if (thread_of_row() == 0) memory.counters[0] = 0;
  wait_for_row();
  unsigned threshold = 0;
  int count = 0;
#pragma unroll 1
  for (int first = 0; first < columns; first += UNROLL * step) {
    Vector vectors[UNROLL];
    const int own = first + thread_of_row() * width;
#pragma unroll
    for (int i = 0; i < UNROLL; ++i)
      if (own + i * step < columns) vectors[i] = load_pack<width, load_hint>(row + own + i * step);
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
      if (own + i * step < columns) {
#pragma unroll
        for (int j = 0; j < width; ++j) {
          const unsigned key = key_of(to_float<format>(vectors[i].at[j]));
          if (key > threshold) put(candidate_of(key, own + i * step + j), memory, memory.counters);
        }
      }
      wait_for_row();
      count = static_cast<int>(memory.counters[0]);
      wait_for_row();  // all have read the count before it grows
      if (count > room) {
        threshold = cut_queue(memory, count);
        count = TOP;
      }
    }
  }
  return count;
}
