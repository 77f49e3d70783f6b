// What is kept of an element, how many outputs it has, and what becomes of each.
#pragma once

enum class Outputs { one, several };
constexpr bool several = Outputs::OUTPUTS == Outputs::several;
constexpr int most_outputs = several ? 3 : 1;
constexpr float threshold = static_cast<float>(THRESHOLD);
// What stands behind the input's end; a zero costs no register.
constexpr float never_kept = threshold < 0.0f ? -1.0f : 0.0f;

__device__ inline bool is_kept(float value) {
  return value > threshold;
}

// How many outputs an element has (the lectures' num()): none, one, or up to three, as its bits say.
__device__ inline int num(float value) {
  if constexpr (several) return is_kept(value) ? 1 + static_cast<int>(__float_as_uint(value) % 3) : 0;
  return is_kept(value) ? 1 : 0;
}

// The k-th of them: the element, its half, its quarter.
__device__ inline float output_of(float value, int k) {
  return k == 0 ? value : k == 1 ? 0.5f * value : 0.25f * value;
}

// The function of `MAP`, long enough that it matters how many lanes of a warp take part in it.
__device__ inline float mapped(float value) {
  unsigned bits = __float_as_uint(value);
#pragma unroll 4
  for (int round = 0; round < 64; ++round) bits = (bits ^ bits >> 15) * 1664525u + 1013904223u;
  return static_cast<float>(bits >> 8) * (1.0f / 16777216.0f);
}
