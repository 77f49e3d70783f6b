// The grid and a thread's neighbouring points in a row. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/vectors.cuh>

enum class Algorithm { marching, tiled, in_place };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;

using Pack = warptune::device::Pack<float, VECTOR_WIDTH>;

struct Grid {
  const float* points;
  int height;
  int width;
  bool aligned;  // does every row begin at a multiple of VECTOR_WIDTH

  __device__ float at(int row, int column) const {
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    return inside ? points[static_cast<long long>(row) * width + column] : 0.0f;
  }

  // The thread's columns from `column` on; zeros outside the grid.
  __device__ Pack load(int row, int column) const {
    if (aligned && row >= 0 && row < height && column + VECTOR_WIDTH <= width) {
      return *reinterpret_cast<const Pack*>(points + static_cast<long long>(row) * width + column);
    }
    Pack pack;
#pragma unroll
    for (int i = 0; i < VECTOR_WIDTH; ++i) pack.at[i] = at(row, column + i);
    return pack;
  }
};

struct Weights {
  float centre;
  float side;
};
