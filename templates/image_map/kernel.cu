// Grey pixels from colour ones, in two dimensions: grey = 0.299 red + 0.587 green + 0.114 blue, rounded, in integers so
// that every processor agrees. A pixel is four bytes (the fourth is not used) and becomes one: reads and writes differ
// in width.
//
//   BLOCK_X, BLOCK_Y   threads a block: its shape decides which rows of the image are open at once
//   PIXELS             neighbouring pixels of a row that a thread converts: it reads 4 * PIXELS bytes and writes PIXELS
//   ROWS               rows a thread converts, all of whose loads are in flight at once
//   ROW_ORDER          of these: block: the block's rows are neighbours, a thread's lie BLOCK_Y apart; thread: a
//                      thread's are neighbours
//   ACCESS             plain, or streaming: no line will be used again
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 3 (two-dimensional grids, colour to grey) and 6
// (coalescing, coarsening); ITU-R BT.601 for the weights; Harris, "Increase Performance with Vectorized Memory Access"
// (NVIDIA developer blog, 2013).

enum class RowOrder { block, thread };
enum class Access { plain, streaming };

constexpr RowOrder row_order = RowOrder::ROW_ORDER;
constexpr Access access_kind = Access::ACCESS;

template <int Width>
struct VectorOf;
template <>
struct VectorOf<1> {
  using words = unsigned;
  using bytes = unsigned char;
};
template <>
struct VectorOf<2> {
  using words = uint2;
  using bytes = unsigned short;
};
template <>
struct VectorOf<4> {
  using words = uint4;
  using bytes = unsigned;
};
using Words = VectorOf<PIXELS>::words;  // of the colour image
using Bytes = VectorOf<PIXELS>::bytes;  // of the grey one

struct alignas(4 * PIXELS) Colours {
  unsigned at[PIXELS];
};

// 16 bits of fraction; the weights add up to 65,536.
__device__ inline unsigned grey_of(unsigned colour) {
  const unsigned red = colour & 255u;
  const unsigned green = colour >> 8 & 255u;
  const unsigned blue = colour >> 16 & 255u;
  return (19595u * red + 38470u * green + 7471u * blue + 32768u) >> 16;
}

__device__ inline Colours load(const unsigned* source) {
  const Words* words = reinterpret_cast<const Words*>(source);
  const Words value = access_kind == Access::streaming ? __ldcs(words) : *words;
  return reinterpret_cast<const Colours&>(value);
}

__device__ inline void store(unsigned char* target, const Colours& colours) {
  unsigned packed = 0;
#pragma unroll
  for (int i = 0; i < PIXELS; ++i) packed |= grey_of(colours.at[i]) << 8 * i;
  Bytes* bytes = reinterpret_cast<Bytes*>(target);
  if constexpr (access_kind == Access::streaming) {
    __stcs(bytes, static_cast<Bytes>(packed));
  } else {
    *bytes = static_cast<Bytes>(packed);
  }
}

// A thread's i-th row.
__device__ inline int row_of(int i) {
  const int first = static_cast<int>(blockIdx.y) * BLOCK_Y * ROWS;
  const int thread = static_cast<int>(threadIdx.y);
  return first + (row_order == RowOrder::block ? thread + i * BLOCK_Y : thread * ROWS + i);
}

// colours: height * width pixels of four bytes; greys: of one byte; both aligned to 16 bytes. A block converts
// BLOCK_Y * ROWS rows of BLOCK_X * PIXELS pixels.
extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    image_map(const unsigned* __restrict__ colours, unsigned char* __restrict__ greys, int height, int width) {
  const int column = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x) * PIXELS;
  // Vectors need rows that begin aligned, and all of their pixels within the row.
  const bool whole = width % PIXELS == 0 && column < width;
  Colours loaded[ROWS];
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    if (whole && row_of(i) < height) loaded[i] = load(colours + static_cast<long long>(row_of(i)) * width + column);
  }
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    if (row_of(i) >= height) continue;
    const long long first = static_cast<long long>(row_of(i)) * width + column;
    if (whole) {
      store(greys + first, loaded[i]);
      continue;
    }
#pragma unroll
    for (int j = 0; j < PIXELS; ++j) {
      if (column + j < width) greys[first + j] = static_cast<unsigned char>(grey_of(colours[first + j]));
    }
  }
}
