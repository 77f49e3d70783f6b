// Results of parts of the keys become one: of a block's warps, and of the blocks that share a sequence's keys. Each
// part has its own maximum, from which its exponents are differences, and its own sum. Source: Dao et al.,
// "Flash-Decoding for long-context inference" (2023).
#pragma once

#include <warptune/device/fast_math.cuh>
#include <warptune/device/mma16.cuh>
#include <warptune/device/score_fragments.cuh>

#include "problem.cuh"

using warptune::device::fast_exp2;
using warptune::device::rounded_pair;

constexpr int part_outputs = block_rows * head_dim;

// outputs: count x block_rows x head_dim; stats: count x block_rows pairs of a maximum and a sum. Those of other blocks
// are read past the L1 cache, which may have them from before they were written.
template <bool OtherBlocks>
struct Parts {
  const float* outputs;
  const float* stats;
  int count;

  __device__ float2 stats_of(int part, int row) const {
    const float2* source = reinterpret_cast<const float2*>(stats) + part * block_rows + row;
    return OtherBlocks ? __ldcg(source) : *source;
  }
  __device__ float4 outputs_of(int part, int i) const {
    const float4* source = reinterpret_cast<const float4*>(outputs + static_cast<long long>(part) * part_outputs) + i;
    return OtherBlocks ? __ldcg(source) : *source;
  }
};

// Four neighbouring outputs of a row, before the division by the sum.
struct Merged {
  float maximum;
  float sum;
  float4 outputs;
};

// The i-th four of all rows.
template <bool OtherBlocks>
__device__ inline Merged merged(const Parts<OtherBlocks>& parts, int i, float scale) {
  const int row = i / (head_dim / 4);
  Merged result{parts.stats_of(0, row).x, 0.0f, {0.0f, 0.0f, 0.0f, 0.0f}};
  for (int part = 1; part < parts.count; ++part) result.maximum = fmaxf(result.maximum, parts.stats_of(part, row).x);
  for (int part = 0; part < parts.count; ++part) {
    const float2 stats = parts.stats_of(part, row);
    const float4 outputs = parts.outputs_of(part, i);
    const float factor = fast_exp2((stats.x - result.maximum) * scale);
    result.sum += factor * stats.y;
    result.outputs.x += factor * outputs.x;
    result.outputs.y += factor * outputs.y;
    result.outputs.z += factor * outputs.z;
    result.outputs.w += factor * outputs.w;
  }
  return result;
}

// Rounds the i-th four of a group's rows and writes them. A query that sees no key has the result zero.
__device__ inline void write_result(const Merged& result, int i, const Group& group, const Problem& problem,
                                    Element* o) {
  const int row = i / (head_dim / 4);
  if (!group.has(row, problem)) return;
  const float factor = result.sum > 0.0f ? 1.0f / result.sum : 0.0f;
  const uint2 words = {rounded_pair<format>(result.outputs.x * factor, result.outputs.y * factor),
                       rounded_pair<format>(result.outputs.z * factor, result.outputs.w * factor)};
  *reinterpret_cast<uint2*>(o + group.place(row, problem) + i % (head_dim / 4) * 4) = words;
}
