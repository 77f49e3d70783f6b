// Winograd's minimal filtering F(m x m, 3 x 3): the transforms of filters, patches and products, each a transform of
// one dimension that is applied to all columns and then to all rows. Interpolation points 0, 1, -1, infinity and, for m
// = 4, 2 and -2 (Lavin & Gray, section 4).
#pragma once

#include "layer.cuh"

constexpr int output_tile = OUTPUT_TILE;         // m
constexpr int input_tile = output_tile + 2;      // what m outputs see of a row
constexpr int points = input_tile * input_tile;  // products that replace 9 * m * m multiplications

// What a filter's column contributes at each point.
struct FilterTransform {
  static constexpr int from = 3;
  static constexpr int to = input_tile;
  __device__ static void apply(float* u, const float* g) {
    const float even = g[0] + g[2];
    if constexpr (output_tile == 2) {
      u[0] = g[0];
      u[1] = 0.5f * (even + g[1]);
      u[2] = 0.5f * (even - g[1]);
    } else {
      const float far = (1.0f / 24) * g[0] + (1.0f / 6) * g[2];
      u[0] = 0.25f * g[0];
      u[1] = (-1.0f / 6) * (even + g[1]);
      u[2] = (-1.0f / 6) * (even - g[1]);
      u[3] = far + (1.0f / 12) * g[1];
      u[4] = far - (1.0f / 12) * g[1];
    }
    u[to - 1] = g[2];
  }
};

struct InputTransform {
  static constexpr int from = input_tile;
  static constexpr int to = input_tile;
  __device__ static void apply(float* v, const float* d) {
    if constexpr (output_tile == 2) {
      v[0] = d[0] - d[2];
      v[1] = d[1] + d[2];
      v[2] = d[2] - d[1];
      v[3] = d[1] - d[3];
    } else {
      const float even = d[4] - 4.0f * d[2];
      const float odd = d[3] - 4.0f * d[1];
      const float far_even = d[4] - d[2];
      const float far_odd = 2.0f * (d[3] - d[1]);
      v[0] = 4.0f * d[0] + (d[4] - 5.0f * d[2]);
      v[1] = even + odd;
      v[2] = even - odd;
      v[3] = far_even + far_odd;
      v[4] = far_even - far_odd;
      v[5] = 4.0f * d[1] + (d[5] - 5.0f * d[3]);
    }
  }
};

struct OutputTransform {
  static constexpr int from = input_tile;
  static constexpr int to = output_tile;
  __device__ static void apply(float* y, const float* m) {
    const float sum = m[1] + m[2];
    const float difference = m[1] - m[2];
    if constexpr (output_tile == 2) {
      y[0] = m[0] + sum;
      y[1] = difference - m[3];
    } else {
      const float far_sum = m[3] + m[4];
      const float far_difference = m[3] - m[4];
      y[0] = m[0] + sum + far_sum;
      y[1] = difference + 2.0f * far_difference;
      y[2] = sum + 4.0f * far_sum;
      y[3] = difference + 8.0f * far_difference + m[5];
    }
  }
};

// In two dimensions: the columns' transforms, then the rows' of what these leave.
template <class Transform>
__device__ inline void transform(float (&to)[Transform::to][Transform::to],
                                 const float (&from)[Transform::from][Transform::from]) {
  float between[Transform::to][Transform::from];
#pragma unroll
  for (int column = 0; column < Transform::from; ++column) {
    float before[Transform::from];
    float after[Transform::to];
#pragma unroll
    for (int i = 0; i < Transform::from; ++i) before[i] = from[i][column];
    Transform::apply(after, before);
#pragma unroll
    for (int i = 0; i < Transform::to; ++i) between[i][column] = after[i];
  }
#pragma unroll
  for (int row = 0; row < Transform::to; ++row) Transform::apply(to[row], between[row]);
}
