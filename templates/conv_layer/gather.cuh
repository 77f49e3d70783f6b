// Where the product's tiles come from: patches of the image, gathered as they are needed, and filters.
#pragma once

#include "layer.cuh"
#include "operands.cuh"

// Walks along the depth in steps of TILE_K: one tap after another, each through all channels, the last steps of a tap
// perhaps past the last channel.
struct TapWalk {
  int channel;  // of this thread's first row in the tile
  int y = 0;
  int x = 0;

  // The tile with this number, for the thread whose first row is `row`.
  __device__ static TapWalk from_tile(const Layer& layer, int tile, int row) {
    const int tiles_per_tap = (layer.channels - 1) / TILE_K + 1;
    const int tap = tile / tiles_per_tap;
    return {tile % tiles_per_tap * TILE_K + row, tap / taps_x, tap % taps_x};
  }

  // True if the next tap begins.
  __device__ bool advance(int first_channel, int channels) {
    channel += TILE_K;
    if (channel - first_channel < channels) return false;
    channel = first_channel;
    if (++x == taps_x) {
      x = 0;
      ++y;
    }
    return true;
  }
};

// Tiles of patches. Width: pixels a thread gathers at once, neighbours if 1 x 1.
template <int Width>
struct Patches {
  using Part = Share<TILE_K, TILE_N, Width>;
  static constexpr int registers = max_of(1, TILE_K* TILE_N / threads);
  static constexpr int columns = max_of(1, Part::per_row / threads);  // different ones among a thread's accesses

  const Layer& layer;
  const int2* table;
  const int plane;
  Patch patches[columns];
  TapWalk walk;    // by channels, walk.channel counts the depth
  int offset = 0;  // by taps, of this thread's first step

  __device__ Patches(const Layer& of, const int2* offsets, int first_pixel, int first_tile)
      : layer(of), table(offsets), plane(of.plane()), walk{first_tile * TILE_K + Part::row()} {
    if constexpr (depth_order == DepthOrder::taps) walk = TapWalk::from_tile(layer, first_tile, Part::row());
#pragma unroll
    for (int i = 0; i < columns; ++i) patches[i] = patch_of(layer, first_pixel + Part::column() + Part::across(i));
    find_offset();
  }

  __device__ void find_offset() {
    offset = walk.channel * plane + walk.y * layer.width + walk.x;
  }

  // The step of this thread's access i, and whether there is one.
  __device__ bool find_step(int i, Step& step) const {
    const int at = walk.channel + Part::down(i);
    if constexpr (depth_order == DepthOrder::taps) {
      step = {offset + Part::down(i) * plane, walk.y, walk.x};
      return at < layer.channels && walk.y < taps_y;
    } else {
      if (at >= layer.depth()) return false;
      step = offsets_from == Offsets::table ? step_from_table(table, at) : step_by_channels(layer, at);
      return true;
    }
  }

  __device__ const float* source(int i, bool& inside) const {
    const Patch& patch = patches[i % columns];
    Step step{};
    inside = find_step(i, step) && patch.holds(step.y, step.x);
    return patch.corner + step.offset;
  }
  __device__ static float* place(float* tile, int i) {
    return TileOfB::at(tile, Part::row() + Part::down(i), Part::column(), Part::across(i));
  }
  __device__ void fetch(float* staged) const {
#pragma unroll
    for (int i = 0; i < Part::count; ++i) {
      bool inside;
      const float* from = source(i, inside);
      Pack<Width> pack{};
      if (inside) pack = load<Width>(from);
#pragma unroll
      for (int j = 0; j < Width; ++j) staged[i * Width + j] = pack.at[j];
    }
  }
  __device__ void put(float* tile, const float* staged) const {
#pragma unroll
    for (int i = 0; i < Part::count; ++i) write_pixels<Width>(place(tile, i), staged + i * Width);
  }
  __device__ void copy_to(float* tile) const {
#pragma unroll
    for (int i = 0; i < Part::count; ++i) {
      bool inside;
      const float* from = source(i, inside);
      copy_async<Width>(place(tile, i), inside ? from : layer.input, inside);
    }
  }
  __device__ void advance() {
    if constexpr (depth_order == DepthOrder::taps) {
      if (walk.advance(Part::row(), layer.channels)) {
        find_offset();
      } else {
        offset += TILE_K * plane;
      }
    } else {
      walk.channel += TILE_K;
    }
  }
};

// Tiles of filters reordered to taps x channels x filters, along the same walk as the patches.
template <int Width>
struct FiltersByTap {
  using Tiles = FromRowsAcrossK<TileOfA, Width>;
  using Part = typename Tiles::Part;
  static constexpr int registers = Tiles::registers;

  Tiles tiles;
  int channels;
  TapWalk walk;

  __device__ FiltersByTap(const Layer& layer, const float* filters, int first_filter, int first_tile)
      : channels(layer.channels), walk(TapWalk::from_tile(layer, first_tile, Part::row())) {
    const int pitch = layer.filter_pitch();
    const long long tap = walk.y * taps_x + walk.x;
    const int rows = walk.y < taps_y ? channels : 0;
    tiles.window =
        window_on<Part>(filters + tap * channels * pitch, rows, pitch, pitch, walk.channel - Part::row(), first_filter);
  }

  __device__ void fetch(float* staged) const { tiles.fetch(staged); }
  __device__ void put(float* tile, const float* staged) const { tiles.put(tile, staged); }
  __device__ void copy_to(float* tile) const { tiles.copy_to(tile); }

  // A tap's rows end with its last channel: what follows them in a tile are zeros.
  __device__ void advance() {
    const int before = walk.channel;
    if (!walk.advance(Part::row(), channels)) {
      tiles.window.move_down(TILE_K);
      return;
    }
    tiles.window.move_down(channels - (before - Part::row()));
    tiles.window.rows = walk.y < taps_y ? channels - Part::row() : 0;
  }
};

template <int Width>
__device__ inline auto tiles_of_filters(const Layer& layer, const float* filters, int first, int first_tile) {
  const int first_step = first_tile * TILE_K;
  if constexpr (filter_layout == FilterLayout::given) {
    using Tiles = FromRowsAlongK<TileOfA, Width>;
    const int depth = layer.depth();
    return Tiles{window_on<typename Tiles::Part>(filters, layer.filters, depth, depth, first, first_step)};
  } else if constexpr (depth_order == DepthOrder::channels) {
    using Tiles = FromRowsAcrossK<TileOfA, Width>;
    const int pitch = layer.filter_pitch();
    return Tiles{window_on<typename Tiles::Part>(filters, layer.depth(), pitch, pitch, first_step, first)};
  } else {
    return FiltersByTap<Width>(layer, filters, first, first_tile);
  }
}
