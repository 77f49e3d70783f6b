// y = x / sqrt(mean of x^2 + epsilon) * weight along each row of a matrix; with RESIDUAL, x is first added to the
// residual, which keeps the sum, as between two layers of a transformer. The first pass finds the mean of squares, the
// second writes. What the first has read may be kept for the second.
//
//   BLOCK_SIZE         threads per block
//   THREADS_PER_ROW    threads that share a row; a block has BLOCK_SIZE / THREADS_PER_ROW rows at once
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

#include <warptune/device/numbers16.cuh>
#include <warptune/device/rows.cuh>
#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::from_float;
using warptune::device::load_pack;
using warptune::device::NumberFormat;
using warptune::device::Pack;
using warptune::device::reduced_over_row;
using warptune::device::store_pack;
using warptune::device::StoredNumber;
using warptune::device::to_float;

constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr bool with_residual = RESIDUAL;
constexpr int width = ALIGNED_WIDTH;
constexpr int unroll = UNROLL;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW;
constexpr int step = THREADS_PER_ROW * width;  // elements from one vector of a thread to its next
// Arrays have one element at least.
constexpr int register_places = KEPT_IN_REGISTERS > 0 ? KEPT_IN_REGISTERS : 1;
constexpr int shared_places = KEPT_IN_SHARED > 0 ? KEPT_IN_SHARED : 1;
constexpr int first_shared = KEPT_IN_REGISTERS * step;
constexpr int first_reread = first_shared + KEPT_IN_SHARED * step;

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;

// What a row's threads work on. `residual` is read and written, and only with RESIDUAL.
struct Row {
  const Element* x;
  Element* residual;
  const Element* weight;
  Element* y;
  int columns;
  bool there;  // behind the last row the last is read again, and not written
};

// The sum with the residual is rounded to the elements' format, as it is stored: what is normalised is what is kept.
__device__ inline Vector sum_of(const Vector& a, const Vector& b) {
  Vector sum;
#pragma unroll
  for (int i = 0; i < width; ++i) sum.at[i] = from_float<format>(to_float<format>(a.at[i]) + to_float<format>(b.at[i]));
  return sum;
}

// Up to `Count` vectors of the row from `column` on, all in flight at once; zeros behind the end.
template <int Count, CacheHint Hint>
__device__ inline void read(Vector (&vectors)[Count], const Row& row, int column) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
    vectors[i] = column + i * step < row.columns ? load_pack<width, Hint>(row.x + column + i * step) : Vector{};
  if constexpr (with_residual) {
    Vector residuals[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i)
      residuals[i] =
          column + i * step < row.columns ? load_pack<width, Hint>(row.residual + column + i * step) : Vector{};
#pragma unroll
    for (int i = 0; i < Count; ++i) vectors[i] = sum_of(vectors[i], residuals[i]);
  }
}

template <int Count>
__device__ inline void add_squares(float& sum, const Vector (&vectors)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
#pragma unroll
    for (int j = 0; j < width; ++j) {
      const float value = to_float<format>(vectors[i].at[j]);
      sum += value * value;
    }
  }
}

__device__ inline void write(const Row& row, int column, const Vector& vector, float scale) {
  if (column >= row.columns) return;
  const Vector weights = load_pack<width>(row.weight + column);
  Vector result;
#pragma unroll
  for (int i = 0; i < width; ++i)
    result.at[i] = from_float<format>(to_float<format>(vector.at[i]) * scale * to_float<format>(weights.at[i]));
  if constexpr (with_residual) store_pack<store_hint>(row.residual + column, vector);
  store_pack<store_hint>(row.y + column, result);
}

__device__ inline void normalize(const Row& row, Vector* places, float epsilon) {
  const int first = static_cast<int>(threadIdx.x) % THREADS_PER_ROW * width;
  Vector kept[register_places];
  float sum = 0.0f;
  if constexpr (KEPT_IN_REGISTERS > 0) {
    read<register_places, load_hint>(kept, row, first);
    add_squares(sum, kept);
  }
  if constexpr (KEPT_IN_SHARED > 0) {
    // On their way they need registers, all at once; afterwards none.
    Vector vectors[shared_places];
    read<shared_places, load_hint>(vectors, row, first_shared + first);
    add_squares(sum, vectors);
#pragma unroll
    for (int i = 0; i < KEPT_IN_SHARED; ++i) places[i * BLOCK_SIZE] = vectors[i];
  }
  if constexpr (!ALL_KEPT) {
#pragma unroll 1
    for (int column = first_reread + first; column < row.columns; column += unroll * step) {
      Vector vectors[unroll];
      read<unroll, CacheHint::plain>(vectors, row, column);
      add_squares(sum, vectors);
    }
  }
  sum = reduced_over_row<BLOCK_SIZE, THREADS_PER_ROW>(sum, [](float a, float b) { return a + b; });
  const float scale = rsqrtf(sum / static_cast<float>(row.columns) + epsilon);
  if (!row.there) return;
#pragma unroll
  for (int i = 0; i < KEPT_IN_REGISTERS; ++i) write(row, first + i * step, kept[i], scale);
#pragma unroll
  for (int i = 0; i < KEPT_IN_SHARED; ++i)  // a thread reads what it has stored itself
    write(row, first_shared + first + i * step, places[i * BLOCK_SIZE], scale);
  if constexpr (!ALL_KEPT) {
#pragma unroll 1
    for (int column = first_reread + first; column < row.columns; column += unroll * step) {
      Vector vectors[unroll];
      read<unroll, CacheHint::plain>(vectors, row, column);
#pragma unroll
      for (int i = 0; i < unroll; ++i) write(row, column + i * step, vectors[i], scale);
    }
  }
}

// x, y, residual: rows * columns elements, weight: columns; aligned to 16 bytes. Dynamic shared memory: KEPT_IN_SHARED
// vectors for each thread. Without RESIDUAL, `residual` is not touched.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    rms_norm(const Element* __restrict__ x, Element* __restrict__ residual, const Element* __restrict__ weight,
             Element* __restrict__ y, int rows, int columns, float epsilon) {
  extern __shared__ uint4 storage[];
  Vector* places = reinterpret_cast<Vector*>(storage) + threadIdx.x;
  const int row_of_block = static_cast<int>(threadIdx.x) / THREADS_PER_ROW;
  for (int group = static_cast<int>(blockIdx.x) * rows_per_block; group < rows;
       group += static_cast<int>(gridDim.x) * rows_per_block) {
    const int row = group + row_of_block;
    const long long offset = static_cast<long long>(min(row, rows - 1)) * columns;
    normalize({x + offset, residual + offset, weight, y + offset, columns, row < rows}, places, epsilon);
  }
}
