// Each pixel of a grey image becomes the mean of the square of (2 * BLUR_RADIUS + 1)^2 pixels around it, as far as the
// image reaches, rounded. All weights are equal, so sums can be shared: between neighbours in a row, and between rows.
//
//   ALGORITHM     direct: a thread adds up its whole square; separable: the block first adds up rows of
//                 2 * BLUR_RADIUS + 1 pixels into shared memory, then columns of these sums; sliding: as separable, but
//                 from row to row a thread adds the sum that enters its square and takes away the one that leaves
//   SOURCE        where the pixels come from: cache: straight from global memory; shared: the block copies its tile
//                 with its halo to shared memory first
//   BLOCK_DIM_X, BLOCK_DIM_Y  threads per block
//   COARSENING_Y  neighbouring rows per thread
//   PIXEL_BYTES   bytes of a pixel in the shared tile: 1 as in memory, or 4: one bank for each
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 3 (blur); Podlozhnyuk, "Image Convolution with
// CUDA" (NVIDIA, 2007) for separable filters; Huang, Yang & Tang, "A Fast Two-Dimensional Median Filtering Algorithm"
// (1979) for sliding.

enum class Algorithm { direct, separable, sliding };
enum class Source { cache, shared };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Source source_kind = Source::SOURCE;
constexpr int radius = BLUR_RADIUS;
constexpr int side = 2 * radius + 1;
constexpr int tile_y = BLOCK_DIM_Y * COARSENING_Y;
constexpr int stored_x = BLOCK_DIM_X + 2 * radius;
constexpr int stored_y = tile_y + 2 * radius;

template <int Bytes>
struct WordOf {
  using type = unsigned char;
};
template <>
struct WordOf<4> {
  using type = unsigned;
};
using Word = WordOf<PIXEL_BYTES>::type;

// The block's part of the image begins at (row, column), its halo BLUR_RADIUS before. Pixels beyond the image are zero:
// they add nothing, and are not counted.
struct Pixels {
  const unsigned char* image;
  const Word* tile;
  int height;
  int width;
  int row;
  int column;

  __device__ unsigned in_image(int y, int x) const {
    const int r = row + y - radius;
    const int c = column + x - radius;
    return r >= 0 && r < height && c >= 0 && c < width ? image[static_cast<long long>(r) * width + c] : 0u;
  }
  __device__ unsigned at(int y, int x) const {
    return source_kind == Source::shared ? tile[y * stored_x + x] : in_image(y, x);
  }
};

__device__ inline void load_tile(Word* tile, const Pixels& pixels) {
  const int thread = static_cast<int>(threadIdx.y * BLOCK_DIM_X + threadIdx.x);
  for (int i = thread; i < stored_x * stored_y; i += BLOCK_DIM_X * BLOCK_DIM_Y) {
    tile[i] = static_cast<Word>(pixels.in_image(i / stored_x, i % stored_x));
  }
  __syncthreads();
}

__device__ inline unsigned sum_of_row(const Pixels& pixels, int y, int x) {
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < side; ++i) sum += pixels.at(y, x + i);
  return sum;
}

// How many of the `side` places around `at` are within `extent`.
__device__ inline unsigned places_within(int at, int extent) {
  return static_cast<unsigned>(min(at + radius, extent - 1) - max(at - radius, 0) + 1);
}

__device__ inline void store_mean(unsigned char* output, const Pixels& pixels, int y, unsigned sum) {
  const int row = pixels.row + y;
  const int column = pixels.column + static_cast<int>(threadIdx.x);
  if (row >= pixels.height || column >= pixels.width) return;
  const unsigned count = places_within(row, pixels.height) * places_within(column, pixels.width);
  output[static_cast<long long>(row) * pixels.width + column] =
      static_cast<unsigned char>((2 * sum + count) / (2 * count));
}

__device__ inline void blur_directly(unsigned char* output, const Pixels& pixels) {
  const int first = static_cast<int>(threadIdx.y) * COARSENING_Y;
  for (int i = 0; i < COARSENING_Y; ++i) {
    unsigned sum = 0;
    for (int y = 0; y < side; ++y) sum += sum_of_row(pixels, first + i + y, static_cast<int>(threadIdx.x));
    store_mean(output, pixels, first + i, sum);
  }
}

__device__ inline void blur_by_rows(unsigned char* output, const Pixels& pixels) {
  __shared__ unsigned short sums[stored_y][BLOCK_DIM_X];
  const int x = static_cast<int>(threadIdx.x);
  for (int y = static_cast<int>(threadIdx.y); y < stored_y; y += BLOCK_DIM_Y) {
    sums[y][x] = static_cast<unsigned short>(sum_of_row(pixels, y, x));
  }
  __syncthreads();
  const int first = static_cast<int>(threadIdx.y) * COARSENING_Y;
  unsigned sum = 0;
#pragma unroll
  for (int y = 0; y < side; ++y) sum += sums[first + y][x];
  for (int i = 0; i < COARSENING_Y; ++i) {
    store_mean(output, pixels, first + i, sum);
    if (i == COARSENING_Y - 1) break;
    if constexpr (algorithm == Algorithm::sliding) {
      sum += static_cast<unsigned>(sums[first + i + side][x]) - sums[first + i][x];
    } else {
      sum = 0;
#pragma unroll
      for (int y = 1; y <= side; ++y) sum += sums[first + i + y][x];
    }
  }
}

// input, output: height * width bytes. A block computes tile_y rows of BLOCK_DIM_X pixels. Dynamic shared memory: the
// tile with its halo, if the pixels come from there.
extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y)
    blur(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int height, int width) {
  extern __shared__ unsigned storage[];
  Word* tile = reinterpret_cast<Word*>(storage);
  const Pixels pixels{
      input, tile, height, width, static_cast<int>(blockIdx.y) * tile_y, static_cast<int>(blockIdx.x) * BLOCK_DIM_X};
  if constexpr (source_kind == Source::shared) load_tile(tile, pixels);
  if constexpr (algorithm == Algorithm::direct) {
    blur_directly(output, pixels);
  } else {
    blur_by_rows(output, pixels);
  }
}
