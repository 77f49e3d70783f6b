// Fourier transforms of BATCH rows of LENGTH complex numbers, unscaled in both directions, as cuFFT's.
//
//   RADIX         the largest transform in registers, and elements per thread
//   LONGEST_IN_BLOCK  logarithm of the longest transform that a block does alone; longer ones take two launches
//                 (four-step)
//   TRANSFORMS    transforms of a block that does them alone
//   COLUMNS       neighbouring columns that a block transforms, of two launches each
//   EXCHANGE      pairs: shared memory has whole complex numbers; parts: real parts, then imaginary ones, which takes
//                 half the memory and twice the barriers
//   PADDING       elements in shared memory after each RADIX, against bank conflicts
//   TWIDDLES      table: read; powers: one is read, others are its powers; sincospi: computed
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers per thread
//
// Sources: those of engine.cuh, and Bailey, "FFTs in external or hierarchical memory" (1990), for the four steps: a row
// of N1 * N2 elements is a matrix of N1 rows; transform its columns, multiply element (k, j) by the N-th root of number
// k * j, transform the rows, transpose. Here the first launch leaves the matrix transposed, so that the second has
// columns again, and their results lie where they belong.
#include "engine.cuh"

#if LENGTH_LOG2 <= LONGEST_IN_BLOCK

using Whole = Plan<LENGTH_LOG2>;

extern "C" __global__ void __launch_bounds__(Whole::threads* TRANSFORMS, MIN_BLOCKS_PER_SM)
    transform_rows(const Complex* __restrict__ input, Complex* __restrict__ output, const Complex* __restrict__ table,
                   int batch) {
  extern __shared__ float4 shared_storage[];
  const int thread = static_cast<int>(threadIdx.x) % Whole::threads;
  const int number = static_cast<int>(threadIdx.x) / Whole::threads;
  const long long transform = static_cast<long long>(blockIdx.x) * TRANSFORMS + number;
  const long long first = transform * Whole::length + thread;
  const bool inside = transform < batch;
  Complex values[Whole::elements] = {};
#pragma unroll
  for (int i = 0; i < Whole::elements; ++i) {
    if (inside) values[i] = input[first + i * Whole::threads];
  }
  const SharedRow<Whole, 1> row{shared_storage, number * Whole::padded_length};
  transform_in_block<LENGTH_LOG2>(values, row, {table}, thread);
#pragma unroll
  for (int i = 0; i < Whole::elements; ++i) {
    if (inside) output[first + i * Whole::threads] = values[i];
  }
}

#else

constexpr int first_log2 = (LENGTH_LOG2 + 1) / 2;
constexpr int second_log2 = LENGTH_LOG2 - first_log2;
using First = Plan<first_log2>;
using Second = Plan<second_log2>;

// Which columns of a matrix with 2^Log2 of them a block has. Neighbouring threads have neighbouring columns.
template <int Log2>
struct Columns {
  static constexpr int blocks = (1 << Log2) / COLUMNS;  // of a matrix

  __device__ static int own() { return static_cast<int>(threadIdx.x) % COLUMNS; }
  __device__ static int thread() { return static_cast<int>(threadIdx.x) / COLUMNS; }
  __device__ static int first() { return static_cast<int>(blockIdx.x) % blocks * COLUMNS; }
  __device__ static long long matrix() {
    return static_cast<long long>(static_cast<int>(blockIdx.x) / blocks) << LENGTH_LOG2;
  }
};

// Times exp(-2 pi i * row * column / N): rows thread, thread + T, thread + 2T ...
__device__ inline void multiply_by_outer_roots(Complex (&values)[First::elements], const Roots& roots, int thread,
                                               int column) {
  if constexpr (twiddles == Twiddles::powers) {
    const Complex base = roots.at<LENGTH_LOG2>(thread * column);
    multiply_by_powers<LENGTH_LOG2>(values, roots, First::threads * column);
#pragma unroll
    for (int i = 0; i < First::elements; ++i) values[i] = values[i] * base;
  } else {
#pragma unroll
    for (int i = 0; i < First::elements; ++i) {
      values[i] = values[i] * roots.at<LENGTH_LOG2>((thread + i * First::threads) * column);
    }
  }
}

// Columns of 2^first_log2 rows, which become rows.
extern "C" __global__ void __launch_bounds__(First::threads* COLUMNS, MIN_BLOCKS_PER_SM)
    transform_columns(const Complex* __restrict__ input, Complex* __restrict__ turned,
                      const Complex* __restrict__ table) {
  extern __shared__ float4 shared_storage[];
  using Mine = Columns<second_log2>;
  const int thread = Mine::thread();
  const int column = Mine::first() + Mine::own();
  const Complex* from = input + Mine::matrix() + column;
  Complex values[First::elements];
#pragma unroll
  for (int i = 0; i < First::elements; ++i) values[i] = from[(thread + i * First::threads) << second_log2];
  const SharedRow<First, COLUMNS> row{shared_storage, Mine::own()};
  transform_in_block<first_log2>(values, row, {table}, thread);
  multiply_by_outer_roots(values, {table}, thread, column);

  constexpr int threads = First::threads * COLUMNS;
  constexpr int pitch = COLUMNS + 1;
  const int here = static_cast<int>(threadIdx.x);
  exchange_values<false>(
      values, shared_storage, [&](int i) { return (thread + i * First::threads) * pitch + Mine::own(); },
      [&](int i) {
        const int element = here + i * threads;
        return element % First::length * pitch + element / First::length;
      });
  Complex* to = turned + Mine::matrix() + (static_cast<long long>(Mine::first()) << first_log2) + here;
#pragma unroll
  for (int i = 0; i < First::elements; ++i) to[i * threads] = values[i];
}

// Columns of 2^second_log2 rows, whose results lie where their elements did.
extern "C" __global__ void __launch_bounds__(Second::threads* COLUMNS, MIN_BLOCKS_PER_SM)
    transform_turned(const Complex* __restrict__ turned, Complex* __restrict__ output,
                     const Complex* __restrict__ table) {
  extern __shared__ float4 shared_storage[];
  using Mine = Columns<first_log2>;
  const int thread = Mine::thread();
  const long long first = Mine::matrix() + Mine::first() + Mine::own();
  Complex values[Second::elements];
#pragma unroll
  for (int i = 0; i < Second::elements; ++i) values[i] = turned[first + ((thread + i * Second::threads) << first_log2)];
  const SharedRow<Second, COLUMNS> row{shared_storage, Mine::own()};
  transform_in_block<second_log2>(values, row, {table}, thread);
#pragma unroll
  for (int i = 0; i < Second::elements; ++i) output[first + ((thread + i * Second::threads) << first_log2)] = values[i];
}

#endif
