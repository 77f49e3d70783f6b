// output = input convolved with a square filter of (2 * FILTER_RADIUS + 1)^2 taps; beyond the image's border are zeros.
// The problem says whether the filter is any square or the product of a column and a row (SEPARABLE),
// for which 2 * taps multiplications would do instead of taps * taps.
//
//   BLOCK_X, BLOCK_Y   threads a block
//   ITEMS_X, ITEMS_Y   outputs a thread computes along each axis: what it has read serves several of them
//   ITEM_ORDER         along x a thread's outputs are neighbours (consecutive: one window of registers slides over
//                      them) or a block's width apart (strided: no bank conflicts, but every tap is read for itself)
//   HALO               none: every tap comes through the caches; tile: the block's outputs' own inputs are in shared
//                      memory, the halo around them comes through the caches; shared: the halo is in shared memory too
//   FILTER             constant: in constant memory, one broadcast a tap; global: through the read-only cache; shared:
//                      a copy in shared memory
//   PASSES             one: every tap of the square; for a separable filter also block: the tile's rows, then its
//                      columns, through shared memory; launches: the same in two launches, through global memory
//   PADDED             has a row of the shared tile one more column, so that rows begin in different banks
//   UNROLL             are the loops over the filter's rows unrolled, so that taps become constants in the code
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 7 (constant filter, the three halo strategies);
// Podlozhnyuk, "Image Convolution with CUDA" (NVIDIA, 2007), also for separable filters; van Werkhoven et al.,
// "Optimizing Convolution Operations on GPUs Using Adaptive Tiling" (FGCS 2014) for items along both axes and padding.

#include "separable.cuh"

// Each input row is read once and serves all of the thread's output rows that it reaches.
__device__ inline void convolve(float (&sums)[ITEMS_Y][ITEMS_X], const Source& source, const float* filter) {
  constexpr int rows = ITEMS_Y + 2 * radius;
  const int first = static_cast<int>(threadIdx.y) * ITEMS_Y;
#pragma unroll(UNROLL ? rows : 1)
  for (int row = 0; row < rows; ++row) {
    const Window window(source, first + row - radius);
#pragma unroll
    for (int i = 0; i < ITEMS_Y; ++i) {
      if (row - i >= 0 && row - i < taps)
        add_row(sums[i], window, [&](int column) { return tap(filter, row - i, column); });
    }
  }
}

__device__ inline void store_outputs(float* output, const float (&sums)[ITEMS_Y][ITEMS_X], const Image& image, int row,
                                     int column) {
#pragma unroll
  for (int i = 0; i < ITEMS_Y; ++i) {
    const int y = row + static_cast<int>(threadIdx.y) * ITEMS_Y + i;
#pragma unroll
    for (int j = 0; j < ITEMS_X; ++j) {
      const int x = column + output_x(j);
      if (y < image.height && x < image.width) output[static_cast<long long>(y) * image.width + x] = sums[i][j];
    }
  }
}

// input, output: height * width floats, row-major; filter: `weights` floats, and in constant_filter the same. Dynamic
// shared memory: the tile, then the filter, then (by block) sums along rows. A block computes tile_y * tile_x outputs.
extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    convolution2d(const float* __restrict__ input, float* __restrict__ output, const float* __restrict__ filter,
                  int height, int width) {
  extern __shared__ float tile[];
  const int row = static_cast<int>(blockIdx.y) * tile_y;
  const int column = static_cast<int>(blockIdx.x) * tile_x;
  const Image image{input, height, width};
  if constexpr (halo != Halo::none) load_tile(tile, image, row, column);
  filter = keep_filter(tile, filter);
  if constexpr (halo != Halo::none || filter_kind == Filter::shared) __syncthreads();

  float sums[ITEMS_Y][ITEMS_X] = {};
  const Source source{image, tile, row, column};
  if constexpr (passes == Passes::block) {
    convolve_by_passes(sums, source, filter, tile + row_sums_at);
  } else {
    convolve(sums, source, filter);
  }
  store_outputs(output, sums, image, row, column);
}

// The first of two launches: sums along rows.
extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    convolve_rows(const float* __restrict__ input, float* __restrict__ output, const float* __restrict__ filter,
                  int height, int width) {
  if constexpr (passes != Passes::launches) return;
  extern __shared__ float shared[];
  const int row = static_cast<int>(blockIdx.y) * tile_y;
  const int column = static_cast<int>(blockIdx.x) * tile_x;
  const Image image{input, height, width};
  filter = keep_filter(shared, filter);
  if constexpr (filter_kind == Filter::shared) __syncthreads();
  float sums[ITEMS_Y][ITEMS_X] = {};
  const Source source{image, nullptr, row, column};
#pragma unroll
  for (int i = 0; i < ITEMS_Y; ++i) add_along_row(sums[i], source, static_cast<int>(threadIdx.y) * ITEMS_Y + i, filter);
  store_outputs(output, sums, image, row, column);
}

// The second: sums along columns of those.
extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    convolve_columns(const float* __restrict__ row_sums, float* __restrict__ output, const float* __restrict__ filter,
                     int height, int width) {
  if constexpr (passes != Passes::launches) return;
  extern __shared__ float shared[];
  const int row = static_cast<int>(blockIdx.y) * tile_y;
  const int column = static_cast<int>(blockIdx.x) * tile_x;
  const Image image{row_sums, height, width};
  filter = keep_filter(shared, filter);
  if constexpr (filter_kind == Filter::shared) __syncthreads();
  float sums[ITEMS_Y][ITEMS_X] = {};
  const int first = row + static_cast<int>(threadIdx.y) * ITEMS_Y - radius;
  add_along_columns(sums, filter, [&](int y, int item) { return image.at(first + y, column + output_x(item)); });
  store_outputs(output, sums, image, row, column);
}
