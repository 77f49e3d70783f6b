// y = A * x for a row-major matrix of floats. Each element of A is read once; x is small and read again and again.
//
//   BLOCK     threads a block
//   LANES     threads that share a row and add up their parts at its end
//   ROWS      rows such a group takes at once: what it has read of x serves all of them
//   VECTOR    floats moved by one load (rows must begin aligned: otherwise single floats)
//   ITEMS     loads of each row in flight at once
//   X         cache: x comes through the caches; shared: the block copies a part of it to shared memory for all its
//             rows
//   ACCESS    plain, or streaming: A passes the caches by, to leave them to x
//
// Sources: Nath, Tomov, Dong & Dongarra, "Optimizing Symmetric Dense Matrix-Vector Multiplication on GPUs" (SC 2011);
// Sorensen, "High-Performance Matrix-Vector Multiplication on the GPU" (Euro-Par 2011) for threads a row against the
// matrix' shape; Volkov, "Better Performance at Lower Occupancy" (GTC 2010) for ITEMS.

enum class Vector { cache, shared };
enum class Access { plain, streaming };

constexpr Vector x_kind = Vector::X;
constexpr Access access_kind = Access::ACCESS;
constexpr int warp = 32;
constexpr int groups = BLOCK / LANES;
constexpr int part_size = 4096;  // of x in shared memory, in floats

template <int Width>
struct VectorOf;
template <>
struct VectorOf<1> {
  using type = float;
};
template <>
struct VectorOf<2> {
  using type = float2;
};
template <>
struct VectorOf<4> {
  using type = float4;
};

template <int Width>
struct alignas(4 * Width) Pack {
  float at[Width];
};

template <int Width>
__device__ inline Pack<Width> load_a(const float* source) {
  if constexpr (access_kind == Access::streaming) {
    const auto value = __ldcs(reinterpret_cast<const typename VectorOf<Width>::type*>(source));
    return reinterpret_cast<const Pack<Width>&>(value);
  }
  return *reinterpret_cast<const Pack<Width>*>(source);
}

// Adds `Items` vectors of each row, LANES vectors apart, to the rows' sums.
template <int Width, int Items>
__device__ inline void add_vectors(float (&sums)[ROWS], const float* const (&rows)[ROWS], const float* x, int column) {
  Pack<Width> of_a[ROWS][Items];
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
#pragma unroll
    for (int i = 0; i < Items; ++i) of_a[row][i] = load_a<Width>(rows[row] + column + i * LANES * Width);
  }
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const Pack<Width> of_x = *reinterpret_cast<const Pack<Width>*>(x + column + i * LANES * Width);
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
#pragma unroll
      for (int j = 0; j < Width; ++j) sums[row] += of_a[row][i].at[j] * of_x.at[j];
    }
  }
}

// Adds what this thread has of `columns` columns, a multiple of Width; rows and x point at the first.
template <int Width>
__device__ inline void add_columns(float (&sums)[ROWS], const float* const (&rows)[ROWS], const float* x, int columns) {
  constexpr int step = LANES * Width;
  int column = static_cast<int>(threadIdx.x) % LANES * Width;
  // ITEMS is the unrolling: more of it by the compiler costs registers.
#pragma unroll 1
  for (; column + (ITEMS - 1) * step < columns; column += ITEMS * step)
    add_vectors<Width, ITEMS>(sums, rows, x, column);
#pragma unroll 1
  for (; column < columns; column += step) add_vectors<Width, 1>(sums, rows, x, column);
}

// The group's sum, valid in its first thread. All threads of the block come here together.
__device__ inline float group_sum(float value) {
  constexpr int lanes = LANES < warp ? LANES : warp;
#pragma unroll
  for (int offset = lanes / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset, lanes);
  if constexpr (LANES <= warp) return value;
  __shared__ float sums[BLOCK / warp];
  const int thread = static_cast<int>(threadIdx.x);
  __syncthreads();  // the row before has been read
  if (thread % warp == 0) sums[thread / warp] = value;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < LANES / warp; ++i) sum += sums[thread / LANES * (LANES / warp) + i];
  return sum;
}

// a: m * n floats; x: n; y: m; all aligned to 16 bytes. A block computes groups * ROWS elements of y.
extern "C" __global__ void __launch_bounds__(BLOCK)
    gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m, int n) {
  __shared__ float4 storage[x_kind == Vector::shared ? part_size / 4 : 1];
  float* part = reinterpret_cast<float*>(storage);
  const int thread = static_cast<int>(threadIdx.x);
  const int first = (static_cast<int>(blockIdx.x) * groups + thread / LANES) * ROWS;
  float sums[ROWS] = {};
  for (int begin = 0; begin < n; begin += part_size) {
    const int columns = min(n - begin, part_size);
    if constexpr (x_kind == Vector::shared) {
      __syncthreads();  // the part before has been used
      for (int i = thread; i < columns; i += BLOCK) part[i] = x[begin + i];
      __syncthreads();
    }
    const float* rows[ROWS];
    // Behind the last row the last is read again, and not written.
#pragma unroll
    for (int row = 0; row < ROWS; ++row) rows[row] = a + static_cast<long long>(min(first + row, m - 1)) * n + begin;
    const float* of_x = x_kind == Vector::shared ? part : x + begin;
    if (n % VECTOR == 0) {
      add_columns<VECTOR>(sums, rows, of_x, columns);
    } else {
      add_columns<1>(sums, rows, of_x, columns);
    }
  }
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
    const float sum = group_sum(sums[row]);
    if (thread % LANES == 0 && first + row < m) y[first + row] = sum;
  }
}
