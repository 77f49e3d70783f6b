// A warp's part of a block's keys. The parameters are described in kernel.cu.
#pragma once

#include "keys.cuh"

using warptune::device::exponentiate;
using warptune::device::round_exponentials;
using warptune::device::shrink_outputs;

constexpr int warps = BLOCK_SIZE / 32;
constexpr int step_keys = fragment_keys * UNROLL;  // of a warp at once

__device__ inline Queries queries_of(const Group& group, const Problem& problem) {
  Queries queries;
#pragma unroll
  for (int h = 0; h < halves; ++h) {
    const int row = 8 * h + lane_of_thread() / 4;
    const Element* source = problem.q + group.place(row, problem) + lane_of_thread() % 4 * 8;
#pragma unroll
    for (int c = 0; c < key_chunks; ++c)
      queries.of[h][c] = group.has(row, problem) ? load_words<CacheHint::plain>(source + 32 * c) : Words{};
  }
  return queries;
}

// Every so many-th step of a block's share. Keys are read again as soon as their scores are there, values as soon as
// they are added: so both are on their way while the other is multiplied, without registers of their own.
struct Warp {
  const Problem& problem;
  const Cache& cache;
  const Group& group;
  Share share;
  int length;  // of the sequence
  Queries queries;
  ScoreRows sums = {};
  Outputs outputs = {};

  // Where the fragments of a step begin. Behind the share's end the last one is read again; its weights are zero.
  struct Step {
    int keys[UNROLL];
    long long places[UNROLL];
  };
  __device__ Step step_at(int key) const {
    Step step;
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
      step.keys[i] = min(key + fragment_keys * i, (share.last - 1) / fragment_keys * fragment_keys);
      step.places[i] = cache.place(group.sequence, group.head, step.keys[i]);
    }
    return step;
  }
  template <class Fragments>
  __device__ void load(Fragments (&fragments)[UNROLL], const Element* cached, const Step& step) const {
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) fragments[i].load(cached + step.places[i], share.last - step.keys[i]);
  }

  // Scores of keys that a query does not see, or that are another block's, become minus infinity.
  __device__ void mask(Scores& scores, int key) const {
#pragma unroll
    for (int h = 0; h < halves; ++h) {
      const int row = group.first_row + 8 * h + lane_of_thread() / 4;
      const int limit = min(problem.visible(row, length), share.last) - key - lane_of_thread() % 4 * 2;
#pragma unroll
      for (int i = 0; i < 2 * UNROLL; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j)
          if (8 * i + j >= limit) scores[4 * i + 2 * h + j] = __uint_as_float(0xff800000u);
      }
    }
  }
  // Maxima grow seldom: only then are the outputs scaled down.
  __device__ void weigh(Weights& weights, Scores& scores) {
    float shrink[2];
    exponentiate<halves>(scores, sums, shrink, problem.scale);
    if (__any_sync(0xffffffffu, shrink[0] != 1.0f || shrink[1] != 1.0f)) shrink_outputs(outputs, shrink);
    round_exponentials<format>(weights, scores);
  }

  __device__ void attend() {
    int key = share.first + static_cast<int>(threadIdx.x) / 32 * step_keys;
    if (key >= share.last) return;
    Keys keys[UNROLL];
    Values values[UNROLL];
    Step step = step_at(key);
    load(keys, cache.k, step);
    load(values, cache.v, step);
    while (true) {
      const int next = key + warps * step_keys;
      if (next < share.last) step = step_at(next);
      Scores scores = {};
#pragma unroll
      for (int i = 0; i < UNROLL; ++i) multiply_keys(scores + 8 * i, queries, keys[i]);
      if (next < share.last) load(keys, cache.k, step);
      if (key + step_keys > min(share.last, problem.visible(0, length))) mask(scores, key);
      Weights weights;
      weigh(weights, scores);
#pragma unroll
      for (int i = 0; i < UNROLL; ++i) multiply_values(outputs, weights[i], values[i]);
      if (next >= share.last) return;
      load(values, cache.v, step);
      key = next;
    }
  }

  // To shared memory, as Parts has it.
  __device__ void put(float* to_outputs, float* to_stats) const {
    const int warp = static_cast<int>(threadIdx.x) / 32, t = lane_of_thread() % 4;
#pragma unroll
    for (int h = 0; h < halves; ++h) {
      const int row = 8 * h + lane_of_thread() / 4;
      float sum = sums.sum[h] + __shfl_xor_sync(0xffffffffu, sums.sum[h], 1);
      sum += __shfl_xor_sync(0xffffffffu, sum, 2);
      if (row >= block_rows) continue;
      if (t == 0) reinterpret_cast<float2*>(to_stats)[warp * block_rows + row] = {sums.maximum[h], sum};
      float* target = to_outputs + (warp * block_rows + row) * head_dim + 16 * t;
#pragma unroll
      for (int i = 0; i < 16 * value_chunks; ++i)
        target[i / 16 * 64 + i % 16] = outputs[4 * (i / 16 * 8 + i % 8) + 2 * h + i % 16 / 8];
    }
  }
};
