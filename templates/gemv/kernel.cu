// y = A * x for a row-major matrix of floats. Each element of A is read once; x is small and read again and again.
//
//   BLOCK_SIZE       threads per block
//   THREADS_PER_ROW  threads that share a row and add up their parts at its end
//   COARSENING       rows that such a group takes at once: what it has read of x serves all of them
//   VECTOR_WIDTH     floats moved by one load (rows must begin aligned: otherwise single floats)
//   UNROLL           loads of each row between two branches, all in flight at once
//   X_MEMORY         cache: x comes through the caches; shared: the block copies a part of it to shared memory for all
//                    its rows
//   CACHE_HINT       plain, or streaming: A passes the caches by, to leave them to x
//
// Sources: Nath, Tomov, Dong & Dongarra, "Optimizing Symmetric Dense Matrix-Vector Multiplication on GPUs" (SC 2011);
// Sorensen, "High-Performance Matrix-Vector Multiplication on the GPU" (Euro-Par 2011) for threads per row against
// the matrix' shape; Volkov, "Better Performance at Lower Occupancy" (GTC 2010) for UNROLL.

#include <warptune/device/vectors.cuh>
#include <warptune/device/warp.cuh>

using warptune::device::CacheHint;
using warptune::device::load_pack;
using warptune::device::Pack;
using warptune::device::sum_in_first_lane;

enum class Memory { cache, shared };

constexpr Memory x_memory = Memory::X_MEMORY;
constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;
constexpr int warp = 32;
constexpr int groups = BLOCK_SIZE / THREADS_PER_ROW;
constexpr int part_size = 4096;  // of x in shared memory, in floats

// Adds `Unroll` vectors of each row, THREADS_PER_ROW vectors apart, to the rows' sums.
template <int Width, int Unroll>
__device__ inline void add_vectors(float (&sums)[COARSENING], const float* const (&rows)[COARSENING], const float* x,
                                   int column) {
  Pack<float, Width> of_a[COARSENING][Unroll];
#pragma unroll
  for (int row = 0; row < COARSENING; ++row) {
#pragma unroll
    for (int i = 0; i < Unroll; ++i)
      of_a[row][i] = load_pack<Width, cache_hint>(rows[row] + column + i * THREADS_PER_ROW * Width);
  }
#pragma unroll
  for (int i = 0; i < Unroll; ++i) {
    const Pack<float, Width> of_x = load_pack<Width>(x + column + i * THREADS_PER_ROW * Width);
#pragma unroll
    for (int row = 0; row < COARSENING; ++row) {
#pragma unroll
      for (int j = 0; j < Width; ++j) sums[row] += of_a[row][i].at[j] * of_x.at[j];
    }
  }
}

// Adds what this thread has of `columns` columns, a multiple of Width; rows and x point at the first.
template <int Width>
__device__ inline void add_columns(float (&sums)[COARSENING], const float* const (&rows)[COARSENING], const float* x,
                                   int columns) {
  constexpr int step = THREADS_PER_ROW * Width;
  int column = static_cast<int>(threadIdx.x) % THREADS_PER_ROW * Width;
  // More unrolling by the compiler costs registers.
#pragma unroll 1
  for (; column + (UNROLL - 1) * step < columns; column += UNROLL * step)
    add_vectors<Width, UNROLL>(sums, rows, x, column);
#pragma unroll 1
  for (; column < columns; column += step) add_vectors<Width, 1>(sums, rows, x, column);
}

// The group's sum, valid in its first thread. All threads of the block come here together.
__device__ inline float group_sum(float value) {
  constexpr int lanes = THREADS_PER_ROW < warp ? THREADS_PER_ROW : warp;
  value = sum_in_first_lane<lanes>(value);
  if constexpr (THREADS_PER_ROW <= warp) return value;
  __shared__ float sums[BLOCK_SIZE / warp];
  const int thread = static_cast<int>(threadIdx.x);
  __syncthreads();  // the row before has been read
  if (thread % warp == 0) sums[thread / warp] = value;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < THREADS_PER_ROW / warp; ++i) sum += sums[thread / THREADS_PER_ROW * (THREADS_PER_ROW / warp) + i];
  return sum;
}

// a: m * n floats; x: n; y: m; all aligned to 16 bytes. A block computes groups * COARSENING elements of y.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m, int n) {
  __shared__ float4 storage[x_memory == Memory::shared ? part_size / 4 : 1];
  float* part = reinterpret_cast<float*>(storage);
  const int thread = static_cast<int>(threadIdx.x);
  const int first = (static_cast<int>(blockIdx.x) * groups + thread / THREADS_PER_ROW) * COARSENING;
  float sums[COARSENING] = {};
  for (int begin = 0; begin < n; begin += part_size) {
    const int columns = min(n - begin, part_size);
    if constexpr (x_memory == Memory::shared) {
      __syncthreads();  // the part before has been used
      for (int i = thread; i < columns; i += BLOCK_SIZE) part[i] = x[begin + i];
      __syncthreads();
    }
    const float* rows[COARSENING];
    // Behind the last row the last is read again, and not written.
#pragma unroll
    for (int row = 0; row < COARSENING; ++row)
      rows[row] = a + static_cast<long long>(min(first + row, m - 1)) * n + begin;
    const float* of_x = x_memory == Memory::shared ? part : x + begin;
    if (n % VECTOR_WIDTH == 0) {
      add_columns<VECTOR_WIDTH>(sums, rows, of_x, columns);
    } else {
      add_columns<1>(sums, rows, of_x, columns);
    }
  }
#pragma unroll
  for (int row = 0; row < COARSENING; ++row) {
    const float sum = group_sum(sums[row]);
    if (thread % THREADS_PER_ROW == 0 && first + row < m) y[first + row] = sum;
  }
}
