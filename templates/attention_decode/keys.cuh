// What a warp multiplies: 16 keys at a time straight from global memory to the registers from which tensor cores
// multiply. The order of a sum's terms is free, and so is that of an output's columns: so each lane reads 16 bytes at
// once, and takes them for what a fragment wants of it, neither shared memory nor ldmatrix between. With g = lane / 4
// and t = lane % 4 a lane has
//
//   of keys g and g + 8 the elements 8 * (t + 4c) to 8 * (t + 4c) + 7, c = 0, 1 ..., for Q transposed(K): two steps
//   along the head dimension, for which Q's lanes read the same elements;
//   of the values of keys 2t, 2t + 1, 2t + 8 and 2t + 9 the elements 8 * (g + 8c) to 8 * (g + 8c) + 7: eight tiles of
//   outputs, e = 0 ... 7, whose column n is element 8 * (n + 8c) + e.
#pragma once

#include <warptune/device/mma16.cuh>
#include <warptune/device/score_fragments.cuh>
#include <warptune/device/vectors.cuh>
#include <warptune/device/warp.cuh>

#include "problem.cuh"

using warptune::device::CacheHint;
using warptune::device::lane_of_thread;
using warptune::device::left_operand;
using warptune::device::LeftOperand;
using warptune::device::load_vector;
using warptune::device::multiply_add;
using warptune::device::right_operand;
using warptune::device::ScoreRows;

constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr int halves = block_rows > 8 ? 2 : 1;  // of a fragment's 16 rows that are used
constexpr int key_chunks = head_dim / 32;       // 16 bytes of a lane, of each of two keys
constexpr int value_chunks = head_dim / 64;     // the same of each of four keys' values
constexpr int outputs_of_lane = head_dim / 2;

struct Words {
  unsigned at[4];
};

template <CacheHint hint>
__device__ inline Words load_words(const Element* source) {
  const uint4 words = load_vector<hint>(reinterpret_cast<const uint4*>(source));
  return {{words.x, words.y, words.z, words.w}};
}

// Of 16 keys. Where fewer are left, the last is read again: its weight will be zero.
struct Keys {
  Words of[2][key_chunks];

  __device__ void load(const Element* first, int count) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int key = min(lane_of_thread() / 4 + 8 * i, count - 1);
#pragma unroll
      for (int c = 0; c < key_chunks; ++c)
        of[i][c] = load_words<load_hint>(first + key * head_dim + 8 * (lane_of_thread() % 4 + 4 * c));
    }
  }
};

struct Values {
  Words of[4][value_chunks];

  __device__ void load(const Element* first, int count) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int key = min(lane_of_thread() % 4 * 2 + i % 2 + i / 2 * 8, count - 1);
#pragma unroll
      for (int c = 0; c < value_chunks; ++c)
        of[i][c] = load_words<load_hint>(first + key * head_dim + 8 * (lane_of_thread() / 4 + 8 * c));
    }
  }
};

// Rows g and g + 8 of 16 queries, as Keys has its elements; zeros for those behind the last.
struct Queries {
  Words of[halves][key_chunks];

  __device__ LeftOperand<format> operand(int c, int step) const {
    const Words& upper = of[0][c];
    const Words& lower = of[halves - 1][c];
    const unsigned words[4] = {upper.at[2 * step], halves > 1 ? lower.at[2 * step] : 0u, upper.at[2 * step + 1],
                               halves > 1 ? lower.at[2 * step + 1] : 0u};
    return left_operand<format>(words);
  }
};

using Scores = float[8 * UNROLL];  // of UNROLL times 16 keys
using Weights = unsigned[UNROLL][4];
using Outputs = float[outputs_of_lane];

// scores: the eight of these keys.
__device__ inline void multiply_keys(float* scores, const Queries& queries, const Keys& keys) {
#pragma unroll
  for (int c = 0; c < key_chunks; ++c) {
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      const LeftOperand<format> left = queries.operand(c, step);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const Words& words = keys.of[i][c];
        multiply_add<format>(scores + 4 * i, left, right_operand<format>(words.at[2 * step], words.at[2 * step + 1]));
      }
    }
  }
}

// The element e of two keys' values in one word.
__device__ inline unsigned joined(const Words& first, const Words& second, int e) {
  const unsigned a = first.at[e / 2], b = second.at[e / 2];
  return e % 2 == 0 ? (a & 0xffffu) | b << 16 : a >> 16 | (b & 0xffff0000u);
}

__device__ inline void multiply_values(Outputs& outputs, const unsigned (&weights)[4], const Values& values) {
  const LeftOperand<format> left = left_operand<format>(weights);
#pragma unroll
  for (int c = 0; c < value_chunks; ++c) {
#pragma unroll
    for (int e = 0; e < 8; ++e)
      multiply_add<format>(outputs + 4 * (8 * c + e), left,
                           right_operand<format>(joined(values.of[0][c], values.of[1][c], e),
                                                 joined(values.of[2][c], values.of[3][c], e)));
  }
}
