// The first of Winograd's launches: filters and patches to what they are at each point, in the layouts that the
// products read: point x channels x filters and point x channels x tiles.
#pragma once

#include "winograd_transforms.cuh"

constexpr int transform_threads = 128;

// The tiles of output_tile x output_tile outputs, counted through all images of a pass; image after image, row by row.
struct Tiling {
  int down;
  int across;
  int count;
};

__device__ inline Tiling tiling_of(const Layer& layer) {
  const int down = (layer.out_height() - 1) / output_tile + 1;
  const int across = (layer.out_width() - 1) / output_tile + 1;
  return {down, across, layer.images * down * across};
}

// A tile's image and its first output.
struct TileOfOutputs {
  int image;
  int y;
  int x;
};

__device__ inline TileOfOutputs tile_of_outputs(const Tiling& tiling, int number) {
  const unsigned row = static_cast<unsigned>(number) / static_cast<unsigned>(tiling.across);
  const unsigned image = row / static_cast<unsigned>(tiling.down);
  return {static_cast<int>(image), (static_cast<int>(row) - static_cast<int>(image) * tiling.down) * output_tile,
          (number - static_cast<int>(row) * tiling.across) * output_tile};
}

// Ones in the lowest bits.
__device__ inline unsigned low_bits(int count) {
  return (1u << min_of(max_of(count, 0), 31)) - 1;
}

// bits_inside for at most 30 places, in a few instructions.
__device__ inline unsigned places_inside(int first, int extent) {
  return low_bits(extent - first) & ~low_bits(-first);
}

// What a tile's outputs see of a channel. Tiles past the last one see nothing.
__device__ inline Patch patch_of_tile(const Layer& layer, const Tiling& tiling, int number, int channel) {
  if (number >= tiling.count) return {layer.input};
  const TileOfOutputs tile = tile_of_outputs(tiling, number);
  const int y = tile.y - layer.pad_y;
  const int x = tile.x - layer.pad_x;
  const float* plane = layer.input + (static_cast<long long>(tile.image) * layer.channels + channel) * layer.plane();
  return {plane + static_cast<long long>(y) * layer.width + x, places_inside(y, layer.height),
          places_inside(x, layer.width)};
}

// Point after point, `distance` floats apart.
template <int Size>
__device__ inline void write_points(float* target, long long distance, const float (&values)[Size][Size]) {
#pragma unroll
  for (int i = 0; i < points; ++i) target[i * distance] = values[i / Size][i % Size];
}

__device__ inline float see(const Layer& layer, const Patch& patch, int y, int x) {
  return patch.holds(y, x) ? __ldg(patch.corner + y * layer.width + x) : 0.0f;
}

// Where a patch's inner columns are a vector, which lies inside the image as a whole: half the accesses, and what
// neighbours read at once follows each other.
__device__ inline bool sees_vectors(const Layer& layer) {
  return output_tile == 4 && layer.pad_x == 1 && layer.width % output_tile == 0;
}

__device__ inline void see_vectors(float (&seen)[input_tile][input_tile], const Layer& layer, const Patch& patch) {
#pragma unroll
  for (int y = 0; y < input_tile; ++y) {
    Pack<output_tile> inner{};
    if (patch.holds(y, 1)) inner = load<output_tile>(patch.corner + y * layer.width + 1);
    seen[y][0] = see(layer, patch, y, 0);
#pragma unroll
    for (int x = 0; x < output_tile; ++x) seen[y][x + 1] = inner.at[x];
    seen[y][input_tile - 1] = see(layer, patch, y, input_tile - 1);
  }
}

__device__ inline void see_patch(float (&seen)[input_tile][input_tile], const Layer& layer, const Patch& patch) {
#pragma unroll
  for (int y = 0; y < input_tile; ++y) {
#pragma unroll
    for (int x = 0; x < input_tile; ++x) seen[y][x] = see(layer, patch, y, x);
  }
}

// A thread a channel of a tile; neighbours are tiles, so that each point's writes follow each other. Rows of tiles
// start aligned: the pitch is a multiple of four.
__device__ inline void transform_input(const Layer& layer, float* inputs, int pitch, int block) {
  const Tiling tiling = tiling_of(layer);
  const int place = block * transform_threads + static_cast<int>(threadIdx.x);
  const int channel = static_cast<int>(static_cast<unsigned>(place) / static_cast<unsigned>(pitch));
  if (channel >= layer.channels) return;
  const Patch patch = patch_of_tile(layer, tiling, place - channel * pitch, channel);
  float seen[input_tile][input_tile];
  if (sees_vectors(layer)) {
    see_vectors(seen, layer, patch);
  } else {
    see_patch(seen, layer, patch);
  }
  float transformed[input_tile][input_tile];
  transform<InputTransform>(transformed, seen);
  write_points(inputs + place, static_cast<long long>(layer.channels) * pitch, transformed);
}

// Filters and channels that a block transforms, through shared memory: neighbours are taps where they come from, and
// filters where they go.
constexpr int filters_per_block = 32;
constexpr int channels_per_block = transform_threads / filters_per_block;
constexpr int weights_per_filter = channels_per_block * 9;

__device__ inline void load_filters(float (&tile)[filters_per_block][weights_per_filter + 1], const Layer& layer,
                                    const float* filters, int first_filter, int first_channel) {
  const int depth = layer.channels * 9;
  for (int i = static_cast<int>(threadIdx.x); i < filters_per_block * weights_per_filter; i += transform_threads) {
    const int filter = i / weights_per_filter;
    const int weight = i % weights_per_filter;
    const bool inside = first_filter + filter < layer.filters && first_channel * 9 + weight < depth;
    const long long place = static_cast<long long>(first_filter + filter) * depth + first_channel * 9 + weight;
    tile[filter][weight] = inside ? __ldg(filters + place) : 0.0f;
  }
}

__device__ inline void transform_filters(const Layer& layer, const float* filters, float* transformed_filters,
                                         int block) {
  __shared__ float tile[filters_per_block][weights_per_filter + 1];
  const int pitch = layer.filter_pitch();
  const int parts = (pitch - 1) / filters_per_block + 1;
  const int first_filter = block % parts * filters_per_block;
  const int first_channel = block / parts * channels_per_block;
  load_filters(tile, layer, filters, first_filter, first_channel);
  __syncthreads();
  const int within = static_cast<int>(threadIdx.x) % filters_per_block;
  const int row = static_cast<int>(threadIdx.x) / filters_per_block;
  if (first_filter + within >= pitch || first_channel + row >= layer.channels) return;
  float weights[3][3];
#pragma unroll
  for (int i = 0; i < 9; ++i) weights[i / 3][i % 3] = tile[within][row * 9 + i];
  float transformed[input_tile][input_tile];
  transform<FilterTransform>(transformed, weights);
  float* target = transformed_filters + static_cast<long long>(first_channel + row) * pitch + first_filter + within;
  write_points(target, static_cast<long long>(layer.channels) * pitch, transformed);
}
