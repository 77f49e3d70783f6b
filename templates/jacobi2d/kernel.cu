// Laplace's equation by Jacobi's iteration: each step, every inner point becomes the mean of its four neighbours; the
// border stays. `steps` steps, and the largest change of the last one, which is what a convergence test asks for.
//
//   ALGORITHM         tiles: steps between two tiles in shared memory; march: steps in registers, row by row, by warps
//                     that need neither shared memory nor barriers (march.cuh)
//   STEPS_PER_LAUNCH  steps between two exchanges of the blocks' borders through global memory: a block reads a halo of
//                     that many points around its tile and computes part of its neighbours' work again, but memory is
//                     read and written once for all of these steps (temporal blocking with overlapped tiles)
//   TILE_X, TILE_Y    the part of the grid that a block writes; marching, the columns a warp holds, its halo among
//                     them, and the rows it writes
//   BLOCK_DIM_X, BLOCK_DIM_Y  threads per block, which walk over the tile and its halo; marching, a warp, and warps
//                     side by side
//   PREFETCH_ROWS     marching, rows that are on their way from memory while one is used
//   PADDING           columns added to each row of the shared tile, so that rows begin in different banks
//   NORM              how the block's largest change is found: shuffle: within warps, then among them; atomic: every
//                     thread asks shared memory
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 8; Meng & Skadron, "Performance Modeling and
// Automatic Ghost Zone Optimization for Iterative Stencil Loops on GPUs" (ICS 2009); Holewinski, Pouchet & Sadayappan,
// "High-Performance Code Generation for Stencil Computations on GPU Architectures" (ICS 2012) for overlapped tiles;
// Chen et al., "A Versatile Software Systolic Execution Model for GPU Memory-Bound Kernels" (SC 2019) for rows in
// registers whose neighbours come by shuffles.

enum class Algorithm { tiles, march };
enum class Norm { shuffle, atomic };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Norm norm_kind = Norm::NORM;
constexpr int warp = 32;
constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y;
constexpr int halo = STEPS_PER_LAUNCH;
constexpr int stored_x = TILE_X + 2 * halo;
constexpr int stored_y = TILE_Y + 2 * halo;
constexpr int pitch = stored_x + PADDING;
constexpr int tile_floats = stored_y * pitch;

#include "march.cuh"

// Marching, registers limit how many warps there are at a time: as many blocks as the stripes without borders leave
// room for, though the others may spill a little then.
constexpr int march_registers = (2 * STEPS_PER_LAUNCH + PREFETCH_ROWS + 1) * columns + 28;
constexpr int resident_blocks = algorithm == Algorithm::march ? 65536 / (march_registers * threads) : 1;

// The grid, and where this block's tile with its halo begins in it.
struct Grid {
  int height;
  int width;
  int first_row;
  int first_column;

  __device__ bool holds(int row, int column) const {
    return first_row + row >= 0 && first_row + row < height && first_column + column >= 0 &&
           first_column + column < width;
  }
  __device__ bool is_border(int row, int column) const {
    return first_row + row == 0 || first_row + row == height - 1 || first_column + column == 0 ||
           first_column + column == width - 1;
  }
  __device__ long long place(int row, int column) const {
    return static_cast<long long>(first_row + row) * width + first_column + column;
  }
};

__device__ inline void load_tile(float* tile, const float* grid_points, const Grid& grid) {
  for (int row = static_cast<int>(threadIdx.y); row < stored_y; row += BLOCK_DIM_Y) {
    for (int column = static_cast<int>(threadIdx.x); column < stored_x; column += BLOCK_DIM_X) {
      tile[row * pitch + column] = grid.holds(row, column) ? grid_points[grid.place(row, column)] : 0.0f;
    }
  }
}

__device__ inline float mean_of_neighbours(const float* tile, int row, int column) {
  const float* point = tile + row * pitch + column;
  return 0.25f * ((point[-pitch] + point[pitch]) + (point[-1] + point[1]));
}

// One step over the part of the tile whose neighbours are right: `margin` points less on every side. Returns this
// thread's largest change.
__device__ inline float step(const float* from, float* to, const Grid& grid, int margin) {
  float largest = 0.0f;
  for (int row = margin + static_cast<int>(threadIdx.y); row < stored_y - margin; row += BLOCK_DIM_Y) {
    for (int column = margin + static_cast<int>(threadIdx.x); column < stored_x - margin; column += BLOCK_DIM_X) {
      if (!grid.holds(row, column)) continue;
      const float before = from[row * pitch + column];
      const float after = grid.is_border(row, column) ? before : mean_of_neighbours(from, row, column);
      to[row * pitch + column] = after;
      largest = fmaxf(largest, fabsf(after - before));
    }
  }
  return largest;
}

// Changes are not negative: as integers their bits have the same order.
__device__ inline void report_change(float change, unsigned* largest) {
  __shared__ unsigned block_largest;
  const int thread = static_cast<int>(threadIdx.y * BLOCK_DIM_X + threadIdx.x);
  if (thread == 0) block_largest = 0;
  __syncthreads();
  if constexpr (norm_kind == Norm::shuffle) {
#pragma unroll
    for (int offset = warp / 2; offset > 0; offset /= 2) {
      change = fmaxf(change, __shfl_down_sync(0xffffffffu, change, offset));
    }
    if (thread % warp == 0) atomicMax(&block_largest, __float_as_uint(change));
  } else {
    atomicMax(&block_largest, __float_as_uint(change));
  }
  __syncthreads();
  if (thread == 0) atomicMax(largest, block_largest);
}

__device__ inline void store_tile(const float* tile, float* grid_points, const Grid& grid) {
  for (int row = static_cast<int>(threadIdx.y); row < TILE_Y; row += BLOCK_DIM_Y) {
    for (int column = static_cast<int>(threadIdx.x); column < TILE_X; column += BLOCK_DIM_X) {
      if (grid.holds(row + halo, column + halo)) {
        grid_points[grid.place(row + halo, column + halo)] = tile[(row + halo) * pitch + column + halo];
      }
    }
  }
}

// Returns this thread's largest change in the last of `count` steps. Dynamic shared memory: two tiles with their halo.
__device__ inline float step_in_tiles(const float* source, float* target, int height, int width, int count) {
  extern __shared__ float tiles[];
  const Grid grid{height, width, static_cast<int>(blockIdx.y) * TILE_Y - halo,
                  static_cast<int>(blockIdx.x) * TILE_X - halo};
  float* from = tiles;
  float* to = tiles + tile_floats;
  load_tile(from, source, grid);
  float largest = 0.0f;
  for (int i = 1; i <= count; ++i) {
    __syncthreads();
    // The last step is done for the block's own points only: nobody counts a change twice, or one that is not right.
    largest = step(from, to, grid, i < count ? i : halo);
    float* done = to;
    to = from;
    from = done;
  }
  __syncthreads();
  store_tile(from, target, grid);
  return largest;
}

// Launch number `pass` of `passes`: the first reads the input, the last writes the output, and in between the buffers
// take turns. change: the bits of a float, zero before the last launch.
extern "C" __global__ void __launch_bounds__(threads, resident_blocks)
    jacobi2d(const float* __restrict__ input, float* output, float* other, unsigned* change, int height, int width,
             int steps, int pass, int passes) {
  const float* source = pass == 0 ? input : (passes - pass) % 2 == 0 ? output : other;
  float* target = (passes - pass) % 2 == 1 ? output : other;
  const int count = min(STEPS_PER_LAUNCH, steps - pass * STEPS_PER_LAUNCH);
  float largest;
  if constexpr (algorithm == Algorithm::tiles) {
    largest = step_in_tiles(source, target, height, width, count);
  } else {
    largest = march_stripe(source, target, height, width, count);
  }
  if (pass == passes - 1) report_change(largest, change);
}
