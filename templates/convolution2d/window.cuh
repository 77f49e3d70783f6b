// What a thread reads: the image, a block's tile of it, the filter, and a window on a row. The parameters are described
// in kernel.cu.
#pragma once

enum class CoarseningOrder { consecutive, strided };
enum class Tiling { none, cached_halo, output_tile, input_tile };
enum class Filter { constant, global, shared };
enum class Passes { one, block, launches };

constexpr CoarseningOrder coarsening_order = CoarseningOrder::COARSENING_ORDER;
constexpr Tiling tiling = Tiling::TILING;
constexpr Filter filter_kind = Filter::FILTER;
constexpr Passes passes = Passes::PASSES;
constexpr int radius = FILTER_RADIUS;
constexpr int taps = 2 * radius + 1;
constexpr int tile_x = BLOCK_DIM_X * COARSENING_X;
constexpr int tile_y = BLOCK_DIM_Y * COARSENING_Y;
constexpr int margin = tiling == Tiling::output_tile ? radius : 0;  // of the tile in shared memory
constexpr int stored_x = tile_x + 2 * margin;
constexpr int stored_y = tile_y + 2 * margin;
constexpr int pitch = stored_x + PADDING;

// A separable filter is the weights of its rows (one per row), then those of its columns: tap (y, x) is their product.
constexpr int weights = SEPARABLE ? 2 * taps : taps * taps;
__constant__ float constant_filter[weights];

struct Image {
  const float* pixels;
  int height;
  int width;

  __device__ float at(int row, int column) const {
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    return inside ? __ldg(pixels + static_cast<long long>(row) * width + column) : 0.0f;
  }
};

// A block's outputs begin at (row, column); `tile` is what of the input is in shared memory.
struct Source {
  Image image;
  const float* tile;
  int row;
  int column;

  // The input `y` rows and `x` columns from the block's first output.
  __device__ float at(int y, int x) const {
    if constexpr (tiling == Tiling::output_tile) return tile[(y + margin) * pitch + x + margin];
    if constexpr (tiling == Tiling::cached_halo) {
      if (y >= 0 && y < tile_y && x >= 0 && x < tile_x) return tile[y * pitch + x];
    }
    return image.at(row + y, column + x);
  }
};

__device__ inline void load_tile(float* tile, const Image& image, int row, int column) {
  const int thread = static_cast<int>(threadIdx.y * BLOCK_DIM_X + threadIdx.x);
  for (int i = thread; i < stored_x * stored_y; i += BLOCK_DIM_X * BLOCK_DIM_Y) {
    tile[i / stored_x * pitch + i % stored_x] = image.at(row - margin + i / stored_x, column - margin + i % stored_x);
  }
}

__device__ inline float weight(const float* filter, int i) {
  if constexpr (filter_kind == Filter::constant) return constant_filter[i];
  if constexpr (filter_kind == Filter::global) return __ldg(filter + i);
  return filter[i];
}

__device__ inline float tap(const float* filter, int row, int column) {
  if constexpr (SEPARABLE) return weight(filter, row) * weight(filter, taps + column);
  return weight(filter, row * taps + column);
}

// Column of a thread's output within the tile.
__device__ inline int output_x(int item) {
  const int thread = static_cast<int>(threadIdx.x);
  return coarsening_order == CoarseningOrder::consecutive ? thread * COARSENING_X + item : thread + item * BLOCK_DIM_X;
}

// What an input row adds to the outputs of one of the thread's rows, through one row of weights.
template <class Window, class Weights>
__device__ inline void add_row(float (&sums)[COARSENING_X], const Window& window, const Weights& weight_at) {
#pragma unroll
  for (int column = 0; column < taps; ++column) {
    const float weight = weight_at(column);
#pragma unroll
    for (int i = 0; i < COARSENING_X; ++i) sums[i] += weight * window(i, column);
  }
}

// An input row as the thread needs it. Consecutive outputs share all of it but the ends.
struct SlidingWindow {
  float values[COARSENING_X + 2 * radius];

  __device__ SlidingWindow(const Source& source, int y) {
#pragma unroll
    for (int i = 0; i < COARSENING_X + 2 * radius; ++i) values[i] = source.at(y, output_x(0) + i - radius);
  }
  __device__ float operator()(int item, int column) const {
    return values[item + column];
  }
};

struct DirectWindow {
  const Source& source;
  int y;

  __device__ DirectWindow(const Source& from, int row) : source(from), y(row) {}
  __device__ float operator()(int item, int column) const { return source.at(y, output_x(item) + column - radius); }
};

template <bool Consecutive>
struct WindowOf {
  using type = SlidingWindow;
};
template <>
struct WindowOf<false> {
  using type = DirectWindow;
};
using Window = WindowOf<coarsening_order == CoarseningOrder::consecutive>::type;
