// The convolution as a product whose second matrix exists (im2col). One kernel unrolls the patches of some images: the
// matrix has a row for each tap of each channel, and a column for each pixel of the output. The next kernel multiplies
// the filters by it. Both go on with the next images, and use the same matrix again.
#pragma once

#include "implicit_gemm.cuh"

constexpr int unroll_threads = 256;

// A thread per channel and pixel writes the pixel's taps, a row apart. Neighbouring threads write neighbouring columns.
// The columns behind the last pixel, up to the pitch, become zeros.
__device__ inline void unroll_patch(const Layer& layer, float* unrolled, int pitch) {
  const long long thread = static_cast<long long>(blockIdx.x) * unroll_threads + threadIdx.x;
  const int channel = static_cast<int>(thread / pitch);
  const int pixel = static_cast<int>(thread % pitch);
  if (channel >= layer.channels) return;
  const Patch patch = patch_of(layer, pixel);
  float* column = unrolled + static_cast<long long>(channel) * taps * pitch + pixel;
#pragma unroll
  for (int y = 0; y < taps_y; ++y) {
#pragma unroll
    for (int x = 0; x < taps_x; ++x) {
      const int offset = step_of(layer, channel, y, x).offset;
      column[static_cast<long long>(y * taps_x + x) * pitch] = patch.holds(y, x) ? __ldg(patch.corner + offset) : 0.0f;
    }
  }
}

// Rows of the matrix are whole vectors; Width: floats of the filters that one access moves.
template <int Width>
__device__ inline void multiply_unrolled(Accumulator& sums, const Layer& layer, const float* filters,
                                         const float* unrolled, int pitch, Place at, Place mine) {
  extern __shared__ float4 shared_storage[];
  using B = FromRowsAcrossK<TileOfB, VECTOR_WIDTH>;
  auto a = tiles_of_filters<Width>(layer, filters, at.row, 0);
  Ring<decltype(a), B> ring{reinterpret_cast<float*>(shared_storage),
                            a,
                            {window_on<typename B::Part>(unrolled, layer.depth(), pitch, pitch, 0, at.column)}};
  multiply_all(sums, ring, mine, layer.depth());
}

__device__ inline void convolve_unrolled(const Layer& layer, const float* filters, const float* unrolled, float* output,
                                         int pitch) {
  const Place at = tile_of_block(static_cast<int>(blockIdx.x), layer.filters, layer.pixels());
  const Place mine = place_in_block();
  Accumulator sums = {};
  if (filter_layout == FilterLayout::reordered || layer.depth() % VECTOR_WIDTH == 0) {
    multiply_unrolled<VECTOR_WIDTH>(sums, layer, filters, unrolled, pitch, at, mine);
  } else {
    multiply_unrolled<1>(sums, layer, filters, unrolled, pitch, at, mine);
  }
  if (static_cast<int>(threadIdx.x) >= slice_threads) return;
  write_layer(output, layer, sums, {at.row + mine.row, at.column + mine.column});
}
