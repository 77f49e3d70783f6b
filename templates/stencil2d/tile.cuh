// A tile with its halo in shared memory: a thread per point, and the threads at the tile's edges load the halo too.
#pragma once

#include "points.cuh"

// The stored tile is a point wider on every side. Its corners are never read.
using Tile = float[BLOCK_DIM_Y + 2][BLOCK_DIM_X + 2];

// A thread's place in the stored tile.
struct TilePlace {
  int row;
  int column;
};

__device__ inline TilePlace place_in_tile() {
  return {static_cast<int>(threadIdx.y) + 1, static_cast<int>(threadIdx.x) + 1};
}

// The point's new value, from the tile.
__device__ inline float step_in_tile(const Tile& tile, const Grid& grid, Weights weights, int row, int column) {
  const TilePlace at = place_in_tile();
  const float point = tile[at.row][at.column];
  if (row == 0 || row == grid.height - 1 || column == 0 || column == grid.width - 1) return point;
  const float sum = (tile[at.row - 1][at.column] + tile[at.row + 1][at.column]) +
                    (tile[at.row][at.column - 1] + tile[at.row][at.column + 1]);
  return weights.centre * point + weights.side * sum;
}

__device__ inline void step_by_tiles(const Grid& grid, float* output, Weights weights) {
  __shared__ Tile tile;
  const TilePlace at = place_in_tile();
  const int row = static_cast<int>(blockIdx.y) * BLOCK_DIM_Y + static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * BLOCK_DIM_X + static_cast<int>(threadIdx.x);
  tile[at.row][at.column] = grid.at(row, column);
  if (threadIdx.x == 0) tile[at.row][0] = grid.at(row, column - 1);
  if (threadIdx.x == BLOCK_DIM_X - 1) tile[at.row][BLOCK_DIM_X + 1] = grid.at(row, column + 1);
  if (threadIdx.y == 0) tile[0][at.column] = grid.at(row - 1, column);
  if (threadIdx.y == BLOCK_DIM_Y - 1) tile[BLOCK_DIM_Y + 1][at.column] = grid.at(row + 1, column);
  __syncthreads();
  if (row < grid.height && column < grid.width)
    output[static_cast<long long>(row) * grid.width + column] = step_in_tile(tile, grid, weights, row, column);
}
