// y = exp(x) / sum of exp(x) along each row of a matrix. Exponents are taken of differences from the row's maximum, so
// that none overflows. What the first pass over the row has read may be kept for the second one, which writes.
//
//   BLOCK_SIZE         threads per block
//   THREADS_PER_ROW    threads that share a row
//   COARSENING         rows that these have at once; a block has BLOCK_SIZE / THREADS_PER_ROW times as many
//   CLUSTER_SIZE       blocks of a thread block cluster that share a row (compute capability 9.0)
//   ALGORITHM          online: maximum and sum come from one pass; where a larger maximum turns up, the sum so far is
//                      scaled down, and the second pass computes the exponentials again;
//                      maximum_first: then the exponentials, once, which stay in registers as floats
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
using warptune::device::reduce_over_rows;
using warptune::device::SoftmaxSum;
using warptune::device::store_pack;
using warptune::device::StoredNumber;
using warptune::device::to_floats;

enum class Algorithm { online, maximum_first };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr int width = ALIGNED_WIDTH;
constexpr int rows_at_once = COARSENING;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW * rows_at_once;

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;
using Part = KeptRow<Element, width, BLOCK_SIZE, THREADS_PER_ROW, KEPT_IN_REGISTERS, KEPT_IN_SHARED,
                     (ALL_KEPT ? 0 : UNROLL), KEPT_WITHIN_ROW>;

// What a row's threads work on.
struct Row {
  Part part;
  Element* result;
  bool there;  // behind the last row the last is read again, and not written
};

__device__ inline void write(Element* target, Pack<float, width> exponentials, float scale) {
#pragma unroll
  for (int i = 0; i < width; ++i) exponentials.at[i] *= scale;
  store_pack<store_hint>(target, from_floats<format>(exponentials));
}

__device__ inline Pack<float, width> exponentials_of(const Vector& vector, float maximum) {
  Pack<float, width> values = to_floats<format>(vector);
#pragma unroll
  for (int i = 0; i < width; ++i) values.at[i] = fast_exponential(values.at[i] - maximum);
  return values;
}

// What all threads of the rows have together, those of the cluster's other blocks too.
template <class State, class Combine>
__device__ inline void reduce(State (&states)[rows_at_once], Combine combine) {
  reduce_over_rows<BLOCK_SIZE, THREADS_PER_ROW>(states, combine);
  reduce_over_cluster<CLUSTER_SIZE>(states, combine);
}

__device__ inline void normalize_online(Row (&rows)[rows_at_once]) {
  SoftmaxSum of_rows[rows_at_once];
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r)
    rows[r].part.take_all<CacheHint::plain>(no_exponentials<format, width>(), AddExponentials<format>{of_rows[r]});
  reduce(of_rows, [](SoftmaxSum a, SoftmaxSum b) { return merged(a, b); });
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) {
    if (!rows[r].there) return;
    const float maximum = of_rows[r].maximum, scale = fast_reciprocal(of_rows[r].sum);
    rows[r].part.read_again([&](const Vector& vector, int column) {
      write(rows[r].result + column, exponentials_of(vector, maximum), scale);
    });
  }
}

// The row is kept whole, in `count` vectors in registers. A template, for what compiles for such rows alone.
template <int count>
__device__ inline void normalize_by_maximum(Row (&rows)[rows_at_once]) {
  KeptExponentials<format, width, count> kept[rows_at_once];
  float of_rows[rows_at_once];
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) {
    rows[r].part.take_all<CacheHint::plain>(no_exponentials<format, width>(), Keep<format, width, count>{kept[r]});
    of_rows[r] = kept[r].maximum;
  }
  reduce(of_rows, [](float a, float b) { return fmaxf(a, b); });
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) of_rows[r] = kept[r].exponentiate(of_rows[r]);
  reduce(of_rows, [](float a, float b) { return a + b; });
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) {
    if (!rows[r].there) return;
    const float scale = fast_reciprocal(of_rows[r]);
    rows[r].part.for_each_register([&](int i, int column) { write(rows[r].result + column, kept[r].at[i], scale); });
  }
}

// As many rows as a block has at once, from `first` on. `places`: this thread's first place in shared memory.
__device__ inline void normalize(const Element* x, Element* y, int first, int rows, int columns, Vector* places) {
  Row own[rows_at_once];
  const ClusterPart part = part_of_cluster<CLUSTER_SIZE, width>(columns);
  const int first_own = first + static_cast<int>(threadIdx.x / THREADS_PER_ROW) * rows_at_once;
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) {
    const int row = first_own + r;
    const long long offset = static_cast<long long>(min(row, rows - 1)) * columns + part.first;
    own[r] = {Part(x + offset, part.count, places + r * KEPT_IN_SHARED * BLOCK_SIZE), y + offset, row < rows};
    own[r].part.send_for<load_hint>(no_exponentials<format, width>());
  }
  if constexpr (algorithm == Algorithm::online) {
    normalize_online(own);
  } else {
    normalize_by_maximum<KEPT_IN_REGISTERS>(own);
  }
}

// x, y: rows * columns elements, aligned to 16 bytes. Dynamic shared memory: COARSENING * KEPT_IN_SHARED vectors for
// each thread.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    softmax(const Element* __restrict__ x, Element* __restrict__ y, int rows, int columns) {
  extern __shared__ uint4 storage[];
  Vector* places = reinterpret_cast<Vector*>(storage) + threadIdx.x;
  int group = static_cast<int>(blockIdx.x / CLUSTER_SIZE) * rows_per_block;
  do {
    normalize(x, y, group, rows, columns, places);
    group += static_cast<int>(gridDim.x / CLUSTER_SIZE) * rows_per_block;
  } while (BLOCKS_PER_SM > 0 && group < rows);  // else there is a block for each group
}
