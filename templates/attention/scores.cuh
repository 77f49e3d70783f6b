// The scores of 16 queries of a warp, which become exponentials, and these the left operand of the product with V. Lane
// l holds of the rows l / 4 and eight below, of each eight keys, numbers 2 * (l % 4) and the next: scores[4 * i + 2 * h
// + j] is row h's, key 8 * i + 2 * (l % 4) + j. So both kinds of tensor core instruction leave them, and so both take
// them again: nothing changes places between the two products.
//
// Sources: Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018); Dao et al., "FlashAttention"
// (2022) and Dao, "FlashAttention-2" (2023) for outputs that are scaled down as maxima grow, and divided once.
#pragma once

#include "problem.cuh"

constexpr int scores_of_lane = TILE_N / 2;
constexpr int depth_steps = TILE_N / 16;  // multiplications along the keys
constexpr int outputs_of_lane = head_dim / 2;

using Scores = float[scores_of_lane];
using Exponentials = unsigned[depth_steps][4];
using Outputs = float[outputs_of_lane];

// Of a lane's two rows: the largest score so far, and this lane's part of the sum of exponentials. It begins with a
// finite maximum, from which even a score of minus infinity has a difference.
struct Rows {
  float maximum[2] = {-3.402823466e38f, -3.402823466e38f};
  float sum[2] = {0.0f, 0.0f};
};

// Scores of keys that a query does not see become minus infinity. `query` is that of the lane's first row, `key` the
// tile's first.
__device__ inline void mask(Scores& scores, const Problem& problem, int query, int key) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int limit = problem.visible(query + 8 * h) - key - lane_of_warp() % 4 * 2;
#pragma unroll
    for (int i = 0; i < scores_of_lane / 4; ++i) {
#pragma unroll
      for (int j = 0; j < 2; ++j)
        if (8 * i + j >= limit) scores[4 * i + 2 * h + j] = __uint_as_float(0xff800000u);
    }
  }
}

// Turns scores into exponentials of their differences from the largest so far; `shrink` is what earlier outputs are to
// be multiplied with.
__device__ inline void exponentiate(Scores& scores, Rows& rows, float (&shrink)[2], float scale) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float maximum = rows.maximum[h];
#pragma unroll
    for (int i = 0; i < scores_of_lane / 4; ++i)
      maximum = fmaxf(maximum, fmaxf(scores[4 * i + 2 * h], scores[4 * i + 2 * h + 1]));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 1));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 2));
    const float base = maximum * scale;
    shrink[h] = fast_exp2(fmaf(rows.maximum[h], scale, -base));
    rows.maximum[h] = maximum;
    float sum = rows.sum[h] * shrink[h];
#pragma unroll
    for (int i = 0; i < scores_of_lane / 4; ++i) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        float& score = scores[4 * i + 2 * h + j];
        score = fast_exp2(fmaf(score, scale, -base));
        sum += score;
      }
    }
    rows.sum[h] = sum;
  }
}

__device__ inline void round_exponentials(Exponentials& rounded, const Scores& scores) {
#pragma unroll
  for (int step = 0; step < depth_steps; ++step) {
#pragma unroll
    for (int word = 0; word < 4; ++word)
      rounded[step][word] = rounded_pair<format>(scores[8 * step + 2 * word], scores[8 * step + 2 * word + 1]);
  }
}

__device__ inline void shrink_outputs(Outputs& outputs, const float (&shrink)[2]) {
#pragma unroll
  for (int i = 0; i < outputs_of_lane; ++i) outputs[i] *= shrink[i / 2 % 2];
}

// Four words of each of four neighbouring lanes change places as in a transposed matrix: lane t gets word t of each.
__device__ inline void transpose_words(unsigned (&words)[4]) {
  const int t = lane_of_warp() % 4;
#pragma unroll
  for (int distance = 1; distance < 4; distance *= 2) {
    const bool upper = (t & distance) != 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((i & distance) != 0) continue;
      const unsigned theirs = __shfl_xor_sync(0xffffffffu, upper ? words[i] : words[i + distance], distance);
      if (upper) {
        words[i] = theirs;
      } else {
        words[i + distance] = theirs;
      }
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
        *reinterpret_cast<uint4*>(row + 2 * first + lane_of_warp() % 4 * 8) = {words[0], words[1], words[2], words[3]};
    }
  }
}
