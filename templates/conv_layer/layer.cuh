// The layer's shape, and the patch of the input that one pixel of the output sees. The parameters are described in
// kernel.cu.
#pragma once

#include "product.cuh"

enum class Algorithm { direct, tiled, im2col, implicit_gemm, winograd, fft };
enum class DepthOrder { channels, taps };
enum class FilterLayout { given, reordered };
enum class Offsets { computed, table };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr DepthOrder depth_order = DepthOrder::DEPTH_ORDER;
constexpr FilterLayout filter_layout = FilterLayout::FILTER_LAYOUT;
constexpr Offsets offsets_from = Offsets::OFFSETS;

constexpr int taps_y = TAPS_Y;
constexpr int taps_x = TAPS_X;
constexpr int taps = taps_y * taps_x;
constexpr int stride = STRIDE_XY;
// The patches of 1 x 1 are the pixels themselves, in their order: whole vectors of them.
constexpr bool pointwise = taps == 1 && stride == 1;

__host__ __device__ constexpr int round_up(int value, int step) {
  return (value + step - 1) / step * step;
}

struct Layer {
  const float* input;
  int images;
  int channels;
  int height;
  int width;
  int filters;
  int pad_y;
  int pad_x;

  __device__ static int outputs(int extent, int pad, int reach) {
    return max_of(extent + 2 * pad - reach, 0) / stride + 1;
  }
  __device__ int out_height() const { return outputs(height, pad_y, taps_y); }
  __device__ int out_width() const { return outputs(width, pad_x, taps_x); }
  __device__ int out_plane() const { return out_height() * out_width(); }
  __device__ int plane() const { return height * width; }
  __device__ int pixels() const { return images * out_plane(); }
  __device__ int depth() const { return channels * taps; }
  // The rows of reordered filters start aligned.
  __device__ int filter_pitch() const { return round_up(filters, 4); }
};

// Where a patch begins in its image's first channel, and which of its rows and columns are inside the image, a bit
// each: two shifts then answer for a tap, where coordinates would take two additions and two comparisons.
struct Patch {
  const float* corner;  // may lie outside
  unsigned rows = 0;
  unsigned columns = 0;

  __device__ bool holds(int y, int x) const { return (rows >> y & columns >> x & 1u) != 0; }
};

__device__ inline unsigned bits_inside(int first, int count, int extent) {
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < count; ++i) bits |= (first + i >= 0 && first + i < extent ? 1u : 0u) << i;
  return bits;
}

// Of the output's pixel with this number, counted through all images; past the last one a patch that holds nothing.
__device__ inline Patch patch_of(const Layer& layer, int pixel) {
  if (pixel >= layer.pixels()) return {layer.input};
  const int image = pixel / layer.out_plane();
  const int within = pixel - image * layer.out_plane();
  const int y = within / layer.out_width() * stride - layer.pad_y;
  const int x = within % layer.out_width() * stride - layer.pad_x;
  const float* planes = layer.input + static_cast<long long>(image) * layer.channels * layer.plane();
  return {planes + static_cast<long long>(y) * layer.width + x, bits_inside(y, taps_y, layer.height),
          bits_inside(x, taps_x, layer.width)};
}

// A step along the depth: which tap, and how far from a patch's corner it lies.
struct Step {
  int offset;
  int y;
  int x;
};

__device__ inline Step step_of(const Layer& layer, int channel, int y, int x) {
  return {channel * layer.plane() + y * layer.width + x, y, x};
}

// Step d where a channel's taps follow each other, as they lie in the filters.
__device__ inline Step step_by_channels(const Layer& layer, int d) {
  const int tap = d % taps;
  return step_of(layer, d / taps, tap / taps_x, tap % taps_x);
}

// The same from a table that a kernel has written before: the offset, then the tap's row and column.
__device__ inline Step step_from_table(const int2* table, int d) {
  const int2 entry = __ldg(table + d);
  return {entry.x, entry.y >> 8, entry.y & 255};
}

__device__ inline int2 table_entry(const Step& step) {
  return {step.offset, step.y << 8 | step.x};
}

template <int Width>
__device__ inline void write_pixels(float* output, const float* sums) {
  *reinterpret_cast<Pack<Width>*>(output) = pack_of<Width>(sums);
}
