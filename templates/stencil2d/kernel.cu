// One step of the 5-point stencil: output = centre * point + side * (its four neighbours' sum) inside, and on the
// border a copy of the input. Nine of ten bytes of the naive kernel's reads are repeats; the question is where they are
// kept.
//
//   BLOCK_DIM_X, BLOCK_DIM_Y  threads per block
//   VECTOR_WIDTH  neighbouring columns per thread, and floats moved by one access
//   COARSENING_Y  rows per thread, which walks down; above, point and below stay in registers meanwhile
//   NEIGHBOURS    the columns left and right of a thread's own: cache: read again, from the L1 cache; shuffle: from the
//                 neighbouring threads of the warp; shared: through a row in shared memory
//   PREFETCH      is the row after the next one read a step ahead
//   CACHE_HINT    of the stores: plain; streaming: the output is not read again
//
// Sources: Micikevicius, "3D Finite Difference Computation on GPUs Using CUDA" (GPGPU-2, 2009) for walking with a queue
// of registers; Holewinski, Pouchet & Sadayappan, "High-Performance Code Generation for Stencil Computations on GPU
// Architectures" (ICS 2012); Chen et al., "A Versatile Software Systolic Execution Model for GPU Memory-Bound Kernels"
// (SC 2019) for shuffles.

enum class Neighbours { cache, shuffle, shared };
enum class CacheHint { plain, streaming };

constexpr Neighbours neighbours = Neighbours::NEIGHBOURS;
constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;
constexpr int warp = 32;
constexpr int tile_x = BLOCK_DIM_X * VECTOR_WIDTH;

struct alignas(4 * VECTOR_WIDTH) Pack {
  float at[VECTOR_WIDTH];
};

template <int Width>
struct VectorOf;
template <>
struct VectorOf<1> {
  using type = float;
};
template <>
struct VectorOf<2> {
  using type = float2;
};
template <>
struct VectorOf<4> {
  using type = float4;
};
using Vector = VectorOf<VECTOR_WIDTH>::type;

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

__device__ inline void store(float* output, const Grid& grid, int row, int column, const Pack& pack) {
  float* target = output + static_cast<long long>(row) * grid.width + column;
  if (grid.aligned && column + VECTOR_WIDTH <= grid.width) {
    if constexpr (cache_hint == CacheHint::streaming) {
      __stcs(reinterpret_cast<Vector*>(target), reinterpret_cast<const Vector&>(pack));
    } else {
      *reinterpret_cast<Pack*>(target) = pack;
    }
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

struct Weights {
  float centre;
  float side;
};

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

// input, output: height * width floats, row-major, aligned to 16 bytes. A block computes tile_x columns and
// BLOCK_DIM_Y * COARSENING_Y rows.
extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y)
    stencil2d(const float* __restrict__ input, float* __restrict__ output, float centre, float side, int height,
              int width) {
  const Grid grid{input, height, width, width % VECTOR_WIDTH == 0};
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
    if (row < height && column < width) {
      store(output, grid, row, column, step(grid, above, points, below, beside, {centre, side}, row, column));
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
