// y = (x - mean) / sqrt(variance + epsilon) * weight + bias along each row of a matrix. The first pass finds mean and
// variance, the last one writes. What the first has read may be kept for the others. All work on differences from the
// row's first element, so that elements that lie far from zero lose no digits.
//
//   BLOCK_SIZE         threads per block
//   THREADS_PER_ROW    threads that share a row
//   COARSENING         rows that these have at once; a block has BLOCK_SIZE / THREADS_PER_ROW times as many
//   CLUSTER_SIZE       blocks of a thread block cluster that share a row (compute capability 9.0)
//   VARIANCE           shifted: from the sums of differences and of their squares, in one pass;
//                      merged: mean and squared deviations of some vectors at a time, merged, in one pass;
//                      two_passes: the mean first, then squared deviations from it
//   VECTOR_WIDTH       elements moved by one memory instruction (rows must begin aligned: otherwise fewer)
//   KEPT_IN_REGISTERS  vectors of the row that each thread keeps in registers between the passes
//   KEPT_IN_SHARED     further vectors that each thread keeps in shared memory, which asynchronous copies bring there
//   UNROLL             vectors in flight at once of what is kept nowhere and is read again by each pass
//   BLOCKS_PER_SM      0: a block for each group of rows; else so many blocks per multiprocessor go from group to group
//   CACHE_HINT_LOAD    of what is read once
//   CACHE_HINT_STORE   of the result
//
// Sources: Ba, Kiros & Hinton, "Layer Normalization" (2016); Chan, Golub & LeVeque, "Algorithms for Computing the
// Sample Variance" (1983) for all three ways; OneFlow's warp, block and uncached normalisations for where a row is
// kept.

#include <warptune/device/cluster_rows.cuh>
#include <warptune/device/fast_math.cuh>
#include <warptune/device/numbers16.cuh>
#include <warptune/device/rows.cuh>
#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::ClusterPart;
using warptune::device::fast_reciprocal;
using warptune::device::from_floats;
using warptune::device::KeptRow;
using warptune::device::load_pack;
using warptune::device::NumberFormat;
using warptune::device::Pack;
using warptune::device::part_of_cluster;
using warptune::device::reduce_over_cluster;
using warptune::device::reduce_over_rows;
using warptune::device::store_pack;
using warptune::device::StoredNumber;
using warptune::device::to_float;
using warptune::device::to_floats;

enum class Variance { shifted, merged, two_passes };

constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr Variance variance_by = Variance::VARIANCE;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr int width = ALIGNED_WIDTH;
constexpr int rows_at_once = COARSENING;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW * rows_at_once;

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;
using Part = KeptRow<Element, width, BLOCK_SIZE, THREADS_PER_ROW, KEPT_IN_REGISTERS, KEPT_IN_SHARED,
                     (ALL_KEPT ? 0 : UNROLL), KEPT_WITHIN_ROW>;

// A row that a thread has a part of.
struct Row {
  Element* y;
  bool there;         // behind the last row the last is read again, and not written
  float first;        // the row's first element
  Vector behind_end;  // made of it, for the vectors that the row does not have
};

// What the threads of some rows have at once.
struct Rows {
  Part parts[rows_at_once];
  Row rows[rows_at_once];
  int columns;  // of a row that this block has
  float share;  // of one element in its row
};

// Of the differences from the row's first element.
struct Distribution {
  float mean;
  float variance;
};

struct Sums {
  float differences = 0.0f;
  float squares = 0.0f;
};

// Adds differences to sums, of which squares are not always needed. Elements behind the end are the first one: their
// difference changes no sum.
struct Adder {
  Sums& sums;
  float first;

  template <int Count>
  __device__ void operator()(const Vector (&vectors)[Count], int) const {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const Pack<float, width> values = to_floats<format>(vectors[i]);
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const float difference = values.at[j] - first;
        sums.differences += difference;
        if constexpr (variance_by == Variance::shifted) sums.squares += difference * difference;
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

__device__ inline void sum_over_rows(Sums (&mine)[rows_at_once]) {
  reduce(mine, [](Sums a, Sums b) { return Sums{a.differences + b.differences, a.squares + b.squares}; });
}

__device__ inline void add_differences(Sums (&sums)[rows_at_once], const Rows& own) {
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r)
    own.parts[r].take_all<CacheHint::plain>(own.rows[r].behind_end, Adder{sums[r], own.rows[r].first});
  sum_over_rows(sums);
}

// Rounding may make the difference of two almost equal sums negative.
__device__ inline void by_shifted_sums(Distribution (&of_rows)[rows_at_once], const Rows& own) {
  Sums sums[rows_at_once];
  add_differences(sums, own);
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) {
    const float mean = sums[r].differences * own.share;
    of_rows[r] = {mean, fmaxf(sums[r].squares * own.share - mean * mean, 0.0f)};
  }
}

// Elements, their mean, and the sum of their squared deviations from it.
struct Moments {
  float count = 0.0f;
  float mean = 0.0f;
  float squares = 0.0f;
};

__device__ inline Moments merged(Moments a, Moments b) {
  const float count = a.count + b.count;
  const float share = count > 0.0f ? b.count * fast_reciprocal(count) : 0.0f;
  const float distance = b.mean - a.mean;
  return {count, a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share};
}

// Of vectors of which the first begins at `column`.
template <int Count>
__device__ inline Moments moments_of(const Vector (&vectors)[Count], int column, int columns, float first) {
  Sums sums;
  Adder{sums, first}(vectors, column);
  Moments moments;
#pragma unroll
  for (int i = 0; i < Count; ++i)
    if (column + i * Part::step < columns) moments.count += static_cast<float>(width);
  if (moments.count == 0.0f) return moments;
  moments.mean = sums.differences * fast_reciprocal(moments.count);
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (column + i * Part::step >= columns) continue;
    const Pack<float, width> values = to_floats<format>(vectors[i]);
#pragma unroll
    for (int j = 0; j < width; ++j) {
      const float deviation = values.at[j] - first - moments.mean;
      moments.squares += deviation * deviation;
    }
  }
  return moments;
}

struct Merger {
  Moments& moments;
  int columns;
  float first;

  template <int Count>
  __device__ void operator()(const Vector (&vectors)[Count], int column) const {
    moments = merged(moments, moments_of(vectors, column, columns, first));
  }
};

__device__ inline void by_merged_moments(Distribution (&of_rows)[rows_at_once], const Rows& own) {
  Moments moments[rows_at_once];
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r)
    own.parts[r].take_all<CacheHint::plain>(own.rows[r].behind_end, Merger{moments[r], own.columns, own.rows[r].first});
  reduce(moments, [](Moments a, Moments b) { return merged(a, b); });
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) of_rows[r] = {moments[r].mean, moments[r].squares * own.share};
}

__device__ inline void by_two_passes(Distribution (&of_rows)[rows_at_once], const Rows& own) {
  Sums sums[rows_at_once];
  add_differences(sums, own);
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) {
    of_rows[r].mean = sums[r].differences * own.share;
    float squares = 0.0f;
    own.parts[r].read_again([&](const Vector& vector, int) {
      const Pack<float, width> values = to_floats<format>(vector);
#pragma unroll
      for (int i = 0; i < width; ++i) {
        const float deviation = values.at[i] - own.rows[r].first - of_rows[r].mean;
        squares += deviation * deviation;
      }
    });
    sums[r].squares = squares;
  }
  sum_over_rows(sums);
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) of_rows[r].variance = sums[r].squares * own.share;
}

__device__ inline void find_distributions(Distribution (&of_rows)[rows_at_once], const Rows& own) {
  if constexpr (variance_by == Variance::shifted) by_shifted_sums(of_rows, own);
  if constexpr (variance_by == Variance::merged) by_merged_moments(of_rows, own);
  if constexpr (variance_by == Variance::two_passes) by_two_passes(of_rows, own);
}

// (x - first - mean) * scale is computed as (x - first) * scale + shift, a rounding less.
struct Line {
  float scale;
  float shift;
};

__device__ inline void write(const Row& row, int column, const Vector& vector, Line line,
                             const Pack<float, width>& weights, const Pack<float, width>& biases) {
  if (!row.there) return;
  Pack<float, width> values = to_floats<format>(vector);
#pragma unroll
  for (int i = 0; i < width; ++i)
    values.at[i] = ((values.at[i] - row.first) * line.scale + line.shift) * weights.at[i] + biases.at[i];
  store_pack<store_hint>(row.y + column, from_floats<format>(values));
}

__device__ inline void normalize(const Rows& own, const Element* weight, const Element* bias, float epsilon) {
  Distribution of_rows[rows_at_once];
  find_distributions(of_rows, own);
  Line lines[rows_at_once];
#pragma unroll
  for (int r = 0; r < rows_at_once; ++r) {
    const float scale = rsqrtf(of_rows[r].variance + epsilon);
    lines[r] = {scale, -of_rows[r].mean * scale};
  }
  if (!own.rows[0].there) return;
  Part::read_rows_again(own.parts, [&](const Vector(&vectors)[rows_at_once], int column) {
    const Pack<float, width> weights = to_floats<format>(load_pack<width>(weight + column));
    const Pack<float, width> biases = to_floats<format>(load_pack<width>(bias + column));
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) write(own.rows[r], column, vectors[r], lines[r], weights, biases);
  });
}

__device__ inline void send_for(Rows& own, int r, const Element* row, const Element* x, Element* y, bool there,
                                Vector* places) {
  const Element stored = row[0];
  own.rows[r] = {y, there, to_float<format>(stored), {}};
#pragma unroll
  for (int i = 0; i < width; ++i) own.rows[r].behind_end.at[i] = stored;
  own.parts[r] = Part(x, own.columns, places);
  own.parts[r].send_for<load_hint>(own.rows[r].behind_end);
}

// x, y: rows * columns elements, weight, bias: columns; aligned to 16 bytes. Dynamic shared memory: KEPT_IN_SHARED
// vectors for each thread.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    layer_norm(const Element* __restrict__ x, const Element* __restrict__ weight, const Element* __restrict__ bias,
               Element* __restrict__ y, int rows, int columns, float epsilon) {
  extern __shared__ uint4 storage[];
  Vector* places = reinterpret_cast<Vector*>(storage) + threadIdx.x;
  Rows own;
  const ClusterPart part = part_of_cluster<CLUSTER_SIZE, width>(columns);
  own.columns = part.count;
  own.share = fast_reciprocal(static_cast<float>(columns));
  int group = static_cast<int>(blockIdx.x / CLUSTER_SIZE) * rows_per_block;
  do {
    const int first_own = group + static_cast<int>(threadIdx.x / THREADS_PER_ROW) * rows_at_once;
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      const int row = first_own + r;
      const long long offset = static_cast<long long>(min(row, rows - 1)) * columns;
      send_for(own, r, x + offset, x + offset + part.first, y + offset + part.first, row < rows, places);
    }
    normalize(own, weight + part.first, bias + part.first, epsilon);
    group += static_cast<int>(gridDim.x / CLUSTER_SIZE) * rows_per_block;
  } while (BLOCKS_PER_SM > 0 && group < rows);  // else there is a block for each group
}
