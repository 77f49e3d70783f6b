// Grey pixels from colour ones, in two dimensions: grey = 0.299 red + 0.587 green + 0.114 blue, rounded, in integers so
// that every processor agrees. A pixel is four bytes (the fourth is not used) and becomes one: reads and writes differ
// in width.
//
//   BLOCK_DIM_X, BLOCK_DIM_Y  threads per block: its shape decides which rows of the image are open at once
//   VECTOR_WIDTH      neighbouring pixels of a row per thread: it reads 4 * VECTOR_WIDTH bytes and writes VECTOR_WIDTH
//   COARSENING_Y      rows per thread, all of whose loads are in flight at once
//   COARSENING_ORDER  of these: strided: the block's rows are neighbours, a thread's lie BLOCK_DIM_Y apart;
//                     consecutive: a thread's are neighbours
//   CACHE_HINT        of loads and stores: plain, or streaming: no line will be used again
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 3 (two-dimensional grids, colour to grey) and 6
// (coalescing, coarsening); ITU-R BT.601 for the weights; Harris, "Increase Performance with Vectorized Memory
// Access" (NVIDIA developer blog, 2013).

#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::load_pack;
using warptune::device::store_vector;

enum class CoarseningOrder { consecutive, strided };

constexpr CoarseningOrder coarsening_order = CoarseningOrder::COARSENING_ORDER;
constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;

using Colours = warptune::device::Pack<unsigned, VECTOR_WIDTH>;
using Greys = warptune::device::WordOf<VECTOR_WIDTH>::type;  // a byte each

// 16 bits of fraction; the weights add up to 65,536.
__device__ inline unsigned grey_of(unsigned colour) {
  const unsigned red = colour & 255u;
  const unsigned green = colour >> 8 & 255u;
  const unsigned blue = colour >> 16 & 255u;
  return (19595u * red + 38470u * green + 7471u * blue + 32768u) >> 16;
}

__device__ inline void store(unsigned char* target, const Colours& colours) {
  unsigned packed = 0;
#pragma unroll
  for (int i = 0; i < VECTOR_WIDTH; ++i) packed |= grey_of(colours.at[i]) << 8 * i;
  store_vector<cache_hint>(reinterpret_cast<Greys*>(target), static_cast<Greys>(packed));
}

// A thread's i-th row.
__device__ inline int row_of(int i) {
  const int first = static_cast<int>(blockIdx.y) * BLOCK_DIM_Y * COARSENING_Y;
  const int thread = static_cast<int>(threadIdx.y);
  return first + (coarsening_order == CoarseningOrder::strided ? thread + i * BLOCK_DIM_Y : thread * COARSENING_Y + i);
}

// colours: height * width pixels of four bytes; greys: of one byte; both aligned to 16 bytes. A block converts
// BLOCK_DIM_Y * COARSENING_Y rows of BLOCK_DIM_X * VECTOR_WIDTH pixels.
extern "C" __global__ void __launch_bounds__(BLOCK_DIM_X* BLOCK_DIM_Y)
    image_map(const unsigned* __restrict__ colours, unsigned char* __restrict__ greys, int height, int width) {
  const int column = static_cast<int>(blockIdx.x * BLOCK_DIM_X + threadIdx.x) * VECTOR_WIDTH;
  // Vectors need rows that begin aligned, and all of their pixels within the row.
  const bool whole = width % VECTOR_WIDTH == 0 && column < width;
  Colours loaded[COARSENING_Y];
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) {
    if (whole && row_of(i) < height)
      loaded[i] = load_pack<VECTOR_WIDTH, cache_hint>(colours + static_cast<long long>(row_of(i)) * width + column);
  }
#pragma unroll
  for (int i = 0; i < COARSENING_Y; ++i) {
    if (row_of(i) >= height) continue;
    const long long first = static_cast<long long>(row_of(i)) * width + column;
    if (whole) {
      store(greys + first, loaded[i]);
      continue;
    }
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) {
      if (column + j < width) greys[first + j] = static_cast<unsigned char>(grey_of(colours[first + j]));
    }
  }
}
