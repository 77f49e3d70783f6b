// C = A * B for row-major matrices of floats: A is M x K, B is K x N, C is M x N. The steps by which the product is
// taught, from a thread per element to tiles in shared memory and registers.
//
//   STEP        naive            a thread per element of C; every operand comes from global memory
//               tile_a           the block's rows of A come through shared memory, a tile at a time
//               tiled            so do its columns of B: each element read serves TILE_WIDTH threads
//               double_buffered  two pairs of tiles: one is loaded while the other is multiplied
//               coarsened        a thread computes COARSENING elements of C, which share its row of A
//               joint            a thread keeps its part of A and its row of C in registers; B's tile is shared
//               depth_parallel   SLICED_K threads share an element of C: each adds up its part of the depth
//   TILE_WIDTH  side of the square tiles, and of the block of threads
//   COARSENING  elements of C per thread (coarsened, joint)
//   SLICED_K    threads that share an element of C (depth_parallel)
//   UNROLL      steps along K between two branches of the innermost loop
//   PADDING     elements added to each row of an array in shared memory
//   BOUNDARY    checks: each access asks whether its element exists; padded: the matrices are copied into larger ones
//               first, whole tiles of zeros at their borders, and no access asks
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 4 to 6 (tiles, boundary checks, coarsening);
// NVIDIA, "CUDA C++ Best Practices Guide", Shared Memory in Matrix Multiplication (tile_a); Volkov & Demmel,
// "Benchmarking GPUs to Tune Dense Linear Algebra" (SC 2008) for joint. The template gemm goes on from here.

enum class Step { naive, tile_a, tiled, double_buffered, coarsened, joint, depth_parallel };
enum class Boundary { checks, padded };

constexpr Step step = Step::STEP;
constexpr bool checks = Boundary::BOUNDARY == Boundary::checks;
constexpr int unroll = UNROLL;

// Element (row, column) of a matrix of rows x columns elements, or 0 outside of it.
__device__ inline float element(const float* matrix, int row, int column, int rows, int columns) {
  if (checks && (row >= rows || column >= columns)) return 0.0f;
  return matrix[static_cast<long long>(row) * columns + column];
}

__device__ inline void write(float* C, int row, int column, int M, int N, float value) {
  if (checks && (row >= M || column >= N)) return;
  C[static_cast<long long>(row) * N + column] = value;
}

__device__ inline void naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * TILE_WIDTH + threadIdx.y;
  const int column = blockIdx.x * TILE_WIDTH + threadIdx.x;
  float sum = 0.0f;
#pragma unroll unroll
  for (int k = 0; k < K; ++k) sum += element(A, row, k, M, K) * element(B, k, column, K, N);
  write(C, row, column, M, N, sum);
}

// A row of the tile is written and read by one row of threads. Where these belong to one warp, that alone has to wait.
__device__ inline void wait_for_row() {
  if constexpr (32 % TILE_WIDTH == 0) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

__device__ inline void tile_a(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE_WIDTH][TILE_WIDTH + PADDING];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE_WIDTH + ty;
  const int column = blockIdx.x * TILE_WIDTH + tx;
  float sum = 0.0f;
  for (int first = 0; first < K; first += TILE_WIDTH) {
    As[ty][tx] = element(A, row, first + tx, M, K);
    wait_for_row();
#pragma unroll unroll
    for (int k = 0; k < TILE_WIDTH; ++k) sum += As[ty][k] * element(B, first + k, column, K, N);
    wait_for_row();
  }
  write(C, row, column, M, N, sum);
}

__device__ inline void tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE_WIDTH][TILE_WIDTH + PADDING];
  __shared__ float Bs[TILE_WIDTH][TILE_WIDTH + PADDING];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE_WIDTH + ty;
  const int column = blockIdx.x * TILE_WIDTH + tx;
  float sum = 0.0f;
  for (int first = 0; first < K; first += TILE_WIDTH) {
    As[ty][tx] = element(A, row, first + tx, M, K);
    Bs[ty][tx] = element(B, first + ty, column, K, N);
    __syncthreads();  // the tiles are complete
#pragma unroll unroll
    for (int k = 0; k < TILE_WIDTH; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();  // nobody reads them any more
  }
  write(C, row, column, M, N, sum);
}

__device__ inline void double_buffered(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[2][TILE_WIDTH][TILE_WIDTH + PADDING];
  __shared__ float Bs[2][TILE_WIDTH][TILE_WIDTH + PADDING];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE_WIDTH + ty;
  const int column = blockIdx.x * TILE_WIDTH + tx;
  As[0][ty][tx] = element(A, row, tx, M, K);
  Bs[0][ty][tx] = element(B, ty, column, K, N);
  float sum = 0.0f;
  int now = 0;
  for (int first = 0; first < K; first += TILE_WIDTH) {
    __syncthreads();  // these tiles are complete, and nobody reads the other ones any more
    const int next = first + TILE_WIDTH;
    if (next < K) {
      As[1 - now][ty][tx] = element(A, row, next + tx, M, K);
      Bs[1 - now][ty][tx] = element(B, next + ty, column, K, N);
    }
#pragma unroll unroll
    for (int k = 0; k < TILE_WIDTH; ++k) sum += As[now][ty][k] * Bs[now][k][tx];
    now = 1 - now;
  }
  write(C, row, column, M, N, sum);
}

// The block's tile of C is COARSENING tiles wide: A's tile is loaded once for all of them.
__device__ inline void coarsened(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE_WIDTH][TILE_WIDTH + PADDING];
  __shared__ float Bs[TILE_WIDTH][COARSENING * TILE_WIDTH + PADDING];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE_WIDTH + ty;
  const int column = blockIdx.x * TILE_WIDTH * COARSENING + tx;
  float sums[COARSENING] = {};
  for (int first = 0; first < K; first += TILE_WIDTH) {
    As[ty][tx] = element(A, row, first + tx, M, K);
    for (int c = 0; c < COARSENING; ++c) {
      Bs[ty][c * TILE_WIDTH + tx] = element(B, first + ty, column + c * TILE_WIDTH, K, N);
    }
    __syncthreads();
#pragma unroll unroll
    for (int k = 0; k < TILE_WIDTH; ++k) {
      const float a = As[ty][k];
#pragma unroll
      for (int c = 0; c < COARSENING; ++c) sums[c] += a * Bs[k][c * TILE_WIDTH + tx];
    }
    __syncthreads();
  }
#pragma unroll
  for (int c = 0; c < COARSENING; ++c) write(C, row, column + c * TILE_WIDTH, M, N, sums[c]);
}

// Each of the block's threads has a row of C, COARSENING columns wide. B's tile is as deep as makes it an element per
// thread. The thread's row of A's tile is nobody else's, so it lies in registers.
__device__ inline void joint(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int threads = TILE_WIDTH * TILE_WIDTH;
  constexpr int depth = threads / COARSENING;
  __shared__ float Bs[depth][COARSENING + PADDING];
  const int t = threadIdx.x;
  const int row = blockIdx.y * threads + t;
  const int column = blockIdx.x * COARSENING;
  float sums[COARSENING] = {};
  for (int first = 0; first < K; first += depth) {
    Bs[t / COARSENING][t % COARSENING] = element(B, first + t / COARSENING, column + t % COARSENING, K, N);
    float a[depth];
#pragma unroll
    for (int k = 0; k < depth; ++k) a[k] = element(A, row, first + k, M, K);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
#pragma unroll
      for (int c = 0; c < COARSENING; ++c) sums[c] += a[k] * Bs[k][c];
    }
    __syncthreads();
  }
#pragma unroll
  for (int c = 0; c < COARSENING; ++c) write(C, row, column + c, M, N, sums[c]);
}

__device__ inline void depth_parallel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float partial[TILE_WIDTH][TILE_WIDTH][SLICED_K + PADDING];
  const int row = blockIdx.y * TILE_WIDTH + threadIdx.y;
  const int column = blockIdx.x * TILE_WIDTH + threadIdx.x;
  float sum = 0.0f;
#pragma unroll unroll
  for (int k = threadIdx.z; k < K; k += SLICED_K) sum += element(A, row, k, M, K) * element(B, k, column, K, N);
  partial[threadIdx.y][threadIdx.x][threadIdx.z] = sum;
  __syncthreads();
  if (threadIdx.z > 0) return;
  for (int slice = 1; slice < SLICED_K; ++slice) sum += partial[threadIdx.y][threadIdx.x][slice];
  write(C, row, column, M, N, sum);
}

// One block per tile of C. With BOUNDARY=padded, M, N and K are whole tiles.
extern "C" __global__ void __launch_bounds__(TILE_WIDTH* TILE_WIDTH* SLICED_K)
    matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  if constexpr (step == Step::naive) naive(A, B, C, M, N, K);
  if constexpr (step == Step::tile_a) tile_a(A, B, C, M, N, K);
  if constexpr (step == Step::tiled) tiled(A, B, C, M, N, K);
  if constexpr (step == Step::double_buffered) double_buffered(A, B, C, M, N, K);
  if constexpr (step == Step::coarsened) coarsened(A, B, C, M, N, K);
  if constexpr (step == Step::joint) joint(A, B, C, M, N, K);
  if constexpr (step == Step::depth_parallel) depth_parallel(A, B, C, M, N, K);
}

// to: rows x columns floats, from's (from_rows x from_columns) as far as both reach, zeros beyond.
extern "C" __global__ void resize(const float* __restrict__ from, float* __restrict__ to, int from_rows,
                                  int from_columns, int rows, int columns) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  if (row >= rows || column >= columns) return;
  const bool inside = row < from_rows && column < from_columns;
  to[static_cast<long long>(row) * columns + column] =
      inside ? from[static_cast<long long>(row) * from_columns + column] : 0.0f;
}
