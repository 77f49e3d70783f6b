// output = input convolved with a square filter of (2 * FILTER_RADIUS + 1)^2 taps; beyond the image's border are zeros.
// The problem says whether the filter is any square or the product of a column and a row (SEPARABLE),
// for which 2 * taps multiplications would do instead of taps * taps.
//
//   BLOCK_DIM_X, BLOCK_DIM_Y    threads per block
//   COARSENING_X, COARSENING_Y  outputs per thread along each axis: what a thread has read serves several of them
//   COARSENING_ORDER  along x a thread's outputs are neighbours (consecutive: one window of registers slides over them)
//                     or a block's width apart (strided: no bank conflicts, but every tap is read for itself)
//   TILING            none: every tap comes through the caches; cached_halo: the block's outputs' own inputs are in
//                     shared memory, the halo around them comes through the caches; output_tile: the block is as wide
//                     and high as its outputs (COARSENING_* of them per thread) and loads them and the halo in several
//                     steps; input_tile: the block is as wide and high as its inputs, each thread loads one, and those
//                     over the halo compute nothing
//   FILTER            constant: in constant memory, one broadcast per tap; global: through the read-only cache; shared:
//                     a copy in shared memory
//   PASSES            one: every tap of the square; for a separable filter also block: the tile's rows, then its
//                     columns, through shared memory; launches: the same in two launches, through global memory
//   PADDING           columns added to each row of the shared tile, so that rows begin in different banks
//   FULLY_UNROLLED    are the loops over the filter's rows unrolled, so that taps become constants in the code
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 7 (constant filter; blocks as
// wide as the output tile or as the input tile; the caches for the halo);
// Podlozhnyuk, "Image Convolution with CUDA" (NVIDIA, 2007), also for separable filters; van Werkhoven et al.,
// "Optimizing Convolution Operations on GPUs Using Adaptive Tiling" (FGCS 2014) for coarsening along both axes and
// padding.

#include "input_tile.cuh"
#include "separable.cuh"

// Each input row is read once and serves all of the thread's output rows that it reaches.
__device__ inline void convolve(float (&sums)[COARSENING_Y][COARSENING_X], const Source& source, const float* filter) {
  constexpr int rows = COARSENING_Y + 2 * radius;
  constexpr int unrolled_rows = FULLY_UNROLLED ? rows : 1;
  const int first = static_cast<int>(threadIdx.y) * COARSENING_Y;
#pragma unroll(unrolled_rows)
  for (int row = 0; row < rows; ++row) {
    const Window window(source, first + row - radius);
#pragma unroll
    for (int i = 0; i < COARSENING_Y; ++i) {
      if (row - i >= 0 && row - i < taps)
        add_row(sums[i], window, [&](int column) { return tap(filter, row - i, column); });
    }
  }
}

__device__ inline void store_outputs(float* output, const float (&sums)[COARSENING_Y][COARSENING_X], const Image& image,
                                     int row, int column) {
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) {
    const int y = row + static_cast<int>(threadIdx.y) * COARSENING_Y + i;
#pragma unroll
    for (int j = 0; j < COARSENING_X; ++j) {
      const int x = column + output_x(j);
      if (y < image.height && x < image.width) output[static_cast<long long>(y) * image.width + x] = sums[i][j];
    }
  }
}

// input, output: height * width floats, row-major; filter: `weights` floats, and in constant_filter the same. Dynamic
// shared memory: the tile, then the filter, then (by block) sums along rows. A block computes tile_y * tile_x outputs,
// or those of its input tile.
extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y)
    convolution2d(const float* __restrict__ input, float* __restrict__ output, const float* __restrict__ filter,
                  int height, int width) {
  extern __shared__ float tile[];
  const int row = static_cast<int>(blockIdx.y) * tile_y;
  const int column = static_cast<int>(blockIdx.x) * tile_x;
  const Image image{input, height, width};
  if constexpr (tiling == Tiling::input_tile) {
    convolve_input_tile(tile, image, output, filter);
    return;
  }
  if constexpr (tiling != Tiling::none) load_tile(tile, image, row, column);
  filter = keep_filter(tile, filter);
  if constexpr (tiling != Tiling::none || filter_kind == Filter::shared) __syncthreads();

  float sums[COARSENING_Y][COARSENING_X] = {};
  const Source source{image, tile, row, column};
  if constexpr (passes == Passes::block) {
    convolve_by_passes(sums, source, filter, tile + row_sums_at);
  } else {
    convolve(sums, source, filter);
  }
  store_outputs(output, sums, image, row, column);
}

// The first of two launches: sums along rows.
extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y)
    convolve_rows(const float* __restrict__ input, float* __restrict__ output, const float* __restrict__ filter,
                  int height, int width) {
  if constexpr (passes != Passes::launches) return;
  extern __shared__ float shared[];
  const int row = static_cast<int>(blockIdx.y) * tile_y;
  const int column = static_cast<int>(blockIdx.x) * tile_x;
  const Image image{input, height, width};
  filter = keep_filter(shared, filter);
  if constexpr (filter_kind == Filter::shared) __syncthreads();
  float sums[COARSENING_Y][COARSENING_X] = {};
  const Source source{image, nullptr, row, column};
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i)
    add_along_row(sums[i], source, static_cast<int>(threadIdx.y) * COARSENING_Y + i, filter);
  store_outputs(output, sums, image, row, column);
}

// The second: sums along columns of those.
extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y)
    convolve_columns(const float* __restrict__ row_sums, float* __restrict__ output, const float* __restrict__ filter,
                     int height, int width) {
  if constexpr (passes != Passes::launches) return;
  extern __shared__ float shared[];
  const int row = static_cast<int>(blockIdx.y) * tile_y;
  const int column = static_cast<int>(blockIdx.x) * tile_x;
  const Image image{row_sums, height, width};
  filter = keep_filter(shared, filter);
  if constexpr (filter_kind == Filter::shared) __syncthreads();
  float sums[COARSENING_Y][COARSENING_X] = {};
  const int first = row + static_cast<int>(threadIdx.y) * COARSENING_Y - radius;
  add_along_columns(sums, filter, [&](int y, int item) { return image.at(first + y, column + output_x(item)); });
  store_outputs(output, sums, image, row, column);
}
