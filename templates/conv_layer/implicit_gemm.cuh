// The convolution as a product: the filters (filters x depth) times the matrix whose columns are the patches (depth x
// pixels), which never exists: its tiles are gathered from the image on their way to shared memory.
#pragma once

#include "gather.cuh"
#include "output.cuh"

// Tiles along the depth that a block multiplies.
struct Tiles {
  int first;
  int count;
};

__device__ inline Tiles tiles_of_part(const Layer& layer, int part) {
  const int steps = depth_order == DepthOrder::taps ? taps * round_up(layer.channels, TILE_K) : layer.depth();
  const int all = (steps - 1) / TILE_K + 1;
  if constexpr (SPLIT_K == 1) return {0, all};
  const int each = (all - 1) / SPLIT_K + 1;
  const int first = min_of(part * each, all);
  return {first, min_of(each, all - first)};
}

// Sums of the filters from `at.row` on at the pixels from `at.column` on.
template <int Width>
__device__ inline void multiply_patches(Accumulator& sums, const Layer& layer, const float* filters, const int2* table,
                                        Place at, Place mine, Tiles part) {
  extern __shared__ float4 shared_storage[];
  auto tiles = tiles_of_filters<Width>(layer, filters, at.row, part.first);
  using Sources = Ring<decltype(tiles), Patches<pointwise ? Width : 1>>;
  Sources ring{reinterpret_cast<float*>(shared_storage), tiles, {layer, table, at.column, part.first}};
  multiply_all(sums, ring, mine, part.count * TILE_K);
}

// A run of neighbours stays within its image if images are made of whole runs.
__device__ inline void write_layer(float* output, const Layer& layer, const Accumulator& sums, Place at) {
  const int plane = layer.out_plane();
  const bool vectors = plane % run_n == 0;
#pragma unroll
  for (int j = 0; j < COARSENING_N; ++j) {
    if (vectors && j % run_n != 0) continue;
    const int pixel = at.column + column_offset(j);
    if (pixel >= layer.pixels()) continue;
    const int image = pixel / plane;
    float* target = output + static_cast<long long>(image) * layer.filters * plane + (pixel - image * plane);
#pragma unroll
    for (int i = 0; i < COARSENING_M; ++i) {
      const int filter = at.row + row_offset(i);
      if (filter >= layer.filters) continue;
      float* place = target + static_cast<long long>(filter) * plane;
      if (vectors) {
        write_pixels<run_n>(place, &sums[i][j / run_n * run_n]);
      } else {
        write_pixels<1>(place, &sums[i][j]);
      }
    }
  }
}

// output: the layer, or one for each part of the depth; blocks along y are parts.
__device__ inline void convolve_as_product(const Layer& layer, const float* filters, const int2* table, float* output) {
  const Place at = tile_of_block(static_cast<int>(blockIdx.x), layer.filters, layer.pixels());
  const Place mine = place_in_block();
  Accumulator sums = {};
  const int part = static_cast<int>(blockIdx.y);
  const Tiles tiles = tiles_of_part(layer, part);
  const bool whole_rows = filter_layout == FilterLayout::reordered || layer.depth() % VECTOR_WIDTH == 0;
  const bool whole_planes = !pointwise || layer.plane() % VECTOR_WIDTH == 0;
  if (whole_rows && whole_planes) {
    multiply_patches<VECTOR_WIDTH>(sums, layer, filters, table, at, mine, tiles);
  } else {
    multiply_patches<1>(sums, layer, filters, table, at, mine, tiles);
  }
  if (static_cast<int>(threadIdx.x) >= slice_threads) return;
  float* target = output + static_cast<long long>(part) * layer.filters * layer.pixels();
  write_layer(target, layer, sums, {at.row + mine.row, at.column + mine.column});
}
