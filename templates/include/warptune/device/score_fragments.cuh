// Attention's scores of 16 queries, as tensor cores leave them in a warp's registers: they become exponentials, and
// these the left operand of the product with the values, without changing places.
//
//   float scores[64];                       // of 128 keys
//   exponentiate(scores, rows, shrink, scale);
//   shrink_outputs(outputs, shrink);
//   round_exponentials<NumberFormat::half>(weights, scores);
//
// Lane l holds of the rows l / 4 and eight below, of each eight keys, numbers 2 * (l % 4) and the next: scores[4 * i +
// 2
// * h + j] is row h's, key 8 * i + 2 * (l % 4) + j. Outputs are the same with columns for keys. All lanes of a warp
// call together. No memory.
//
// Sources: Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018); Dao et al., "FlashAttention"
// (2022) and Dao, "FlashAttention-2" (2023) for outputs that are scaled down as maxima grow, and divided once.
#pragma once

#include <warptune/device/fast_math.cuh>
#include <warptune/device/mma16.cuh>

namespace warptune::device {

// Of a lane's two rows: the largest score so far, and this lane's part of the sum of exponentials. It begins with a
// finite maximum, from which even a score of minus infinity has a difference.
struct ScoreRows {
  float maximum[2] = {-3.402823466e38f, -3.402823466e38f};
  float sum[2] = {0.0f, 0.0f};
};

// Turns scores into exponentials of their differences from the largest so far; `shrink` is what earlier outputs are to
// be multiplied with. Where only the first eight rows count, Halves is 1.
template <int Halves = 2, int Count>
__device__ inline void exponentiate(float (&scores)[Count], ScoreRows& rows, float (&shrink)[2], float scale) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    if (h >= Halves) {
      shrink[h] = 1.0f;
      continue;
    }
    float maximum = rows.maximum[h];
#pragma unroll
    for (int i = 0; i < Count / 4; ++i)
      maximum = fmaxf(maximum, fmaxf(scores[4 * i + 2 * h], scores[4 * i + 2 * h + 1]));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 1));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 2));
    const float base = maximum * scale;
    shrink[h] = fast_exp2(fmaf(rows.maximum[h], scale, -base));
    rows.maximum[h] = maximum;
    float sum = rows.sum[h] * shrink[h];
#pragma unroll
    for (int i = 0; i < Count / 4; ++i) {
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

// Two neighbours a word, as mma16.cuh's left operands want them: Count / 8 of them side by side.
template <NumberFormat Format, int Count>
__device__ inline void round_exponentials(unsigned (&rounded)[Count / 8][4], const float (&scores)[Count]) {
#pragma unroll
  for (int step = 0; step < Count / 8; ++step) {
#pragma unroll
    for (int word = 0; word < 4; ++word)
      rounded[step][word] = rounded_pair<Format>(scores[8 * step + 2 * word], scores[8 * step + 2 * word + 1]);
  }
}

template <int Count>
__device__ inline void shrink_outputs(float (&outputs)[Count], const float (&shrink)[2]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) outputs[i] *= shrink[i / 2 % 2];
}

// Four words of each of four neighbouring lanes change places as in a transposed matrix: lane t gets word t of each.
__device__ inline void transpose_words(unsigned (&words)[4]) {
  const int t = static_cast<int>(threadIdx.x) % 4;
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

}  // namespace warptune::device
