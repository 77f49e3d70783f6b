// A separable filter: sums along rows first, then along the columns of those.
#pragma once

#include "window.cuh"

// Places in dynamic shared memory, behind the tile.
constexpr int filter_at = tiling != Tiling::none ? stored_y * pitch : 0;
constexpr int row_sums_at = filter_at + (filter_kind == Filter::shared ? weights : 0);

// The filter's copy in shared memory, if there shall be one.
__device__ inline const float* keep_filter(float* shared, const float* filter) {
  if constexpr (filter_kind != Filter::shared) return filter;
  float* copy = shared + filter_at;
  const int thread = static_cast<int>(threadIdx.y * BLOCK_DIM_X + threadIdx.x);
  for (int i = thread; i < weights; i += BLOCK_DIM_X * BLOCK_DIM_Y) copy[i] = filter[i];
  return copy;
}

// Sums of row `y` of the source at the thread's columns.
__device__ inline void add_along_row(float (&sums)[COARSENING_X], const Source& source, int y, const float* filter) {
  const Window window(source, y);
  add_row(sums, window, [&](int column) { return weight(filter, taps + column); });
}

// read(y, item): what the first pass has made of the y-th row, from `radius` before the thread's first one, at a
// column.
template <class Read>
__device__ inline void add_along_columns(float (&sums)[COARSENING_Y][COARSENING_X], const float* filter,
                                         const Read& read) {
#pragma unroll
  for (int j = 0; j < COARSENING_X; ++j) {
#pragma unroll
    for (int row = 0; row < COARSENING_Y + 2 * radius; ++row) {
      const float value = read(row, j);
#pragma unroll
      for (int i = 0; i < COARSENING_Y; ++i) {
        if (row - i >= 0 && row - i < taps) sums[i][j] += weight(filter, row - i) * value;
      }
    }
  }
}

// Both passes within the block; its tile has its halo in shared memory.
__device__ inline void convolve_by_passes(float (&sums)[COARSENING_Y][COARSENING_X], const Source& source,
                                          const float* filter, float* row_sums) {
  for (int row = static_cast<int>(threadIdx.y); row < stored_y; row += BLOCK_DIM_Y) {
    float along[COARSENING_X] = {};
    add_along_row(along, source, row - radius, filter);
#pragma unroll
    for (int i = 0; i < COARSENING_X; ++i) row_sums[row * tile_x + output_x(i)] = along[i];
  }
  __syncthreads();
  const float* first = row_sums + static_cast<int>(threadIdx.y) * COARSENING_Y * tile_x;
  add_along_columns(sums, filter, [&](int y, int item) { return first[y * tile_x + output_x(item)]; });
}
