// Several steps while marching along z once (3.5-D blocking): as a plane arrives, each step computes the plane that
// lies as many planes behind as it has steps before it. Within planes the tile overlaps its neighbours by a point a
// step, whose values go wrong from the edge inwards and are never stored.
#pragma once

#include "points.cuh"

constexpr int halo_y = steps_per_pass;
constexpr int halo_x = (steps_per_pass + VECTOR_WIDTH - 1) / VECTOR_WIDTH * VECTOR_WIDTH;  // whole vectors
constexpr int inner_y = tile_y - 2 * halo_y;
constexpr int inner_x = tile_x - 2 * halo_x;

// What a step keeps of its input: the planes behind and at the one it computes next.
struct Level {
  Points behind;
  Points here;
};

// Vectors that begin before the grid lie outside it as a whole.
__device__ inline Points load_tile(const Grid& grid, int z, int y, int x) {
  if (x < 0) return {};
  return load_points(grid, z, y, x);
}

using SharedPlane = Pack[tile_y][BLOCK_DIM_X];

// At the tile's edge a neighbour is missing; the point itself stands in for it.
__device__ inline Surroundings surroundings_in(const SharedPlane& plane) {
  const int column = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(threadIdx.y) * COARSENING_Y;
  Surroundings around;
  around.above = plane[max(row - 1, 0)][column];
  around.below = plane[min(row + COARSENING_Y, tile_y - 1)][column];
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) {
    around.left[i] = plane[row + i][max(column - 1, 0)].at[VECTOR_WIDTH - 1];
    around.right[i] = plane[row + i][min(column + 1, BLOCK_DIM_X - 1)].at[0];
  }
  return around;
}

// Plane z of the next level.
__device__ inline Points step_points(const Grid& grid, const Level& level, const Points& ahead,
                                     const SharedPlane& plane, Weights weights, int z, int y, int x) {
  const Surroundings around = surroundings_in(plane);
  const Queue queue{level.behind, level.here, ahead};
  Points result;
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) result.rows[i] = step_row(grid, queue, around, weights, i, z, y, x);
  return result;
}

__device__ inline void store_inner(float* output, const Grid& grid, const Points& points, int z, int y, int x) {
  const int column = static_cast<int>(threadIdx.x) * VECTOR_WIDTH;
  const int row = static_cast<int>(threadIdx.y) * COARSENING_Y;
  if (column < halo_x || column >= tile_x - halo_x || x >= grid.width) return;
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) {
    if (row + i >= halo_y && row + i < tile_y - halo_y && y + i < grid.height)
      store(output, grid, z, y + i, x, points.rows[i]);
  }
}

// The first `steps` of steps_per_pass steps; a step too many hands its planes on as they are.
__device__ inline void take_steps(const Grid& grid, float* output, Weights weights, int steps) {
  __shared__ SharedPlane planes[steps_per_pass];
  const int x = static_cast<int>(blockIdx.x) * inner_x - halo_x + static_cast<int>(threadIdx.x) * VECTOR_WIDTH;
  const int y = static_cast<int>(blockIdx.y) * inner_y - halo_y + static_cast<int>(threadIdx.y) * COARSENING_Y;
  const int first = static_cast<int>(blockIdx.z) * COARSENING_Z;
  const int end = min(first + COARSENING_Z, grid.depth);
  Level levels[steps_per_pass] = {};
  Points next = load_tile(grid, first - steps_per_pass, y, x);
  for (int z = first - steps_per_pass; z < end + steps_per_pass; ++z) {
    Points arriving = next;
    if constexpr (PREFETCH) next = load_tile(grid, z + 1, y, x);
    __syncthreads();  // the planes before have been read
#pragma unroll
    for (int t = 0; t < steps_per_pass; ++t) {
#pragma unroll
      for (int i = 0; i < COARSENING_Y; ++i)
        planes[t][static_cast<int>(threadIdx.y) * COARSENING_Y + i][threadIdx.x] = levels[t].here.rows[i];
    }
    __syncthreads();
#pragma unroll
    for (int t = 0; t < steps_per_pass; ++t) {
      Points result = levels[t].here;
      if (t < steps) result = step_points(grid, levels[t], arriving, planes[t], weights, z - t - 1, y, x);
      levels[t].behind = levels[t].here;
      levels[t].here = arriving;
      arriving = result;
    }
    if (z - steps_per_pass >= first) store_inner(output, grid, arriving, z - steps_per_pass, y, x);
    if constexpr (!PREFETCH) next = load_tile(grid, z + 1, y, x);
  }
}
