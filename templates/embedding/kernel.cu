// output[b] = sum of table[indices[b][i]] over i: rows of a table are gathered and summed, LENGTH of them for each row
// of the output; one is a plain gather. An index that is no row of the table adds nothing. Sums are of floats.
//
//   BLOCK_SIZE        threads per block
//   THREADS_PER_ROW   threads that share a row of the output; a block has BLOCK_SIZE / THREADS_PER_ROW rows at once
//   VECTOR_WIDTH      elements moved by one memory instruction (rows must begin aligned: otherwise fewer)
//   COARSENING        vectors of its row that each thread sums at once, THREADS_PER_ROW vectors apart
//   UNROLL            table rows in flight at once
//   BLOCKS_PER_SM     0: a block for each group of rows; else so many blocks per multiprocessor go from group to group
//   CACHE_HINT_LOAD   of the table
//   CACHE_HINT_STORE  of the output
//
// Sources: PyTorch's embedding_bag for the operation; Naumov et al., "Deep Learning Recommendation Model for
// Personalization and Recommendation Systems" (2019); FBGEMM's table-batched embeddings for several rows in flight.

#include <warptune/device/numbers16.cuh>
#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::from_float;
using warptune::device::load_pack;
using warptune::device::NumberFormat;
using warptune::device::Pack;
using warptune::device::store_pack;
using warptune::device::StoredNumber;
using warptune::device::to_float;

constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr int width = ALIGNED_WIDTH;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW;
constexpr int step = THREADS_PER_ROW * width;  // elements from one vector of a thread to its next

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;

// What a row's threads work on.
struct Bag {
  const int* indices;
  int length;
  const Element* table;
  int table_rows;
  int columns;
};

// A thread's part of the sum, from `column` on.
struct Sums {
  float at[COARSENING][width];
};

// The vectors of UNROLL table rows from the given one on, all in flight before the first is added. Zeros stand for
// those that are not there.
__device__ inline void add_rows(Sums& sums, const Bag& bag, int first, int column) {
  Vector vectors[UNROLL][COARSENING];
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) {
    const int index = first + i < bag.length ? bag.indices[first + i] : -1;
    const bool there = index >= 0 && index < bag.table_rows;
    const Element* row = bag.table + (there ? static_cast<long long>(index) * bag.columns : 0);
#pragma unroll
    for (int part = 0; part < COARSENING; ++part) {
      const int place = column + part * step;
      vectors[i][part] = there && place < bag.columns ? load_pack<width, load_hint>(row + place) : Vector{};
    }
  }
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) {
#pragma unroll
    for (int part = 0; part < COARSENING; ++part) {
#pragma unroll
      for (int j = 0; j < width; ++j) sums.at[part][j] += to_float<format>(vectors[i][part].at[j]);
    }
  }
}

__device__ inline void write(Element* output, const Sums& sums, int column, int columns) {
#pragma unroll
  for (int part = 0; part < COARSENING; ++part) {
    Vector result;
#pragma unroll
    for (int j = 0; j < width; ++j) result.at[j] = from_float<format>(sums.at[part][j]);
    if (column + part * step < columns) store_pack<store_hint>(output + column + part * step, result);
  }
}

// table: table_rows * columns elements, output: rows * columns; aligned to 16 bytes. indices: rows * length.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    embedding(const Element* __restrict__ table, const int* __restrict__ indices, Element* __restrict__ output,
              int rows, int length, int table_rows, int columns) {
  const int row_of_block = static_cast<int>(threadIdx.x / THREADS_PER_ROW);
  const int first = static_cast<int>(threadIdx.x % THREADS_PER_ROW) * width;
  for (int row = static_cast<int>(blockIdx.x) * rows_per_block + row_of_block; row < rows;
       row += static_cast<int>(gridDim.x) * rows_per_block) {
    const Bag bag = {indices + static_cast<long long>(row) * length, length, table, table_rows, columns};
    Element* target = output + static_cast<long long>(row) * columns;
#pragma unroll 1
    for (int column = first; column < columns; column += COARSENING * step) {
      Sums sums = {};
#pragma unroll 1
      for (int i = 0; i < length; i += UNROLL) add_rows(sums, bag, i, column);
      write(target, sums, column, columns);
    }
  }
}
