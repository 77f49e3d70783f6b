// y = (x - mean) / sqrt(variance + epsilon) * weight + bias along each row of a matrix. The first pass finds mean and
// variance, the last one writes. What the first has read may be kept for the others. All work on differences from the
// row's first element, so that elements that lie far from zero lose no digits.
//
//   BLOCK_SIZE         threads per block
//   THREADS_PER_ROW    threads that share a row; a block has BLOCK_SIZE / THREADS_PER_ROW rows at once
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

#include <warptune/device/numbers16.cuh>
#include <warptune/device/rows.cuh>
#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::from_float;
using warptune::device::KeptRow;
using warptune::device::load_pack;
using warptune::device::NumberFormat;
using warptune::device::Pack;
using warptune::device::reduced_over_row;
using warptune::device::store_pack;
using warptune::device::StoredNumber;
using warptune::device::to_float;

enum class Variance { shifted, merged, two_passes };

constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr Variance variance_by = Variance::VARIANCE;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr int width = ALIGNED_WIDTH;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW;

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;
using Part =
    KeptRow<Element, width, BLOCK_SIZE, THREADS_PER_ROW, KEPT_IN_REGISTERS, KEPT_IN_SHARED, (ALL_KEPT ? 0 : UNROLL)>;

// What a row's threads work on.
struct Row {
  const Element* x;
  const Element* weight;
  const Element* bias;
  Element* y;
  int columns;
  bool there;  // behind the last row the last is read again, and not written
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
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const float difference = to_float<format>(vectors[i].at[j]) - first;
        sums.differences += difference;
        if constexpr (variance_by == Variance::shifted) sums.squares += difference * difference;
      }
    }
  }
};

__device__ inline Sums sum_over_row(Sums mine) {
  return reduced_over_row<BLOCK_SIZE, THREADS_PER_ROW>(mine, [](Sums a, Sums b) {
    return Sums{a.differences + b.differences, a.squares + b.squares};
  });
}

// Rounding may make the difference of two almost equal sums negative.
__device__ inline Distribution by_shifted_sums(Part& part, const Vector& behind_end, int columns, float first) {
  Sums sums;
  part.read<load_hint, CacheHint::plain>(behind_end, Adder{sums, first});
  sums = sum_over_row(sums);
  const float mean = sums.differences / static_cast<float>(columns);
  return {mean, fmaxf(sums.squares / static_cast<float>(columns) - mean * mean, 0.0f)};
}

// Elements, their mean, and the sum of their squared deviations from it.
struct Moments {
  float count = 0.0f;
  float mean = 0.0f;
  float squares = 0.0f;
};

__device__ inline Moments merged(Moments a, Moments b) {
  const float count = a.count + b.count;
  const float share = count > 0.0f ? b.count / count : 0.0f;
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
  moments.mean = sums.differences / moments.count;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (column + i * Part::step >= columns) continue;
#pragma unroll
    for (int j = 0; j < width; ++j) {
      const float deviation = to_float<format>(vectors[i].at[j]) - first - moments.mean;
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

__device__ inline Distribution by_merged_moments(Part& part, const Vector& behind_end, int columns, float first) {
  Moments moments;
  part.read<load_hint, CacheHint::plain>(behind_end, Merger{moments, columns, first});
  moments = reduced_over_row<BLOCK_SIZE, THREADS_PER_ROW>(moments, [](Moments a, Moments b) { return merged(a, b); });
  return {moments.mean, moments.squares / static_cast<float>(columns)};
}

__device__ inline Distribution by_two_passes(Part& part, const Vector& behind_end, int columns, float first) {
  Sums sums;
  part.read<load_hint, CacheHint::plain>(behind_end, Adder{sums, first});
  const float mean = sum_over_row(sums).differences / static_cast<float>(columns);
  float squares = 0.0f;
  part.read_again([&](const Vector& vector, int) {
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const float deviation = to_float<format>(vector.at[i]) - first - mean;
      squares += deviation * deviation;
    }
  });
  squares = reduced_over_row<BLOCK_SIZE, THREADS_PER_ROW>(squares, [](float a, float b) { return a + b; });
  return {mean, squares / static_cast<float>(columns)};
}

__device__ inline Distribution distribution_of(Part& part, const Vector& behind_end, int columns, float first) {
  if constexpr (variance_by == Variance::shifted) return by_shifted_sums(part, behind_end, columns, first);
  if constexpr (variance_by == Variance::merged) return by_merged_moments(part, behind_end, columns, first);
  return by_two_passes(part, behind_end, columns, first);
}

__device__ inline void normalize(const Row& row, Vector* places, float epsilon) {
  const Element stored = row.x[0];
  const float first = to_float<format>(stored);
  Vector behind_end;
#pragma unroll
  for (int i = 0; i < width; ++i) behind_end.at[i] = stored;
  Part part(row.x, row.columns, places);
  const Distribution of_row = distribution_of(part, behind_end, row.columns, first);
  if (!row.there) return;
  const float scale = rsqrtf(of_row.variance + epsilon);
  part.read_again([&](const Vector& vector, int column) {
    const Vector weights = load_pack<width>(row.weight + column);
    const Vector biases = load_pack<width>(row.bias + column);
    Vector result;
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const float deviation = to_float<format>(vector.at[i]) - first - of_row.mean;
      result.at[i] =
          from_float<format>(deviation * scale * to_float<format>(weights.at[i]) + to_float<format>(biases.at[i]));
    }
    store_pack<store_hint>(row.y + column, result);
  });
}

// x, y: rows * columns elements, weight, bias: columns; aligned to 16 bytes. Dynamic shared memory: KEPT_IN_SHARED
// vectors for each thread.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    layer_norm(const Element* __restrict__ x, const Element* __restrict__ weight, const Element* __restrict__ bias,
               Element* __restrict__ y, int rows, int columns, float epsilon) {
  extern __shared__ uint4 storage[];
  Vector* places = reinterpret_cast<Vector*>(storage) + threadIdx.x;
  const int row_of_block = static_cast<int>(threadIdx.x) / THREADS_PER_ROW;
  for (int group = static_cast<int>(blockIdx.x) * rows_per_block; group < rows;
       group += static_cast<int>(gridDim.x) * rows_per_block) {
    const int row = group + row_of_block;
    const long long offset = static_cast<long long>(min(row, rows - 1)) * columns;
    normalize({x + offset, weight, bias, y + offset, columns, row < rows}, places, epsilon);
  }
}
