// Every operand through the caches.
#pragma once

#include "implicit_gemm.cuh"

// Where the filters keep what `filter` multiplies step (channel, tap) by.
__device__ inline long long place_of_weight(const Layer& layer, int filter, int channel, int tap) {
  const long long step = depth_order == DepthOrder::taps ? static_cast<long long>(tap) * layer.channels + channel
                                                         : static_cast<long long>(channel) * taps + tap;
  return filter_layout == FilterLayout::given ? static_cast<long long>(filter) * layer.depth() + step
                                              : step * layer.filter_pitch() + filter;
}

// Filters beyond the last one read the last one's weights: what they sum up is never stored.
__device__ inline void add_tap(Accumulator& sums, const Layer& layer, const float* filters,
                               const Patch (&patches)[COARSENING_N], int first_filter, int channel, int y, int x) {
  const Step step = step_of(layer, channel, y, x);
  float values[COARSENING_N];
#pragma unroll
  for (int j = 0; j < COARSENING_N; ++j)
    values[j] = patches[j].holds(y, x) ? __ldg(patches[j].corner + step.offset) : 0.0f;
#pragma unroll
  for (int i = 0; i < COARSENING_M; ++i) {
    const int filter = min_of(first_filter + row_offset(i), layer.filters - 1);
    const float weight = __ldg(filters + place_of_weight(layer, filter, channel, y * taps_x + x));
#pragma unroll
    for (int j = 0; j < COARSENING_N; ++j) sums[i][j] += weight * values[j];
  }
}

__device__ inline void convolve_directly(const Layer& layer, const float* filters, float* output) {
  const Place at = tile_of_block(static_cast<int>(blockIdx.x), layer.filters, layer.pixels());
  const Place mine = place_in_block();
  const Place first{at.row + mine.row, at.column + mine.column};
  Patch patches[COARSENING_N];
#pragma unroll
  for (int j = 0; j < COARSENING_N; ++j) patches[j] = patch_of(layer, first.column + column_offset(j));
  Accumulator sums = {};
  for (int channel = 0; channel < layer.channels; ++channel) {
#pragma unroll 1
    for (int y = 0; y < taps_y; ++y) {
#pragma unroll
      for (int x = 0; x < taps_x; ++x) add_tap(sums, layer, filters, patches, first.row, channel, y, x);
    }
  }
  write_layer(output, layer, sums, first);
}
