// The second and third of Winograd's launches: at each point a product of its own, filters x channels times channels x
// tiles, and the products' way back to outputs.
#pragma once

#include "output.cuh"
#include "operands.cuh"
#include "winograd_operands.cuh"

// The blocks of one point follow each other: they share its operands in the L2 cache.
__device__ inline void multiply_points(const Layer& layer, const float* filters, const float* inputs, float* products) {
  extern __shared__ float4 shared_storage[];
  const int pitch = tiling_of(layer).pitch();
  const int blocks = ((layer.filters - 1) / BLOCK_M + 1) * ((pitch - 1) / BLOCK_N + 1);
  const int point = static_cast<int>(blockIdx.x) / blocks;
  if (point >= points) return;
  const Place at = tile_of_block(static_cast<int>(blockIdx.x) - point * blocks, layer.filters, pitch);
  const long long first = static_cast<long long>(point) * layer.channels;
  const int filter_pitch = layer.filter_pitch();
  using A = FromRowsAcrossK<TileOfA, VECTOR>;
  using B = FromRowsAcrossK<TileOfB, VECTOR>;
  Ring<A, B> ring{
      reinterpret_cast<float*>(shared_storage),
      {window_on<A::Part>(filters + first * filter_pitch, layer.channels, filter_pitch, filter_pitch, 0, at.row)},
      {window_on<B::Part>(inputs + first * pitch, layer.channels, pitch, pitch, 0, at.column)}};
  const Place mine = place_in_block();
  Accumulator sums = {};
  multiply_all(sums, ring, mine, layer.channels);
  if (static_cast<int>(threadIdx.x) >= slice_threads) return;
  float* target = products + static_cast<long long>(point) * layer.filters * pitch;
  write_sums(target, layer.filters, pitch, sums, {at.row + mine.row, at.column + mine.column}, 1.0f, 0.0f);
}

// A tile's outputs as far as the image goes, Width at a time where its rows are whole vectors.
template <int Width>
__device__ inline void write_tile(float* target, const Layer& layer, const TileOfOutputs& tile,
                                  const float (&outputs)[output_tile][output_tile]) {
  const int width = layer.out_width();
#pragma unroll
  for (int y = 0; y < output_tile; ++y) {
#pragma unroll
    for (int x = 0; x < output_tile; x += Width) {
      if (tile.y + y < layer.out_height() && tile.x + x < width)
        write_pixels<Width>(target + static_cast<long long>(y) * width + x, &outputs[y][x]);
    }
  }
}

// A thread a filter of a tile.
__device__ inline void transform_products(const Layer& layer, const float* products, float* output) {
  const Tiling tiling = tiling_of(layer);
  const int pitch = tiling.pitch();
  const int place = static_cast<int>(blockIdx.x) * transform_threads + static_cast<int>(threadIdx.x);
  const int filter = static_cast<int>(static_cast<unsigned>(place) / static_cast<unsigned>(pitch));
  const int number = place - filter * pitch;
  if (filter >= layer.filters || number >= tiling.count) return;
  const long long distance = static_cast<long long>(layer.filters) * pitch;
  float values[input_tile][input_tile];
#pragma unroll
  for (int i = 0; i < points; ++i) values[i / input_tile][i % input_tile] = __ldg(products + place + i * distance);
  float outputs[output_tile][output_tile];
  transform<OutputTransform>(outputs, values);
  const TileOfOutputs tile = tile_of_outputs(tiling, number);
  const long long plane = static_cast<long long>(tile.image) * layer.filters + filter;
  float* target = output + plane * layer.out_plane() + static_cast<long long>(tile.y) * layer.out_width() + tile.x;
  if (layer.out_width() % output_tile == 0) {
    write_tile<output_tile>(target, layer, tile, outputs);
  } else if (layer.out_width() % 2 == 0) {
    write_tile<2>(target, layer, tile, outputs);
  } else {
    write_tile<1>(target, layer, tile, outputs);
  }
}
