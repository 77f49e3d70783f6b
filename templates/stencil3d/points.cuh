// The grid, a thread's points of a plane, and one step for them. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/vectors.cuh>

enum class Plane { cache, shared };

constexpr Plane plane_kind = Plane::PLANE;
constexpr auto cache_hint = warptune::device::CacheHint::CACHE_HINT;
constexpr int steps_per_pass = STEPS_PER_PASS;
constexpr int tile_x = BLOCK_DIM_X * VECTOR_WIDTH;
constexpr int tile_y = BLOCK_DIM_Y * COARSENING_Y;

using Pack = warptune::device::Pack<float, VECTOR_WIDTH>;

struct Grid {
  const float* points;
  int depth;
  int height;
  int width;
  bool aligned;  // does every row begin at a multiple of VECTOR_WIDTH

  __device__ long long place(int z, int y, int x) const { return (static_cast<long long>(z) * height + y) * width + x; }

  __device__ float at(int z, int y, int x) const {
    const bool inside = z >= 0 && z < depth && y >= 0 && y < height && x >= 0 && x < width;
    return inside ? points[place(z, y, x)] : 0.0f;
  }

  // The points from x on; zeros outside the grid.
  __device__ Pack load(int z, int y, int x) const {
    if (aligned && z >= 0 && z < depth && y >= 0 && y < height && x + VECTOR_WIDTH <= width) {
      return *reinterpret_cast<const Pack*>(points + place(z, y, x));
    }
    Pack pack;
#pragma unroll
    for (int i = 0; i < VECTOR_WIDTH; ++i) pack.at[i] = at(z, y, x + i);
    return pack;
  }
};

__device__ inline void store(float* output, const Grid& grid, int z, int y, int x, const Pack& pack) {
  float* target = output + grid.place(z, y, x);
  if (grid.aligned && x + VECTOR_WIDTH <= grid.width) {
    warptune::device::store_pack<cache_hint>(target, pack);
    return;
  }
#pragma unroll
  for (int i = 0; i < VECTOR_WIDTH; ++i)
    if (x + i < grid.width) target[i] = pack.at[i];
}

// A thread's points of one plane: COARSENING_Y rows.
struct Points {
  Pack rows[COARSENING_Y];
};

__device__ inline Points load_points(const Grid& grid, int z, int y, int x) {
  Points points;
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) points.rows[i] = grid.load(z, y + i, x);
  return points;
}

// What surrounds a thread's points within their plane.
struct Surroundings {
  Pack above;
  Pack below;
  float left[COARSENING_Y];
  float right[COARSENING_Y];
};

__device__ inline Surroundings read_surroundings(const Grid& grid, int z, int y, int x) {
  Surroundings around;
  around.above = grid.load(z, y - 1, x);
  around.below = grid.load(z, y + COARSENING_Y, x);
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) {
    around.left[i] = grid.at(z, y + i, x - 1);
    around.right[i] = grid.at(z, y + i, x + VECTOR_WIDTH);
  }
  return around;
}

// The same through the plane in shared memory; only the tile's own border asks the caches. All threads of a block come
// here together.
__device__ inline Surroundings share_surroundings(const Grid& grid, const Points& points, int z, int y, int x) {
  __shared__ Pack plane[tile_y][BLOCK_DIM_X];
  const int column = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(threadIdx.y) * COARSENING_Y;
  __syncthreads();  // the plane before has been read
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) plane[row + i][column] = points.rows[i];
  __syncthreads();
  Surroundings around;
  around.above = row > 0 ? plane[row - 1][column] : grid.load(z, y - 1, x);
  around.below = row + COARSENING_Y < tile_y ? plane[row + COARSENING_Y][column] : grid.load(z, y + COARSENING_Y, x);
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) {
    around.left[i] = column > 0 ? plane[row + i][column - 1].at[VECTOR_WIDTH - 1] : grid.at(z, y + i, x - 1);
    around.right[i] = column < BLOCK_DIM_X - 1 ? plane[row + i][column + 1].at[0] : grid.at(z, y + i, x + VECTOR_WIDTH);
  }
  return around;
}

struct Weights {
  float centre;
  float side;
};

struct Queue {
  Points behind;
  Points here;
  Points ahead;
};

__device__ inline Pack step_row(const Grid& grid, const Queue& queue, const Surroundings& around, Weights weights,
                                int i, int z, int y, int x) {
  const Pack& row = queue.here.rows[i];
  const Pack& above = i > 0 ? queue.here.rows[i - 1] : around.above;
  const Pack& below = i < COARSENING_Y - 1 ? queue.here.rows[i + 1] : around.below;
  const bool border_row = z == 0 || z == grid.depth - 1 || y + i == 0 || y + i == grid.height - 1;
  Pack result;
#pragma unroll
  for (int j = 0; j < VECTOR_WIDTH; ++j) {
    const float left = j > 0 ? row.at[j - 1] : around.left[i];
    const float right = j < VECTOR_WIDTH - 1 ? row.at[j + 1] : around.right[i];
    const bool border = border_row || x + j == 0 || x + j == grid.width - 1;
    const float sum =
        (above.at[j] + below.at[j]) + (left + right) + (queue.behind.rows[i].at[j] + queue.ahead.rows[i].at[j]);
    result.at[j] = border ? row.at[j] : weights.centre * row.at[j] + weights.side * sum;
  }
  return result;
}
