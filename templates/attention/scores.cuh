// A tile's scores in the registers of a warp or of a warpgroup's warps, 16 queries each: which keys they are of, and
// how their outputs leave. What happens between is score_fragments.cuh's.
#pragma once

#include <warptune/device/score_fragments.cuh>

#include "problem.cuh"

using warptune::device::exponentiate;
using warptune::device::round_exponentials;
using warptune::device::rounded_pair;
using warptune::device::shrink_outputs;
using warptune::device::transpose_words;
using Rows = warptune::device::ScoreRows;

constexpr int scores_of_lane = TILE_N / 2;
constexpr int depth_steps = TILE_N / 16;  // multiplications along the keys
constexpr int outputs_of_lane = head_dim / 2;

using Scores = float[scores_of_lane];
using Exponentials = unsigned[depth_steps][4];
using Outputs = float[outputs_of_lane];

// Scores of keys that a query does not see become minus infinity. `query` is that of the lane's first row, `key` the
// tile's first.
__device__ inline void mask(Scores& scores, const Problem& problem, int query, int key) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int limit = problem.visible(query + 8 * h) - key - lane_of_thread() % 4 * 2;
#pragma unroll
    for (int i = 0; i < scores_of_lane / 4; ++i) {
#pragma unroll
      for (int j = 0; j < 2; ++j)
        if (8 * i + j >= limit) scores[4 * i + 2 * h + j] = __uint_as_float(0xff800000u);
    }
  }
}

// Divides by the sums and writes 16 bytes a lane at once, 64 of a row by four neighbours. A query that sees no key has
// the result zero. `query` is that of the lane's first row.
__device__ inline void write_outputs(const Outputs& outputs, const Rows& rows, const Problem& problem, int matrix,
                                     int query, Element* o) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float sum = rows.sum[h] + __shfl_xor_sync(0xffffffffu, rows.sum[h], 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    const float factor = sum > 0.0f ? 1.0f / sum : 0.0f;
    Element* row = o + (static_cast<long long>(matrix) * problem.queries + query + 8 * h) * head_dim;
#pragma unroll
    for (int first = 0; first < outputs_of_lane; first += 16) {
      unsigned words[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float* pair = outputs + first + 4 * i + 2 * h;
        words[i] = rounded_pair<format>(pair[0] * factor, pair[1] * factor);
      }
      transpose_words(words);
      if (query + 8 * h < problem.queries)
        *reinterpret_cast<uint4*>(row + 2 * first + lane_of_thread() % 4 * 8) = {words[0], words[1], words[2],
                                                                                 words[3]};
    }
  }
}
