// The second and third of Winograd's launches: at each point a product of its own, filters x channels times channels x
// tiles, and the products' way back to outputs.
#pragma once

#include "operands.cuh"
#include "winograd_operands.cuh"

// Rows are whole vectors.
__device__ inline void write_products(float* products, const Accumulator& sums, int filters, int pitch, Place at) {
#pragma unroll
  for (int i = 0; i < COARSENING_M; ++i) {
    const int filter = at.row + row_offset(i);
    if (filter >= filters) continue;
#pragma unroll
    for (int j = 0; j < COARSENING_N; j += run_n) {
      const int column = at.column + column_offset(j);
      if (column < pitch) write_pixels<run_n>(products + static_cast<long long>(filter) * pitch + column, &sums[i][j]);
    }
  }
}

// Blocks along x take filters, along y tiles, along z points: those of one point follow each other and share its
// operands in the L2 cache, which holds many times what a point has, so that no other order would save anything.
__device__ inline void multiply_point(const float* filters, const float* inputs, float* products, int channels,
                                      int filter_count, int pitch) {
  extern __shared__ float4 shared_storage[];
  using A = FromRowsAcrossK<TileOfA, VECTOR_WIDTH>;
  using B = FromRowsAcrossK<TileOfB, VECTOR_WIDTH>;
  const Place at{static_cast<int>(blockIdx.x) * TILE_M, static_cast<int>(blockIdx.y) * TILE_N};
  const long long point = blockIdx.z;
  const int filter_pitch = round_up(filter_count, 4);
  const float* a = filters + point * channels * filter_pitch;
  const float* b = inputs + point * channels * pitch;
  Ring<A, B> ring{reinterpret_cast<float*>(shared_storage),
                  {window_on<typename A::Part>(a, channels, filter_pitch, filter_pitch, 0, at.row)},
                  {window_on<typename B::Part>(b, channels, pitch, pitch, 0, at.column)}};
  const Place mine = place_in_block();
  Accumulator sums = {};
  multiply_all(sums, ring, mine, channels);
  if (static_cast<int>(threadIdx.x) >= slice_threads) return;
  write_products(products + point * filter_count * pitch, sums, filter_count, pitch,
                 {at.row + mine.row, at.column + mine.column});
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
__device__ inline void transform_products(const Layer& layer, const float* products, int pitch, float* output) {
  const Tiling tiling = tiling_of(layer);
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
