// C = A * B for a batch of small matrices, row-major floats: so many products at once that each has few threads.
//
//   BLOCK_SIZE       threads per block, which multiply as many matrices as they and shared memory have room for
//   COARSENING_M, COARSENING_N  rows and columns of C per thread: all of C is a thread per matrix
//   SOURCE           shared: the block's matrices come to shared memory as they lie, from end to end; cache: threads read
//                    what they need through the L1 cache
//   COPY             how they come to shared memory: through registers or by asynchronous copies
//   VECTOR_WIDTH     floats moved by one memory instruction (matrices and their rows must allow it: otherwise fewer)
//   PADDING          floats added to each matrix in shared memory, so that threads of different matrices meet different
//                    banks
//   UNROLL           steps along K, of a vector each, between two branches; 0: all of them
//   EPILOGUE         direct: threads write their part of C; shared: the block's results are put together in shared memory
//                    and written from end to end
//
// The sizes are constants of the code, as in libraries that compile a kernel for each size: loops end where the
// compiler sees it, and quotients are cheap.
//
// Sources: Masliah et al., "High-Performance Matrix-Matrix Multiplications of Very Small Matrices" (Euro-Par 2016) and
// Abdelfattah et al., "Novel HPC techniques to batch execution of many variable size BLAS computations on GPUs" (ICS
// 2017) for several matrices per block and sizes as constants; Heinecke et al., "LIBXSMM" (SC16) for code by size.

#include <warptune/device/async_copy.cuh>
#include <warptune/device/vectors.cuh>

using warptune::device::copy_async;
using warptune::device::load_pack;
using warptune::device::Pack;
using warptune::device::store_pack;

enum class Source { shared, cache };
enum class Copy { registers, async };
enum class Epilogue { direct, shared };

constexpr bool from_shared = Source::SOURCE == Source::shared;
constexpr bool by_async_copies = Copy::COPY == Copy::async;
constexpr bool through_shared = Epilogue::EPILOGUE == Epilogue::shared;

// The widest vector up to VECTOR_WIDTH that divides both.
__host__ __device__ constexpr int vector_of(int extent, int other) {
  int vector = VECTOR_WIDTH;
  while (extent % vector != 0 || other % vector != 0) vector /= 2;
  return vector;
}

constexpr int size_a = SIZE_M * SIZE_K, size_b = SIZE_K * SIZE_N, size_c = SIZE_M * SIZE_N;
constexpr int threads_m = (SIZE_M - 1) / COARSENING_M + 1;
constexpr int threads_n = (SIZE_N - 1) / COARSENING_N + 1;
constexpr int threads = threads_m * threads_n;  // of a matrix
constexpr int along_k = vector_of(SIZE_K, SIZE_K);
constexpr int along_n = vector_of(SIZE_N, COARSENING_N);
constexpr int steps = SIZE_K / along_k;
constexpr int unroll = UNROLL == 0 ? steps : UNROLL;

// Where shared memory keeps the matrices.
constexpr int pitch_a = size_a + PADDING, pitch_b = size_b + PADDING, pitch_c = size_c + PADDING;
constexpr int begin_b = (MATRICES * pitch_a + 3) / 4 * 4;

struct Product {
  float at[COARSENING_M][COARSENING_N];
};

// `count` matrices of `Size` floats from end to end, each to its place. A vector never reaches into the next matrix.
template <int Size, int Pitch>
__device__ inline void bring(float* target, const float* source, int count) {
  constexpr int width = vector_of(Size, Pitch);
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x) * width; i < count * Size; i += BLOCK_SIZE * width) {
    float* place = target + i / Size * Pitch + i % Size;
    if constexpr (by_async_copies) {
      copy_async<4 * width>(place, source + i);
    } else {
      store_pack(place, load_pack<width>(source + i));
    }
  }
}

template <int Size, int Pitch>
__device__ inline void take_away(float* target, const float* source, int count) {
  constexpr int width = vector_of(Size, Pitch);
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x) * width; i < count * Size; i += BLOCK_SIZE * width)
    store_pack(target + i, load_pack<width>(source + i / Size * Pitch + i % Size));
}

// A thread's part of a matrix: COARSENING_M rows of C from `row` on, and vectors of columns that lie so far apart that
// neighbouring threads have neighbouring ones. What it has beyond C's edge repeats the edge.
struct Part {
  int row;
  int column;

  __device__ int row_at(int i) const { return SIZE_M % COARSENING_M == 0 ? row + i : min(row + i, SIZE_M - 1); }
  // j: a multiple of along_n.
  __device__ int column_of(int j) const { return column + j * threads_n; }
  __device__ int column_at(int j) const {
    return SIZE_N % COARSENING_N == 0 ? column_of(j) : min(column_of(j), SIZE_N - along_n);
  }
};

__device__ inline void multiply_step(Product& product, const float* a, const float* b, Part part, int k) {
  Pack<float, along_k> rows[COARSENING_M];
#pragma unroll
  for (int i = 0; i < COARSENING_M; ++i) rows[i] = load_pack<along_k>(a + part.row_at(i) * SIZE_K + k);
#pragma unroll
  for (int depth = 0; depth < along_k; ++depth) {
#pragma unroll
    for (int first = 0; first < COARSENING_N; first += along_n) {
      const auto columns = load_pack<along_n>(b + (k + depth) * SIZE_N + part.column_at(first));
#pragma unroll
      for (int i = 0; i < COARSENING_M; ++i) {
#pragma unroll
        for (int j = 0; j < along_n; ++j) product.at[i][first + j] += rows[i].at[depth] * columns.at[j];
      }
    }
  }
}

__device__ inline Product multiplied(const float* a, const float* b, Part part) {
  Product product = {};
#pragma unroll unroll
  for (int step = 0; step < steps; ++step) multiply_step(product, a, b, part, step * along_k);
  return product;
}

__device__ inline void write(float* c, const Product& product, Part part) {
#pragma unroll
  for (int i = 0; i < COARSENING_M; ++i) {
#pragma unroll
    for (int first = 0; first < COARSENING_N; first += along_n) {
      Pack<float, along_n> pack;
#pragma unroll
      for (int j = 0; j < along_n; ++j) pack.at[j] = product.at[i][first + j];
      if (part.row + i < SIZE_M && part.column_of(first) < SIZE_N)
        store_pack(c + (part.row + i) * SIZE_N + part.column_of(first), pack);
    }
  }
}

// a, b, c: batch matrices each, aligned to 16 bytes; MATRICES for each block. Dynamic shared memory: theirs.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    batched_gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int batch) {
  extern __shared__ float4 storage[];
  float* shared = reinterpret_cast<float*>(storage);
  const long long first = static_cast<long long>(blockIdx.x) * MATRICES;
  const int count = static_cast<int>(min(static_cast<long long>(MATRICES), batch - first));
  const int matrix = static_cast<int>(threadIdx.x) / threads, thread = static_cast<int>(threadIdx.x) % threads;
  const Part part = {thread / threads_n * COARSENING_M, thread % threads_n * along_n};
  const bool busy = matrix < count;
  a += first * size_a;
  b += first * size_b;
  c += first * size_c;
  Product product;
  if constexpr (from_shared) {
    bring<size_a, pitch_a>(shared, a, count);
    bring<size_b, pitch_b>(shared + begin_b, b, count);
    if constexpr (by_async_copies) {
      warptune::device::commit_copies();
      warptune::device::wait_for_copies<0>();
    }
    __syncthreads();
    if (busy) product = multiplied(shared + matrix * pitch_a, shared + begin_b + matrix * pitch_b, part);
  } else {
    if (busy) product = multiplied(a + matrix * size_a, b + matrix * size_b, part);
  }
  if constexpr (through_shared) {
    if constexpr (from_shared) __syncthreads();  // all have read what results overwrite
    if (busy) write(shared + matrix * pitch_c, product, part);
    __syncthreads();
    take_away<size_c, pitch_c>(c, shared, count);
  } else {
    if (busy) write(c + matrix * size_c, product, part);
  }
}
