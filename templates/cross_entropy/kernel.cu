// loss = log(sum of exp(x)) - x[target] along each row of a matrix of logits. With GRADIENT also the derivative of the
// loss times a scale, (softmax(x) - onehot(target)) * scale, for which the row is needed a second time. Maximum and sum
// come from one pass, as softmax's. A target that is no column makes the row ignored: loss and gradient are zero.
//
//   BLOCK_SIZE         threads per block
//   THREADS_PER_ROW    threads that share a row; a block has BLOCK_SIZE / THREADS_PER_ROW rows at once
//   VECTOR_WIDTH       elements moved by one memory instruction (rows must begin aligned: otherwise fewer)
//   KEPT_IN_REGISTERS  with GRADIENT: vectors of the row that each thread keeps in registers between the passes
//   KEPT_IN_SHARED     with GRADIENT: further vectors that each thread keeps in shared memory, which asynchronous copies
//                      bring there
//   UNROLL             vectors in flight at once of what is kept nowhere
//   BLOCKS_PER_SM      0: a block for each group of rows; else so many blocks per multiprocessor go from group to group
//   CACHE_HINT_LOAD    of what is read once
//   CACHE_HINT_STORE   with GRADIENT: of the gradient
//
// Sources: Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018); PyTorch's cross_entropy for what
// is ignored; Hsu et al., "Liger Kernel" (2024) for loss and gradient in one kernel.

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
constexpr bool with_gradient = GRADIENT;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr CacheHint hint_of_rest = with_gradient ? CacheHint::plain : load_hint;
constexpr int width = ALIGNED_WIDTH;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW;

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;
using Part =
    KeptRow<Element, width, BLOCK_SIZE, THREADS_PER_ROW, KEPT_IN_REGISTERS, KEPT_IN_SHARED, (ALL_KEPT ? 0 : UNROLL)>;

// What a row's threads work on. `gradient` is written only with GRADIENT.
struct Row {
  const Element* logits;
  int target;
  float* loss;
  Element* gradient;
  int columns;
  bool there;  // behind the last row the last is read again, and nothing written
};

__device__ inline void write_gradient(const Row& row, const Vector& vector, int column, SoftmaxSum of_row,
                                      float scale) {
  const float share = scale / of_row.sum;
  Vector result;
#pragma unroll
  for (int i = 0; i < width; ++i) {
    const float probability = __expf(to_float<format>(vector.at[i]) - of_row.maximum) * share;
    result.at[i] = from_float<format>(column + i == row.target ? probability - scale : probability);
  }
  store_pack<store_hint>(row.gradient + column, result);
}

__device__ inline void work(const Row& row, Vector* places, float scale) {
  const bool counts = row.target >= 0 && row.target < row.columns;
  const bool writes_loss = row.there && threadIdx.x % THREADS_PER_ROW == 0;
  // Under way while the row is read.
  const float of_target = writes_loss && counts ? to_float<format>(row.logits[row.target]) : 0.0f;
  Part part(row.logits, row.columns, places);
  SoftmaxSum of_row;
  part.read<load_hint, hint_of_rest>(no_exponentials<format, width>(), AddExponentials<format>{of_row});
  of_row =
      reduced_over_row<BLOCK_SIZE, THREADS_PER_ROW>(of_row, [](SoftmaxSum a, SoftmaxSum b) { return merged(a, b); });
  if (writes_loss) *row.loss = counts ? logf(of_row.sum) + (of_row.maximum - of_target) : 0.0f;
  if constexpr (with_gradient) {
    if (!row.there) return;
    const float own_scale = counts ? scale : 0.0f;
    part.read_again([&](const Vector& vector, int column) { write_gradient(row, vector, column, of_row, own_scale); });
  }
}

// logits, gradient: rows * columns elements, aligned to 16 bytes; targets, losses: rows. Dynamic shared memory:
// KEPT_IN_SHARED vectors for each thread. Without GRADIENT, `gradient` is not touched.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    cross_entropy(const Element* __restrict__ logits, const int* __restrict__ targets, float* __restrict__ losses,
                  Element* __restrict__ gradient, int rows, int columns, float scale) {
  extern __shared__ uint4 storage[];
  Vector* places = reinterpret_cast<Vector*>(storage) + threadIdx.x;
  const int row_of_block = static_cast<int>(threadIdx.x) / THREADS_PER_ROW;
  for (int group = static_cast<int>(blockIdx.x) * rows_per_block; group < rows;
       group += static_cast<int>(gridDim.x) * rows_per_block) {
    const bool there = group + row_of_block < rows;
    const int row = there ? group + row_of_block : rows - 1;
    const long long offset = static_cast<long long>(row) * columns;
    work({logits + offset, targets[row], losses + row, gradient + offset, columns, there}, places, scale);
  }
}
