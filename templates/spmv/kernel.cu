// y = A * x for a sparse matrix of floats in CSR: a row's nonzeros are starts[row] … starts[row + 1] - 1 in columns and
// values. Rows differ in length; the question is who gets how much of them.
//
//   METHOD    rows: LANES threads a row, all rows alike; stream: a block reads the nonzeros of its rows as neighbours,
//             whoever they belong to, and adds up the products from shared memory; merge: each thread gets the same
//             number of row ends and nonzeros together, whatever the rows' lengths
//   BLOCK     threads a block
//   LANES     threads that share a row (1: CSR scalar, 32: CSR vector)
//   ITEMS     rows: loads a thread has in flight; stream: products a thread adds to shared memory at once; merge: row
//             ends and nonzeros a thread takes
//   ACCESS    plain, or streaming: the matrix passes the caches by, to leave them to x
//
// Sources: Bell & Garland, "Implementing Sparse Matrix-Vector Multiplication on Throughput-Oriented Processors" (SC
// 2009) for rows by thread and by warp; Greathouse & Daga, "Efficient Sparse Matrix-Vector Multiplication on GPUs Using
// the CSR Storage Format" (SC 2014) for stream; Merrill & Garland, "Merge-Based Parallel Sparse Matrix-Vector
// Multiplication" (SC 2016).

enum class Method { rows, stream, merge };
enum class Access { plain, streaming };

constexpr Method method = Method::METHOD;
constexpr Access access_kind = Access::ACCESS;
constexpr int piece = BLOCK * ITEMS;  // products in shared memory, or a block's part of the merge path

// Starts as x comes in: the four arrays that every method reads.
struct Matrix {
  const int* starts;
  const int* columns;
  const float* values;
  const float* x;

  __device__ float product(int i) const {
    if constexpr (access_kind == Access::streaming) return __ldcs(values + i) * __ldg(x + __ldcs(columns + i));
    return values[i] * __ldg(x + columns[i]);
  }
};

// LANES threads a row. ITEMS products are begun before the first is needed.
__device__ inline void multiply_rows(const Matrix& a, float* y, int rows) {
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const int row = (static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x)) / LANES;
  const int end = row < rows ? a.starts[row + 1] : 0;
  int i = row < rows ? a.starts[row] + lane : 0;
  float sum = 0.0f;
  for (; i + (ITEMS - 1) * LANES < end; i += ITEMS * LANES) {
    float products[ITEMS];
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) products[item] = a.product(i + item * LANES);
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) sum += products[item];
  }
  for (; i < end; i += LANES) sum += a.product(i);
#pragma unroll
  for (int offset = LANES / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset, LANES);
  if (lane == 0 && row < rows) y[row] = sum;
}

// A block takes BLOCK / LANES rows, and their nonzeros piece by piece.
__device__ inline void multiply_stream(const Matrix& a, float* y, int rows) {
  __shared__ float products[piece];
  constexpr int rows_of_block = BLOCK / LANES;
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * rows_of_block;
  const int row = first + thread / LANES;
  const int begin = a.starts[min(row, rows)];
  const int end = a.starts[min(row + 1, rows)];
  const int last = a.starts[min(first + rows_of_block, rows)];
  float sum = 0.0f;
  for (int from = a.starts[first]; from < last; from += piece) {
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) {
      const int i = from + item * BLOCK + thread;
      if (i < last) products[i - from] = a.product(i);
    }
    __syncthreads();
    for (int i = max(begin, from) + thread % LANES; i < min(end, from + piece); i += LANES) sum += products[i - from];
    __syncthreads();
  }
#pragma unroll
  for (int offset = LANES / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset, LANES);
  if (thread % LANES == 0 && row < rows) y[row] = sum;
}

// The merge path walks down the row ends and along the nonzeros' numbers as a merge of both sorted lists would. Returns
// how many of `ends` lie on its first `diagonal` steps, from the nonzero `base` on.
__device__ inline int rows_on_path(const int* ends, int count, int nonzeros, int base, int diagonal) {
  int low = max(diagonal - nonzeros, 0);
  int high = min(diagonal, count);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] <= base + diagonal - middle - 1) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// y is zero before: rows that several threads share are added up there. Within a warp neighbours that end in the same
// row add up first, so that a long row costs an addition a warp.
__device__ inline void add_unfinished(float* y, int rows, int row, float sum) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const float left = __shfl_up_sync(0xffffffffu, sum, offset);
    const int left_row = __shfl_up_sync(0xffffffffu, row, offset);
    if (lane >= offset && left_row == row) sum += left;
  }
  const int right_row = __shfl_down_sync(0xffffffffu, row, 1);
  if (row < rows && (lane == 31 || right_row != row) && sum != 0.0f) atomicAdd(y + row, sum);
}

__device__ inline void multiply_merge(const Matrix& a, float* y, int rows) {
  __shared__ float products[piece];
  __shared__ int ends[piece + 1];
  const int thread = static_cast<int>(threadIdx.x);
  const int nonzeros = a.starts[rows];
  const int path = rows + nonzeros;
  const int from = min(static_cast<int>(blockIdx.x) * piece, path);
  const int to = min(from + piece, path);
  const int first_row = rows_on_path(a.starts + 1, rows, nonzeros, 0, from);
  const int last_row = rows_on_path(a.starts + 1, rows, nonzeros, 0, to);
  const int first = from - first_row;
  const int count = to - last_row - first;
  for (int i = thread; i < count; i += BLOCK) products[i] = a.product(first + i);
  for (int i = thread; i < last_row - first_row; i += BLOCK) ends[i] = a.starts[first_row + i + 1];
  __syncthreads();

  const int diagonal = min(thread * ITEMS, to - from);
  int row = rows_on_path(ends, last_row - first_row, count, first, diagonal);
  int nonzero = diagonal - row;
  bool shared_with_left = diagonal > 0 || from > 0;
  float sum = 0.0f;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    if (diagonal + item >= to - from) break;
    if (row < last_row - first_row && ends[row] <= first + nonzero) {
      if (shared_with_left) {
        atomicAdd(y + first_row + row, sum);
      } else {
        y[first_row + row] = sum;
      }
      shared_with_left = false;
      sum = 0.0f;
      ++row;
    } else {
      sum += products[nonzero++];
    }
  }
  add_unfinished(y, rows, first_row + row, sum);
}

// starts: rows + 1 numbers; columns, values: starts[rows] each; x: as many as A has columns; y: rows, for merge zero.
extern "C" __global__ void __launch_bounds__(BLOCK)
    spmv(const int* __restrict__ starts, const int* __restrict__ columns, const float* __restrict__ values,
         const float* __restrict__ x, float* __restrict__ y, int rows) {
  const Matrix a{starts, columns, values, x};
  if constexpr (method == Method::rows) {
    multiply_rows(a, y, rows);
  } else if constexpr (method == Method::stream) {
    multiply_stream(a, y, rows);
  } else {
    multiply_merge(a, y, rows);
  }
}
