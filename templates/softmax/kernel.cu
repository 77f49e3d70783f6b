// y = exp(x) / sum of exp(x) along each row of a matrix. Exponents are taken of differences from the row's maximum, so
// that none overflows. Maximum and sum come from one pass over the row: where a larger maximum turns up, the sum so far
// is scaled down. What the pass has read may be kept for the second one, which writes.
//
//   BLOCK_SIZE         threads per block
//   THREADS_PER_ROW    threads that share a row; a block has BLOCK_SIZE / THREADS_PER_ROW rows at once
//   VECTOR_WIDTH       elements moved by one memory instruction (rows must begin aligned: otherwise fewer)
//   KEPT_IN_REGISTERS  vectors of the row that each thread keeps in registers between the passes
//   KEPT_IN_SHARED     further vectors that each thread keeps in shared memory, which asynchronous copies bring there
//   UNROLL             vectors in flight at once of what is kept nowhere and is read twice
//   BLOCKS_PER_SM      0: a block for each group of rows; else so many blocks per multiprocessor go from group to group
//   CACHE_HINT_LOAD    of what is read once
//   CACHE_HINT_STORE   of the result
//
// Sources: Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018); Dao et al., "FlashAttention"
// (2022) for the rescaling by blocks; PyTorch's persistent and OneFlow's warp, block and uncached softmax for where a
// row is kept.

#include <warptune/device/numbers16.cuh>
#include <warptune/device/online_softmax.cuh>
#include <warptune/device/rows.cuh>
#include <warptune/device/vectors.cuh>

using warptune::device::AddExponentials;
using warptune::device::CacheHint;
using warptune::device::from_float;
using warptune::device::KeptRow;
using warptune::device::no_exponentials;
using warptune::device::NumberFormat;
using warptune::device::Pack;
using warptune::device::reduced_over_row;
using warptune::device::SoftmaxSum;
using warptune::device::store_pack;
using warptune::device::StoredNumber;
using warptune::device::to_float;

constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr int width = ALIGNED_WIDTH;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW;

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;
using Part =
    KeptRow<Element, width, BLOCK_SIZE, THREADS_PER_ROW, KEPT_IN_REGISTERS, KEPT_IN_SHARED, (ALL_KEPT ? 0 : UNROLL)>;

__device__ inline void write(Element* target, const Vector& vector, SoftmaxSum of_row, float scale) {
  Vector result;
#pragma unroll
  for (int i = 0; i < width; ++i)
    result.at[i] = from_float<format>(__expf(to_float<format>(vector.at[i]) - of_row.maximum) * scale);
  store_pack<store_hint>(target, result);
}

// One row by its threads; only those of a row that is `there` write.
__device__ inline void normalize(const Element* row, Element* result, int columns, Vector* places, bool there) {
  Part part(row, columns, places);
  SoftmaxSum of_row;
  part.read<load_hint, CacheHint::plain>(no_exponentials<format, width>(), AddExponentials<format>{of_row});
  of_row =
      reduced_over_row<BLOCK_SIZE, THREADS_PER_ROW>(of_row, [](SoftmaxSum a, SoftmaxSum b) { return merged(a, b); });
  if (!there) return;
  const float scale = 1.0f / of_row.sum;
  part.read_again([&](const Vector& vector, int column) { write(result + column, vector, of_row, scale); });
}

// x, y: rows * columns elements, aligned to 16 bytes. Dynamic shared memory: KEPT_IN_SHARED vectors for each thread.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    softmax(const Element* __restrict__ x, Element* __restrict__ y, int rows, int columns) {
  extern __shared__ uint4 storage[];
  Vector* places = reinterpret_cast<Vector*>(storage) + threadIdx.x;
  const int row_of_block = static_cast<int>(threadIdx.x) / THREADS_PER_ROW;
  for (int group = static_cast<int>(blockIdx.x) * rows_per_block; group < rows;
       group += static_cast<int>(gridDim.x) * rows_per_block) {
    const int row = group + row_of_block;
    // Behind the last row the last is read again, and not written.
    const long long offset = static_cast<long long>(min(row, rows - 1)) * columns;
    normalize(x + offset, y + offset, columns, places, row < rows);
  }
}
