// y = x / sqrt(mean of x^2 + epsilon) * weight along each row of a matrix; with RESIDUAL, x is first added to the
// residual, which keeps the sum, as between two layers of a transformer. The first pass finds the mean of squares, the
// second writes. What the first has read may be kept for the second.
//
//   BLOCK_SIZE         threads per block
//   THREADS_PER_ROW    threads that share a row
//   COARSENING         rows that these have at once; a block has BLOCK_SIZE / THREADS_PER_ROW times as many
//   CLUSTER_SIZE       blocks of a thread block cluster that share a row (compute capability 9.0)
//   VECTOR_WIDTH       elements moved by one memory instruction (rows must begin aligned: otherwise fewer)
//   KEPT_IN_REGISTERS  vectors of the row that each thread keeps in registers between the passes
//   KEPT_IN_SHARED     further vectors that each thread keeps in shared memory
//   UNROLL             vectors in flight at once of what is kept nowhere and is read twice
//   BLOCKS_PER_SM      0: a block for each group of rows; else so many blocks per multiprocessor go from group to group
//   CACHE_HINT_LOAD    of what is read once
//   CACHE_HINT_STORE   of the result
//
// Sources: Zhang & Sennrich, "Root Mean Square Layer Normalization" (NeurIPS 2019); OneFlow's warp, block and uncached
// normalisations for where a row is kept.

#include <warptune/device/cluster_rows.cuh>
#include <warptune/device/fast_math.cuh>
#include <warptune/device/numbers16.cuh>
#include <warptune/device/rows.cuh>
#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::ClusterPart;
using warptune::device::fast_reciprocal;
using warptune::device::from_floats;
using warptune::device::load_pack;
using warptune::device::load_vector;
using warptune::device::NumberFormat;
using warptune::device::Pack;
using warptune::device::part_of_cluster;
using warptune::device::reduce_over_cluster;
using warptune::device::reduce_over_rows;
using warptune::device::store_pack;
using warptune::device::StoredNumber;
using warptune::device::to_floats;
using warptune::device::WordOf;

constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr bool with_residual = RESIDUAL;
constexpr int width = ALIGNED_WIDTH;
constexpr int unroll = UNROLL;
constexpr int rows_at_once = COARSENING;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW * rows_at_once;
constexpr int step = THREADS_PER_ROW * width;  // elements from one vector of a thread to its next
// Arrays have one element at least.
constexpr int register_places = KEPT_IN_REGISTERS > 0 ? KEPT_IN_REGISTERS : 1;
constexpr int shared_places = KEPT_IN_SHARED > 0 ? KEPT_IN_SHARED : 1;
constexpr int first_shared = KEPT_IN_REGISTERS * step;
constexpr int first_reread = first_shared + KEPT_IN_SHARED * step;

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;

using Word = WordOf<sizeof(Vector)>::type;

// What a row's threads work on. `residual` is read and written, and only with RESIDUAL.
struct Row {
  const Element* x;
  Element* residual;
  Element* y;
  bool there;  // behind the last row the last is read again, and not written
};

// The sum with the residual is rounded to the elements' format, as it is stored: what is normalised is what is kept.
__device__ inline Vector sum_of(const Vector& a, const Vector& b) {
  Pack<float, width> sum = to_floats<format>(a);
  const Pack<float, width> others = to_floats<format>(b);
#pragma unroll
  for (int i = 0; i < width; ++i) sum.at[i] += others.at[i];
  return from_floats<format>(sum);
}

// `Count` vectors from `column` on, all in flight at once; zeros behind the end. `Within`: none are behind it. Words
// are chosen between, since elements of two bytes would be unpacked for it.
template <bool Within, CacheHint Hint, int Count>
__device__ inline void fetch(Vector (&vectors)[Count], const Element* row, int column, int columns) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    Word word{};
    if (Within || column + i * step < columns)
      word = load_vector<Hint>(reinterpret_cast<const Word*>(row + column + i * step));
    vectors[i] = reinterpret_cast<const Vector&>(word);
  }
}

// The same of several rows together, with the residual added.
template <bool Within, CacheHint Hint, int Rows, int Count>
__device__ inline void read(Vector (&vectors)[Rows][Count], const Row* rows, int column, int columns) {
#pragma unroll
  for (int r = 0; r < Rows; ++r) fetch<Within, Hint>(vectors[r], rows[r].x, column, columns);
  if constexpr (with_residual) {
    Vector residuals[Rows][Count];
#pragma unroll
    for (int r = 0; r < Rows; ++r) fetch<Within, Hint>(residuals[r], rows[r].residual, column, columns);
#pragma unroll
    for (int i = 0; i < Rows * Count; ++i)
      vectors[i / Count][i % Count] = sum_of(vectors[i / Count][i % Count], residuals[i / Count][i % Count]);
  }
}

template <int Count>
__device__ inline void add_squares(float& sum, const Vector (&vectors)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const Pack<float, width> values = to_floats<format>(vectors[i]);
#pragma unroll
    for (int j = 0; j < width; ++j) sum += values.at[j] * values.at[j];
  }
}

__device__ inline void write(const Row& row, int column, const Vector& vector, const Pack<float, width>& weights,
                             float scale) {
  if (!row.there) return;
  Pack<float, width> values = to_floats<format>(vector);
#pragma unroll
  for (int i = 0; i < width; ++i) values.at[i] = values.at[i] * scale * weights.at[i];
  if constexpr (with_residual) store_pack<store_hint>(row.residual + column, vector);
  store_pack<store_hint>(row.y + column, from_floats<format>(values));
}

// Rows of one thread, and what it keeps of them. Several at once are kept whole, in registers.
struct Rows {
  Row rows[rows_at_once];
  const Element* weight;
  int columns;  // of a row that this block has
  Vector* places;
  int first = static_cast<int>(threadIdx.x % THREADS_PER_ROW) * width;
  Vector kept[rows_at_once][register_places];

  __device__ Pack<float, width> weights_at(int column) const {
    return to_floats<format>(load_pack<width>(weight + column));
  }

  __device__ void add_squares_of_kept(float (&sums)[rows_at_once]) {
    if constexpr (KEPT_IN_REGISTERS > 0) {
      read<KEPT_WITHIN_ROW, load_hint>(kept, rows, first, columns);
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) add_squares(sums[r], kept[r]);
    }
    if constexpr (KEPT_IN_SHARED > 0) {
      // On their way they need registers, all at once; afterwards none.
      Vector vectors[1][shared_places];
      read<KEPT_WITHIN_ROW, load_hint>(vectors, rows, first_shared + first, columns);
      add_squares(sums[0], vectors[0]);
#pragma unroll
      for (int i = 0; i < KEPT_IN_SHARED; ++i) places[i * BLOCK_SIZE] = vectors[0][i];
    }
  }

  __device__ void add_squares_of_rest(float& sum) const {
#pragma unroll 1
    for (int column = first_reread + first; column < columns; column += unroll * step) {
      Vector vectors[1][unroll];
      read<false, CacheHint::plain>(vectors, rows, column, columns);
      add_squares(sum, vectors[0]);
    }
  }

  __device__ void write_kept(const float (&scales)[rows_at_once]) const {
#pragma unroll
    for (int i = 0; i < KEPT_IN_REGISTERS; ++i) {
      const int column = first + i * step;
      if (!KEPT_WITHIN_ROW && column >= columns) break;
      const Pack<float, width> weights = weights_at(column);
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) write(rows[r], column, kept[r][i], weights, scales[r]);
    }
#pragma unroll
    for (int i = 0; i < KEPT_IN_SHARED; ++i) {  // a thread reads what it has stored itself
      const int column = first_shared + first + i * step;
      if (KEPT_WITHIN_ROW || column < columns)
        write(rows[0], column, places[i * BLOCK_SIZE], weights_at(column), scales[0]);
    }
  }

  __device__ void write_rest(float scale) const {
#pragma unroll 1
    for (int column = first_reread + first; column < columns; column += unroll * step) {
      Vector vectors[1][unroll];
      read<false, CacheHint::plain>(vectors, rows, column, columns);
#pragma unroll
      for (int i = 0; i < unroll; ++i) {
        const int own = column + i * step;
        if (own < columns) write(rows[0], own, vectors[0][i], weights_at(own), scale);
      }
    }
  }
};

// What all threads of the rows have together, those of the cluster's other blocks too.
template <class State, class Combine>
__device__ inline void reduce(State (&states)[rows_at_once], Combine combine) {
  reduce_over_rows<BLOCK_SIZE, THREADS_PER_ROW>(states, combine);
  reduce_over_cluster<CLUSTER_SIZE>(states, combine);
}

__device__ inline void normalize(Rows& own, int columns, float epsilon) {
  float sums[rows_at_once] = {};
  own.add_squares_of_kept(sums);
  if constexpr (!ALL_KEPT) own.add_squares_of_rest(sums[0]);
  reduce(sums, [](float a, float b) { return a + b; });
  const float share = fast_reciprocal(static_cast<float>(columns));
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) sums[r] = rsqrtf(sums[r] * share + epsilon);
  if (!own.rows[0].there) return;
  own.write_kept(sums);
  if constexpr (!ALL_KEPT) own.write_rest(sums[0]);
}

// x, y, residual: rows * columns elements, weight: columns; aligned to 16 bytes. Dynamic shared memory: KEPT_IN_SHARED
// vectors for each thread. Without RESIDUAL, `residual` is not touched.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    rms_norm(const Element* __restrict__ x, Element* __restrict__ residual, const Element* __restrict__ weight,
             Element* __restrict__ y, int rows, int columns, float epsilon) {
  extern __shared__ uint4 storage[];
  Rows own;
  const ClusterPart part = part_of_cluster<CLUSTER_SIZE, width>(columns);
  own.weight = weight + part.first;
  own.columns = part.count;
  own.places = reinterpret_cast<Vector*>(storage) + threadIdx.x;
  int group = static_cast<int>(blockIdx.x / CLUSTER_SIZE) * rows_per_block;
  do {
    const int first_own = group + static_cast<int>(threadIdx.x / THREADS_PER_ROW) * rows_at_once;
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      const int row = first_own + r;
      const long long offset = static_cast<long long>(min(row, rows - 1)) * columns + part.first;
      own.rows[r] = {x + offset, residual + offset, y + offset, row < rows};
    }
    normalize(own, columns, epsilon);
    group += static_cast<int>(gridDim.x / CLUSTER_SIZE) * rows_per_block;
  } while (BLOCKS_PER_SM > 0 && group < rows);  // else there is a block for each group
}
