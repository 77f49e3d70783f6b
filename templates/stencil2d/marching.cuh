// A thread walks down its rows. The points above, at and below the current row stay in registers.
#pragma once

#include "points.cuh"

enum class Neighbours { cache, shuffle, shared };

constexpr Neighbours neighbours = Neighbours::NEIGHBOURS;
constexpr auto cache_hint = warptune::device::CacheHint::CACHE_HINT;
constexpr int warp = 32;
constexpr int tile_x = BLOCK_DIM_X * VECTOR_WIDTH;

__device__ inline void store(float* output, const Grid& grid, int row, int column, const Pack& pack) {
  float* target = output + static_cast<long long>(row) * grid.width + column;
  if (grid.aligned && column + VECTOR_WIDTH <= grid.width) {
    warptune::device::store_pack<cache_hint>(target, pack);
    return;
  }
#pragma unroll
  for (int i = 0; i < VECTOR_WIDTH; ++i)
    if (column + i < grid.width) target[i] = pack.at[i];
}

struct Sides {
  float left;
  float right;
};

// The points beside the thread's own. All threads of a block come here together, those outside the grid too.
__device__ inline Sides sides(const Grid& grid, const Pack& points, int row, int column) {
  if constexpr (neighbours == Neighbours::cache) return {grid.at(row, column - 1), grid.at(row, column + VECTOR_WIDTH)};
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (neighbours == Neighbours::shuffle) {
    // A warp is a part of one row: BLOCK_DIM_X is a multiple of its size.
    Sides result = {__shfl_up_sync(0xffffffffu, points.at[VECTOR_WIDTH - 1], 1),
                    __shfl_down_sync(0xffffffffu, points.at[0], 1)};
    if (thread % warp == 0) result.left = grid.at(row, column - 1);
    if (thread % warp == warp - 1) result.right = grid.at(row, column + VECTOR_WIDTH);
    return result;
  }
  __shared__ float lasts[BLOCK_DIM_Y][BLOCK_DIM_X];
  __shared__ float firsts[BLOCK_DIM_Y][BLOCK_DIM_X];
  __syncthreads();  // the row before has been read
  lasts[threadIdx.y][thread] = points.at[VECTOR_WIDTH - 1];
  firsts[threadIdx.y][thread] = points.at[0];
  __syncthreads();
  return {thread > 0 ? lasts[threadIdx.y][thread - 1] : grid.at(row, column - 1),
          thread < BLOCK_DIM_X - 1 ? firsts[threadIdx.y][thread + 1] : grid.at(row, column + VECTOR_WIDTH)};
}

__device__ inline Pack step(const Grid& grid, const Pack& above, const Pack& points, const Pack& below, Sides beside,
                            Weights weights, int row, int column) {
  Pack result;
  const bool border_row = row == 0 || row == grid.height - 1;
#pragma unroll
  for (int i = 0; i < VECTOR_WIDTH; ++i) {
    const float left = i > 0 ? points.at[i - 1] : beside.left;
    const float right = i < VECTOR_WIDTH - 1 ? points.at[i + 1] : beside.right;
    const bool border = border_row || column + i == 0 || column + i == grid.width - 1;
    const float sum = (above.at[i] + below.at[i]) + (left + right);
    result.at[i] = border ? points.at[i] : weights.centre * points.at[i] + weights.side * sum;
  }
  return result;
}

__device__ inline void step_by_marching(const Grid& grid, float* output, Weights weights) {
  const int column = static_cast<int>(blockIdx.x) * tile_x + static_cast<int>(threadIdx.x) * VECTOR_WIDTH;
  const int first = static_cast<int>(blockIdx.y * BLOCK_DIM_Y + threadIdx.y) * COARSENING_Y;
  Pack above = grid.load(first - 1, column);
  Pack points = grid.load(first, column);
  Pack below = grid.load(first + 1, column);
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) {
    const int row = first + i;
    Pack next;
    if constexpr (PREFETCH) next = grid.load(row + 2, column);
    const Sides beside = sides(grid, points, row, column);
    if (row < grid.height && column < grid.width) {
      store(output, grid, row, column, step(grid, above, points, below, beside, weights, row, column));
    }
    above = points;
    points = below;
    if (PREFETCH) {
      below = next;
    } else if (i < COARSENING_Y - 1) {
      below = grid.load(row + 2, column);
    }
  }
}
