// loss = log(sum of exp(x)) - x[target] along each row of a matrix of logits. With GRADIENT also the derivative of the
// loss times a scale, (softmax(x) - onehot(target)) * scale, for which the row is needed a second time. Maximum and sum
// are softmax's. A target that is no column makes the row ignored: loss and gradient are zero.
//
//   BLOCK_SIZE         threads per block
//   THREADS_PER_ROW    threads that share a row; a block has BLOCK_SIZE / THREADS_PER_ROW rows at once
//   CLUSTER_SIZE       with GRADIENT: blocks of a thread block cluster that share a row (compute capability 9.0)
//   ALGORITHM          online: maximum and sum come from one pass, and with GRADIENT exponentials are computed again;
//                      maximum_first, with GRADIENT: the maximum, then the exponentials, once, which stay in registers
//                      as floats
//   VECTOR_WIDTH       elements moved by one memory instruction (rows must begin aligned: otherwise fewer)
//   KEPT_IN_REGISTERS  with GRADIENT: vectors of the row that each thread keeps in registers between the passes
//   KEPT_IN_SHARED     with GRADIENT: further vectors that each thread keeps in shared memory, which asynchronous
//                      copies bring there
//   UNROLL             vectors in flight at once of what is kept nowhere
//   BLOCKS_PER_SM      0: a block for each group of rows; else so many blocks per multiprocessor go from group to group
//   CACHE_HINT_LOAD    of what is read once
//   CACHE_HINT_STORE   with GRADIENT: of the gradient
//
// Sources: Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018); PyTorch's cross_entropy for what
// is ignored; Hsu et al., "Liger Kernel" (2024) for loss and gradient in one kernel.

#include <warptune/device/cluster_rows.cuh>
#include <warptune/device/kept_exponentials.cuh>
#include <warptune/device/numbers16.cuh>
#include <warptune/device/online_softmax.cuh>
#include <warptune/device/rows.cuh>
#include <warptune/device/vectors.cuh>

using warptune::device::AddExponentials;
using warptune::device::CacheHint;
using warptune::device::ClusterPart;
using warptune::device::fast_exponential;
using warptune::device::fast_reciprocal;
using warptune::device::from_floats;
using warptune::device::Keep;
using warptune::device::KeptExponentials;
using warptune::device::KeptRow;
using warptune::device::no_exponentials;
using warptune::device::NumberFormat;
using warptune::device::Pack;
using warptune::device::part_of_cluster;
using warptune::device::reduce_over_cluster;
using warptune::device::reduced_over_row;
using warptune::device::SoftmaxSum;
using warptune::device::store_pack;
using warptune::device::StoredNumber;
using warptune::device::to_float;
using warptune::device::to_floats;

enum class Algorithm { online, maximum_first };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr bool with_gradient = GRADIENT;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr CacheHint hint_of_rest = with_gradient ? CacheHint::plain : load_hint;
constexpr int width = ALIGNED_WIDTH;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW;

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;
using Part = KeptRow<Element, width, BLOCK_SIZE, THREADS_PER_ROW, KEPT_IN_REGISTERS, KEPT_IN_SHARED,
                     (ALL_KEPT ? 0 : UNROLL), KEPT_WITHIN_ROW>;

// What a row's threads work on. `gradient` is written only with GRADIENT.
struct Row {
  const Element* logits;
  int target;
  ClusterPart part;  // this block's columns
  float* loss;
  Element* gradient;
  int columns;  // of the whole row
  bool there;   // behind the last row the last is read again, and nothing written
};

__device__ inline void write_gradient(const Row& row, int column, Pack<float, width> exponentials, float share,
                                      float scale) {
#pragma unroll
  for (int i = 0; i < width; ++i) {
    const float probability = exponentials.at[i] * share;
    exponentials.at[i] = row.part.first + column + i == row.target ? probability - scale : probability;
  }
  store_pack<store_hint>(row.gradient + row.part.first + column, from_floats<format>(exponentials));
}

__device__ inline Pack<float, width> exponentials_of(const Vector& vector, float maximum) {
  Pack<float, width> values = to_floats<format>(vector);
#pragma unroll
  for (int i = 0; i < width; ++i) values.at[i] = fast_exponential(values.at[i] - maximum);
  return values;
}

// What a row's target makes of its loss, which the row's first thread writes, and of its gradient.
struct Outcome {
  bool counts;
  bool writes_loss;
  float of_target;

  __device__ explicit Outcome(const Row& row)
      : counts(row.target >= 0 && row.target < row.columns),
        writes_loss(row.there && row.part.first == 0 && threadIdx.x % THREADS_PER_ROW == 0),
        of_target(writes_loss && counts ? to_float<format>(row.logits[row.target]) : 0.0f) {}

  __device__ float scale_of_gradient(float scale) const { return counts ? scale : 0.0f; }

  __device__ void write_loss(const Row& row, SoftmaxSum of_row) const {
    if (writes_loss) *row.loss = counts ? logf(of_row.sum) + (of_row.maximum - of_target) : 0.0f;
  }
};

// What all threads of the row have together, those of the cluster's other blocks too.
template <class State, class Combine>
__device__ inline State reduced(State mine, Combine combine) {
  State of_row[1] = {reduced_over_row<BLOCK_SIZE, THREADS_PER_ROW>(mine, combine)};
  reduce_over_cluster<CLUSTER_SIZE>(of_row, combine);
  return of_row[0];
}

__device__ inline void work_online(const Row& row, Part& part, float scale) {
  const Outcome outcome(row);  // its logit is under way while the row is read
  SoftmaxSum of_row;
  part.take_all<hint_of_rest>(no_exponentials<format, width>(), AddExponentials<format>{of_row});
  of_row = reduced(of_row, [](SoftmaxSum a, SoftmaxSum b) { return merged(a, b); });
  outcome.write_loss(row, of_row);
  if constexpr (with_gradient) {
    if (!row.there) return;
    const float own_scale = outcome.scale_of_gradient(scale), share = own_scale * fast_reciprocal(of_row.sum);
    part.read_again([&](const Vector& vector, int column) {
      write_gradient(row, column, exponentials_of(vector, of_row.maximum), share, own_scale);
    });
  }
}

// With GRADIENT. The row is kept whole, in `count` vectors in registers. A template, for what compiles for such rows
// alone.
template <int count>
__device__ inline void work_by_maximum(const Row& row, Part& part, float scale) {
  const Outcome outcome(row);
  KeptExponentials<format, width, count> kept;
  part.take_all<hint_of_rest>(no_exponentials<format, width>(), Keep<format, width, count>{kept});
  SoftmaxSum of_row;
  of_row.maximum = reduced(kept.maximum, [](float a, float b) { return fmaxf(a, b); });
  of_row.sum = reduced(kept.exponentiate(of_row.maximum), [](float a, float b) { return a + b; });
  outcome.write_loss(row, of_row);
  if (!row.there) return;
  const float own_scale = outcome.scale_of_gradient(scale), share = own_scale * fast_reciprocal(of_row.sum);
  part.for_each_register([&](int i, int column) { write_gradient(row, column, kept.at[i], share, own_scale); });
}

__device__ inline void work(const Row& row, Vector* places, float scale) {
  Part part(row.logits + row.part.first, row.part.count, places);
  part.send_for<load_hint>(no_exponentials<format, width>());
  if constexpr (algorithm == Algorithm::online) {
    work_online(row, part, scale);
  } else {
    work_by_maximum<KEPT_IN_REGISTERS>(row, part, scale);
  }
}

// logits, gradient: rows * columns elements, aligned to 16 bytes; targets, losses: rows. Dynamic shared memory:
// KEPT_IN_SHARED vectors for each thread. Without GRADIENT, `gradient` is not touched.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    cross_entropy(const Element* __restrict__ logits, const int* __restrict__ targets, float* __restrict__ losses,
                  Element* __restrict__ gradient, int rows, int columns, float scale) {
  extern __shared__ uint4 storage[];
  Vector* places = reinterpret_cast<Vector*>(storage) + threadIdx.x;
  const int row_of_block = static_cast<int>(threadIdx.x / THREADS_PER_ROW);
  const ClusterPart part = part_of_cluster<CLUSTER_SIZE, width>(columns);
  int group = static_cast<int>(blockIdx.x / CLUSTER_SIZE) * rows_per_block;
  do {
    const bool there = group + row_of_block < rows;
    const int row = there ? group + row_of_block : rows - 1;
    const long long offset = static_cast<long long>(row) * columns;
    work({logits + offset, targets[row], part, losses + row, gradient + offset, columns, there}, places, scale);
    group += static_cast<int>(gridDim.x / CLUSTER_SIZE) * rows_per_block;
  } while (BLOCKS_PER_SM > 0 && group < rows);  // else there is a block for each group
}
