// output = input convolved with a square filter of (2 * FILTER_RADIUS + 1)^2 taps; beyond the image's border are zeros.
//
//   BLOCK_X, BLOCK_Y   threads a block
//   ITEMS_X, ITEMS_Y   outputs a thread computes along each axis: what it has read serves several of them
//   ITEM_ORDER         along x a thread's outputs are neighbours (consecutive: one window of registers slides over
//                      them) or a block's width apart (strided: no bank conflicts, but every tap is read for itself)
//   HALO               none: every tap comes through the caches; tile: the block's outputs' own inputs are in shared
//                      memory, the halo around them comes through the caches; shared: the halo is in shared memory too
//   FILTER             constant: in constant memory, one broadcast a tap; global: through the read-only cache; shared:
//                      a copy in shared memory
//   PADDED             has a row of the shared tile one more column, so that rows begin in different banks
//   UNROLL             are the loops over the filter's rows unrolled, so that taps become constants in the code
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 7 (constant filter, the three halo strategies);
// Podlozhnyuk, "Image Convolution with CUDA" (NVIDIA, 2007); van Werkhoven et al., "Optimizing Convolution Operations
// on GPUs Using Adaptive Tiling" (FGCS 2014) for items along both axes and padding.

enum class ItemOrder { consecutive, strided };
enum class Halo { none, tile, shared };
enum class Filter { constant, global, shared };

constexpr ItemOrder item_order = ItemOrder::ITEM_ORDER;
constexpr Halo halo = Halo::HALO;
constexpr Filter filter_kind = Filter::FILTER;
constexpr int radius = FILTER_RADIUS;
constexpr int taps = 2 * radius + 1;
constexpr int tile_x = BLOCK_X * ITEMS_X;
constexpr int tile_y = BLOCK_Y * ITEMS_Y;
constexpr int margin = halo == Halo::shared ? radius : 0;  // of the tile in shared memory
constexpr int stored_x = tile_x + 2 * margin;
constexpr int stored_y = tile_y + 2 * margin;
constexpr int pitch = stored_x + (PADDED ? 1 : 0);

__constant__ float constant_filter[taps * taps];

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
    if constexpr (halo == Halo::shared) return tile[(y + margin) * pitch + x + margin];
    if constexpr (halo == Halo::tile) {
      if (y >= 0 && y < tile_y && x >= 0 && x < tile_x) return tile[y * pitch + x];
    }
    return image.at(row + y, column + x);
  }
};

__device__ inline void load_tile(float* tile, const Image& image, int row, int column) {
  const int thread = static_cast<int>(threadIdx.y * BLOCK_X + threadIdx.x);
  for (int i = thread; i < stored_x * stored_y; i += BLOCK_X * BLOCK_Y) {
    tile[i / stored_x * pitch + i % stored_x] = image.at(row - margin + i / stored_x, column - margin + i % stored_x);
  }
}

__device__ inline float tap(const float* filter, int row, int column) {
  if constexpr (filter_kind == Filter::constant) return constant_filter[row * taps + column];
  if constexpr (filter_kind == Filter::global) return __ldg(filter + row * taps + column);
  return filter[row * taps + column];
}

// Column of a thread's output within the tile.
__device__ inline int output_x(int item) {
  const int thread = static_cast<int>(threadIdx.x);
  return item_order == ItemOrder::consecutive ? thread * ITEMS_X + item : thread + item * BLOCK_X;
}

// What the input row `y` adds to the outputs of one of the thread's rows, through row `tap_row` of the filter.
template <class Window>
__device__ inline void add_row(float (&sums)[ITEMS_X], const Window& window, const float* filter, int tap_row) {
#pragma unroll
  for (int column = 0; column < taps; ++column) {
    const float weight = tap(filter, tap_row, column);
#pragma unroll
    for (int i = 0; i < ITEMS_X; ++i) sums[i] += weight * window(i, column);
  }
}

// An input row as the thread needs it. Consecutive outputs share all of it but the ends.
struct SlidingWindow {
  float values[ITEMS_X + 2 * radius];

  __device__ SlidingWindow(const Source& source, int y) {
#pragma unroll
    for (int i = 0; i < ITEMS_X + 2 * radius; ++i) values[i] = source.at(y, output_x(0) + i - radius);
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
using Window = WindowOf<item_order == ItemOrder::consecutive>::type;

// Each input row is read once and serves all of the thread's output rows that it reaches.
__device__ inline void convolve(float (&sums)[ITEMS_Y][ITEMS_X], const Source& source, const float* filter) {
  constexpr int rows = ITEMS_Y + 2 * radius;
  const int first = static_cast<int>(threadIdx.y) * ITEMS_Y;
#pragma unroll(UNROLL ? rows : 1)
  for (int row = 0; row < rows; ++row) {
    const Window window(source, first + row - radius);
#pragma unroll
    for (int i = 0; i < ITEMS_Y; ++i) {
      if (row - i >= 0 && row - i < taps) add_row(sums[i], window, filter, row - i);
    }
  }
}

// input, output: height * width floats, row-major; filter: taps * taps floats, and in constant_filter the same. Dynamic
// shared memory: the tile, then the filter. A block computes tile_y * tile_x outputs.
extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    convolution2d(const float* __restrict__ input, float* __restrict__ output, const float* __restrict__ filter,
                  int height, int width) {
  extern __shared__ float tile[];
  const int row = static_cast<int>(blockIdx.y) * tile_y;
  const int column = static_cast<int>(blockIdx.x) * tile_x;
  const Image image{input, height, width};
  if constexpr (halo != Halo::none) load_tile(tile, image, row, column);
  if constexpr (filter_kind == Filter::shared) {
    float* copy = tile + (halo != Halo::none ? stored_y * pitch : 0);
    const int thread = static_cast<int>(threadIdx.y * BLOCK_X + threadIdx.x);
    for (int i = thread; i < taps * taps; i += BLOCK_X * BLOCK_Y) copy[i] = filter[i];
    filter = copy;
  }
  if constexpr (halo != Halo::none || filter_kind == Filter::shared) __syncthreads();

  float sums[ITEMS_Y][ITEMS_X] = {};
  convolve(sums, {image, tile, row, column}, filter);
#pragma unroll
  for (int i = 0; i < ITEMS_Y; ++i) {
    const int y = row + static_cast<int>(threadIdx.y) * ITEMS_Y + i;
#pragma unroll
    for (int j = 0; j < ITEMS_X; ++j) {
      const int x = column + output_x(j);
      if (y < height && x < width) output[static_cast<long long>(y) * width + x] = sums[i][j];
    }
  }
}
