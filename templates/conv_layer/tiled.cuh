// A block's part of the image, with its halo, and the filters for it in shared memory, TILE_K channels at once: a
// pixel comes there once for all taps, where the product's tiles hold it once for each.
#pragma once

#include "implicit_gemm.cuh"

constexpr int patch_x = algorithm == Algorithm::tiled ? TILE_X : COARSENING_N;
constexpr int patch_y = TILE_N / patch_x;
constexpr int region_y = (patch_y - 1) * stride + taps_y;
constexpr int region_x = (patch_x - 1) * stride + taps_x;
constexpr int region_pitch = round_up(region_x, 4);
constexpr int region = TILE_K * region_y * region_pitch;
// What a thread sees of a row: its pixels are neighbours, whose windows overlap.
constexpr int seen_x = (COARSENING_N - 1) * stride + taps_x;

// Which outputs a block computes.
struct Area {
  int image;
  int filter;
  int y;
  int x;
};

__device__ inline Area area_of_block(const Layer& layer) {
  const int areas_x = (layer.out_width() - 1) / patch_x + 1;
  const int areas_y = (layer.out_height() - 1) / patch_y + 1;
  const int parts = (layer.filters - 1) / TILE_M + 1;
  int block = static_cast<int>(blockIdx.x);
  const int part = block % parts;  // neighbours share the image's part in the L2 cache
  block /= parts;
  return {block / (areas_x * areas_y), part * TILE_M, block / areas_x % areas_y * patch_y, block % areas_x * patch_x};
}

__device__ inline void load_region(float* tile, const Layer& layer, const Area& area, int first_channel) {
  for (int i = static_cast<int>(threadIdx.x); i < TILE_K * region_y * region_x; i += threads) {
    const int channel = i / (region_y * region_x);
    const int row = i / region_x % region_y;
    const int column = i % region_x;
    const int y = area.y * stride - layer.pad_y + row;
    const int x = area.x * stride - layer.pad_x + column;
    const bool inside =
        first_channel + channel < layer.channels && y >= 0 && y < layer.height && x >= 0 && x < layer.width;
    const long long plane = static_cast<long long>(area.image) * layer.channels + first_channel + channel;
    tile[(channel * region_y + row) * region_pitch + column] =
        inside ? __ldg(layer.input + plane * layer.plane() + y * layer.width + x) : 0.0f;
  }
}

// k-major: neighbours are filters.
__device__ inline void load_weights(float* tile, const Layer& layer, const float* filters, int first_filter,
                                    int first_channel) {
  const int first = first_channel * taps;
  for (int i = static_cast<int>(threadIdx.x); i < TILE_K * taps * TILE_M; i += threads) {
    const bool given = filter_layout == FilterLayout::given;  // then neighbours in memory are steps
    const int step = given ? i % (TILE_K * taps) : i / TILE_M;
    const int filter = given ? i / (TILE_K * taps) : i % TILE_M;
    const bool inside = first + step < layer.depth() && first_filter + filter < layer.filters;
    const long long place = given ? static_cast<long long>(first_filter + filter) * layer.depth() + first + step
                                  : static_cast<long long>(first + step) * layer.filter_pitch() + first_filter + filter;
    tile[step * a_pitch + filter] = inside ? __ldg(filters + place) : 0.0f;
  }
}

// One row of taps of one channel: the pixels that the thread sees serve all its outputs.
__device__ inline void add_row_of_taps(Accumulator& sums, const float* seen_row, const float* weights) {
  float seen[seen_x];
#pragma unroll
  for (int i = 0; i < seen_x; ++i) seen[i] = seen_row[i];
#pragma unroll
  for (int x = 0; x < taps_x; ++x) {
#pragma unroll
    for (int i = 0; i < COARSENING_M; i += run_m) {
      const Pack<run_m> pack = load<run_m>(weights + x * a_pitch + row_offset(i));
#pragma unroll
      for (int l = 0; l < run_m; ++l) {
#pragma unroll
        for (int j = 0; j < COARSENING_N; ++j) sums[i + l][j] += pack.at[l] * seen[j * stride + x];
      }
    }
  }
}

__device__ inline void write_area(float* output, const Layer& layer, const Accumulator& sums, const Area& area,
                                  int filter, int y, int x) {
  const int width = layer.out_width();
  if (y >= layer.out_height()) return;
#pragma unroll
  for (int i = 0; i < COARSENING_M; ++i) {
    if (filter + row_offset(i) >= layer.filters) continue;
    const long long plane = static_cast<long long>(area.image) * layer.filters + filter + row_offset(i);
    float* row = output + (plane * layer.out_height() + y) * width;
#pragma unroll
    for (int j = 0; j < COARSENING_N; j += run_n) {
      if (width % run_n == 0) {
        if (x + j < width) write_pixels<run_n>(row + x + j, &sums[i][j]);
      } else {
#pragma unroll
        for (int l = 0; l < run_n; ++l)
          if (x + j + l < width) row[x + j + l] = sums[i][j + l];
      }
    }
  }
}

__device__ inline void convolve_tiled(const Layer& layer, const float* filters, float* output) {
  extern __shared__ float4 shared_storage[];
  float* pixels = reinterpret_cast<float*>(shared_storage);
  float* weights = pixels + region;
  const Area area = area_of_block(layer);
  const Place mine = place_in_block();
  // This thread's number among those along N; each has COARSENING_N neighbours of a row.
  const int run = mine.column / warp_n * lanes_n + mine.column % warp_n / run_n;
  const int y = run / (patch_x / COARSENING_N);
  const int x = run % (patch_x / COARSENING_N) * COARSENING_N;
  Accumulator sums = {};
  for (int channel = 0; channel < layer.channels; channel += TILE_K) {
    __syncthreads();
    load_region(pixels, layer, area, channel);
    load_weights(weights, layer, filters, area.filter, channel);
    __syncthreads();
#pragma unroll 1
    for (int row = 0; row < TILE_K * taps_y; ++row) {
      const int line = row / taps_y * region_y + row % taps_y + y * stride;
      add_row_of_taps(sums, pixels + line * region_pitch + x * stride, weights + row * taps_x * a_pitch + mine.row);
    }
  }
  write_area(output, layer, sums, area, area.filter + mine.row, area.y + y, area.x + x);
}
