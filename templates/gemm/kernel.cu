// C = alpha * A * B + beta * C for row-major floats: A is m x k, B is k x n, C is m x n.
//
//   ALGORITHM   naive: every operand comes from global memory; tiled: blocks share tiles of A and B in shared memory
//   BLOCK_M, BLOCK_N, BLOCK_K     the tile of C a block computes, and the depth of the tiles it shares
//   THREAD_M, THREAD_N            the part of C a thread keeps in registers: each value read is used that often
//   LANES_M     how many of a warp's 32 threads lie along M; the others lie along N (the warp's tile)
//   LANE_ORDER  rows: neighbours along N; zigzag: pairs of lanes along M first, so that two quarter-warps share a fetch
//   A_LAYOUT    of A's tile: transposed (k-major: a thread reads neighbours along M) or rows (as in memory: along K)
//   A_SKEW      of A's tile against bank conflicts: plain, padded by four floats, swizzled by an XOR
//   VECTOR      floats moved by one access to global memory
//   COPY        registers: tiles pass through registers; async: cp.async (compute capability 8.0 on, plain copies elsewhere)
//   STAGES      tiles in shared memory at once: 1, 2 (double buffering) or more (async only)
//   UNROLL      steps along K unrolled at once
//   GROUP_M     tile rows of C that blocks walk together, for the L2 cache; 1: row after row
//   MIN_BLOCKS  blocks a multiprocessor must hold at once: bounds the registers a thread gets
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 4-6 (tiles, coarsening); Volkov & Demmel,
// "Benchmarking GPUs to Tune Dense Linear Algebra" (SC 2008) for register tiles; Nath, Tomov & Dongarra, "An Improved MAGMA
// GEMM for Fermi" (2010) for double buffering; Gray, "SGEMM" (maxas wiki, 2014) for lane orders; Kerr et al., "CUTLASS:
// Fast Linear Algebra in CUDA C++" (NVIDIA developer blog, 2017) for warp tiles and rasterisation; the CUDA Programming
// Guide, "Asynchronous Data Copies", for cp.async and stages.

enum class Algorithm { naive, tiled };
enum class LaneOrder { rows, zigzag };
enum class Layout { transposed, rows };
enum class Skew { plain, padded, swizzled };
enum class Copy { registers, async };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr LaneOrder lane_order = LaneOrder::LANE_ORDER;
constexpr Layout a_layout = Layout::A_LAYOUT;
constexpr Skew a_skew = Skew::A_SKEW;
constexpr Copy copy = Copy::COPY;

constexpr int threads = (BLOCK_M / THREAD_M) * (BLOCK_N / THREAD_N);
constexpr int banks = 32;
constexpr int unroll = UNROLL;
constexpr int lanes_m = LANES_M;
constexpr int lanes_n = 32 / LANES_M;
constexpr int warp_m = lanes_m * THREAD_M;
constexpr int warp_n = lanes_n * THREAD_N;
constexpr int warps_n = BLOCK_N / warp_n;

// A thread's rows (columns) come in runs of neighbours that one 16-byte load fetches; runs of the warp's lanes interleave, so
// that such a load of a whole warp meets every bank once.
constexpr int run_m = a_layout == Layout::rows ? 1 : (THREAD_M % 4 == 0 ? 4 : THREAD_M);
constexpr int run_n = THREAD_N % 4 == 0 ? 4 : THREAD_N;
// Steps along K that one fetch of A's fragment serves.
constexpr int k_step = a_layout == Layout::rows ? 4 : 1;

constexpr int a_pad = a_skew == Skew::padded ? 4 : 0;
constexpr int a_pitch = (a_layout == Layout::transposed ? BLOCK_M : BLOCK_K) + a_pad;
constexpr int a_tile = (a_layout == Layout::transposed ? BLOCK_K : BLOCK_M) * a_pitch;
constexpr int b_tile = BLOCK_K * BLOCK_N;

__host__ __device__ constexpr int min_of(int a, int b) { return a < b ? a : b; }
__host__ __device__ constexpr int max_of(int a, int b) { return a < b ? b : a; }

template <int Width>
struct alignas(4 * Width) Pack {
  float at[Width];
};

struct Matrix {
  const float* data;
  int rows;
  int columns;
};

// Where this thread's part of the block's tile begins: rows are first_row + run * lanes_m * run_m + (0 ... run_m - 1).
struct Place {
  int row;
  int column;
};

__device__ inline Place place_in_block() {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool zigzag = lane_order == LaneOrder::zigzag;
  const int lane_m = zigzag ? lane / 2 / lanes_n * 2 + lane % 2 : lane / lanes_n;
  const int lane_n = zigzag ? lane / 2 % lanes_n : lane % lanes_n;
  return {warp / warps_n * warp_m + lane_m * run_m, warp % warps_n * warp_n + lane_n * run_n};
}

__host__ __device__ constexpr int row_offset(int i) { return i / run_m * (lanes_m * run_m) + i % run_m; }
__host__ __device__ constexpr int column_offset(int j) { return j / run_n * (lanes_n * run_n) + j % run_n; }

// The first element of this block's tile of C. Blocks walk GROUP_M tile rows together, column by column: those in flight
// then share rows of A and columns of B in the L2 cache.
__device__ inline Place tile_of_block(int m, int n) {
  const int tiles_m = (m - 1) / BLOCK_M + 1;
  const int tiles_n = (n - 1) / BLOCK_N + 1;
  const int block = static_cast<int>(blockIdx.x);
  const int group = block / (GROUP_M * tiles_n);
  const int rest = block - group * (GROUP_M * tiles_n);
  const int height = min_of(tiles_m - group * GROUP_M, GROUP_M);
  return {(group * GROUP_M + rest % height) * BLOCK_M, rest / height * BLOCK_N};
}

// Where A's tile keeps element (row, k). Swizzled, groups of four neighbours trade places, differently for what a warp
// stores (transposed) or loads (rows) at once.
__device__ inline int place_of_a(int row, int k) {
  if constexpr (a_layout == Layout::transposed) {
    constexpr int step = max_of(4, VECTOR * banks / BLOCK_K);
    const int skew = a_skew == Skew::swizzled ? k / VECTOR * step % min_of(banks, BLOCK_M) : 0;
    return k * a_pitch + (row ^ skew);
  } else {
    constexpr int rows_per_skew = max_of(1, banks / BLOCK_K);
    const int skew = a_skew == Skew::swizzled ? row / rows_per_skew * 4 % min_of(banks, BLOCK_K) : 0;
    return row * a_pitch + (k ^ skew);
  }
}

template <int Width>
__device__ inline Pack<Width> load(const float* source) {
  return *reinterpret_cast<const Pack<Width>*>(source);
}

// Starts copying Width floats to shared memory, or zeros if they lie outside the matrix.
template <int Width>
__device__ inline void copy_async(float* target, const float* source, bool inside) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(target));
  const int bytes = inside ? 4 * Width : 0;
  if constexpr (Width == 4) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(source), "r"(bytes) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(source), "n"(4 * Width), "r"(bytes)
                 : "memory");
  }
#else
  *reinterpret_cast<Pack<Width>*>(target) = inside ? load<Width>(source) : Pack<Width>{};
#endif
}

// Closes a group of copies, also an empty one.
__device__ inline void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most `Pending` of this thread's groups are under way.
template <int Pending>
__device__ inline void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

// One thread's share of a Rows x Columns tile, as accesses of Width floats: visit(item, row, column).
template <int Rows, int Columns, int Width, typename Visit>
__device__ inline void for_each_access(Visit visit) {
  constexpr int per_row = Columns / Width;
  constexpr int count = Rows * per_row / threads;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < count; ++i) visit(i, (thread + i * threads) / per_row, (thread + i * threads) % per_row * Width);
}

__device__ inline bool is_inside(const Matrix& matrix, int row, int column) {
  return row < matrix.rows && column < matrix.columns;
}

__device__ inline const float* address(const Matrix& matrix, int row, int column) {
  return matrix.data + static_cast<long long>(row) * matrix.columns + column;
}

template <int Width>
__device__ inline void store_a(float* tile, int row, int k, const Pack<Width>& pack) {
  if constexpr (a_layout == Layout::rows) {
    *reinterpret_cast<Pack<Width>*>(tile + place_of_a(row, k)) = pack;
  } else {
#pragma unroll
    for (int j = 0; j < Width; ++j) tile[place_of_a(row, k + j)] = pack.at[j];
  }
}

// A thread's share of the next tiles, on its way from global to shared memory.
struct Staged {
  float a[max_of(1, BLOCK_M * BLOCK_K / threads)];
  float b[max_of(1, BLOCK_K * BLOCK_N / threads)];
};

template <int Rows, int Columns, int Width>
__device__ inline void fetch(float* staged, const Matrix& matrix, int first_row, int first_column) {
  for_each_access<Rows, Columns, Width>([&](int i, int row, int column) {
    const bool inside = is_inside(matrix, first_row + row, first_column + column);
    Pack<Width> pack{};
    if (inside) pack = load<Width>(address(matrix, first_row + row, first_column + column));
#pragma unroll
    for (int j = 0; j < Width; ++j) staged[i * Width + j] = pack.at[j];
  });
}

template <int Width>
__device__ inline Pack<Width> pack_of(const float* values) {
  Pack<Width> pack;
#pragma unroll
  for (int j = 0; j < Width; ++j) pack.at[j] = values[j];
  return pack;
}

template <int Width>
__device__ inline void put_a(float* tile, const Staged& staged) {
  for_each_access<BLOCK_M, BLOCK_K, Width>(
      [&](int i, int row, int k) { store_a<Width>(tile, row, k, pack_of<Width>(staged.a + i * Width)); });
}

template <int Width>
__device__ inline void put_b(float* tile, const Staged& staged) {
  for_each_access<BLOCK_K, BLOCK_N, Width>([&](int i, int k, int column) {
    *reinterpret_cast<Pack<Width>*>(tile + k * BLOCK_N + column) = pack_of<Width>(staged.b + i * Width);
  });
}

// The operands of one block: where its tiles come from, and whether rows start aligned for vectors.
struct Source {
  Matrix a;
  Matrix b;
  Place at;
  bool a_vectors;
  bool b_vectors;
};

__device__ inline void fetch_tiles(Staged& staged, const Source& from, int k) {
  if (from.a_vectors) {
    fetch<BLOCK_M, BLOCK_K, VECTOR>(staged.a, from.a, from.at.row, k);
  } else {
    fetch<BLOCK_M, BLOCK_K, 1>(staged.a, from.a, from.at.row, k);
  }
  if (from.b_vectors) {
    fetch<BLOCK_K, BLOCK_N, VECTOR>(staged.b, from.b, k, from.at.column);
  } else {
    fetch<BLOCK_K, BLOCK_N, 1>(staged.b, from.b, k, from.at.column);
  }
}

__device__ inline void put_tiles(float* stage, const Source& from, const Staged& staged) {
  from.a_vectors ? put_a<VECTOR>(stage, staged) : put_a<1>(stage, staged);
  from.b_vectors ? put_b<VECTOR>(stage + a_tile, staged) : put_b<1>(stage + a_tile, staged);
}

template <int Width>
__device__ inline void copy_a(float* tile, const Source& from, int first_k) {
  for_each_access<BLOCK_M, BLOCK_K, Width>([&](int, int row, int k) {
    const bool inside = is_inside(from.a, from.at.row + row, first_k + k);
    copy_async<Width>(tile + place_of_a(row, k), address(from.a, from.at.row + row, first_k + k), inside);
  });
}

template <int Width>
__device__ inline void copy_b(float* tile, const Source& from, int first_k) {
  for_each_access<BLOCK_K, BLOCK_N, Width>([&](int, int k, int column) {
    const bool inside = is_inside(from.b, first_k + k, from.at.column + column);
    copy_async<Width>(tile + k * BLOCK_N + column, address(from.b, first_k + k, from.at.column + column), inside);
  });
}

// An asynchronous copy cannot turn a row into a column: A's transposed tile is copied float by float.
__device__ inline void copy_tiles(float* stage, const Source& from, int k) {
  constexpr int a_width = a_layout == Layout::transposed ? 1 : VECTOR;
  from.a_vectors ? copy_a<a_width>(stage, from, k) : copy_a<1>(stage, from, k);
  from.b_vectors ? copy_b<VECTOR>(stage + a_tile, from, k) : copy_b<1>(stage + a_tile, from, k);
  commit_copies();
}

// The fragment of A for k_step steps from k on: values[i][step].
__device__ inline void read_a(float (&values)[THREAD_M][k_step], const float* tile, int row, int k) {
  if constexpr (a_layout == Layout::rows) {
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
      const Pack<4> pack = load<4>(tile + place_of_a(row + row_offset(i), k));
#pragma unroll
      for (int step = 0; step < k_step; ++step) values[i][step] = pack.at[step];
    }
  } else {
#pragma unroll
    for (int i = 0; i < THREAD_M; i += run_m) {
      const Pack<run_m> pack = load<run_m>(tile + place_of_a(row + row_offset(i), k));
#pragma unroll
      for (int j = 0; j < run_m; ++j) values[i + j][0] = pack.at[j];
    }
  }
}

__device__ inline void read_b(float (&values)[THREAD_N], const float* tile, int k, int column) {
#pragma unroll
  for (int j = 0; j < THREAD_N; j += run_n) {
    const Pack<run_n> pack = load<run_n>(tile + k * BLOCK_N + column + column_offset(j));
#pragma unroll
    for (int l = 0; l < run_n; ++l) values[j + l] = pack.at[l];
  }
}

using Accumulator = float[THREAD_M][THREAD_N];

// Adds the product of the two tiles of a stage.
__device__ inline void multiply_tiles(Accumulator& sums, const float* stage, Place mine) {
#pragma unroll 1
  for (int first = 0; first < BLOCK_K; first += UNROLL) {
#pragma unroll
    for (int k = 0; k < UNROLL; k += k_step) {
      float a[THREAD_M][k_step];
      read_a(a, stage, mine.row, first + k);
#pragma unroll
      for (int step = 0; step < k_step; ++step) {
        float b[THREAD_N];
        read_b(b, stage + a_tile, first + k + step, mine.column);
#pragma unroll
        for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
          for (int j = 0; j < THREAD_N; ++j) sums[i][j] += a[i][step] * b[j];
        }
      }
    }
  }
}

// While one tile is multiplied, the next is on its way to registers.
__device__ inline void multiply_through_registers(Accumulator& sums, float* shared, const Source& from, Place mine) {
  Staged staged;
  fetch_tiles(staged, from, 0);
  put_tiles(shared, from, staged);
  __syncthreads();
  int stage = 0;
  for (int k = BLOCK_K;; k += BLOCK_K) {
    const bool more = k < from.a.columns;
    if (more) fetch_tiles(staged, from, k);
    multiply_tiles(sums, shared + stage * (a_tile + b_tile), mine);
    if (!more) return;
    if constexpr (STAGES == 1) __syncthreads();
    stage = (stage + 1) % STAGES;
    put_tiles(shared + stage * (a_tile + b_tile), from, staged);
    __syncthreads();
  }
}

// STAGES - 1 tiles are on their way while one is multiplied; one barrier a tile both publishes the tile that has arrived and
// frees the one used before it.
__device__ inline void multiply_async(Accumulator& sums, float* shared, const Source& from, Place mine) {
  constexpr int ahead = STAGES - 1;
#pragma unroll
  for (int stage = 0; stage < ahead; ++stage) {
    copy_tiles(shared + stage * (a_tile + b_tile), from, stage * BLOCK_K);
  }
  int reading = 0;
  int writing = ahead;
  for (int k = 0; k < from.a.columns; k += BLOCK_K) {
    wait_for_copies<max_of(ahead - 1, 0)>();
    __syncthreads();
    copy_tiles(shared + writing * (a_tile + b_tile), from, k + ahead * BLOCK_K);
    multiply_tiles(sums, shared + reading * (a_tile + b_tile), mine);
    reading = reading + 1 == STAGES ? 0 : reading + 1;
    writing = writing + 1 == STAGES ? 0 : writing + 1;
  }
}

// Every operand from global memory, once for each use. Rows and columns outside C read the border's instead: what they
// sum up is never stored.
__device__ inline void multiply_naively(Accumulator& sums, const Source& from, Place mine) {
  const int depth = from.a.columns;
#pragma unroll unroll
  for (int k = 0; k < depth; ++k) {
    float b[THREAD_N];
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) {
      b[j] = *address(from.b, k, min_of(from.at.column + mine.column + column_offset(j), from.b.columns - 1));
    }
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
      const int row = min_of(from.at.row + mine.row + row_offset(i), from.a.rows - 1);
      const float a = *address(from.a, row, k);
#pragma unroll
      for (int j = 0; j < THREAD_N; ++j) sums[i][j] += a * b[j];
    }
  }
}

// C is not read where beta is zero, as in BLAS: it may hold NaNs then.
template <int Width>
__device__ inline void write_run(float* c, const float* sums, float alpha, float beta) {
  Pack<Width> result{};
  if (beta != 0.0f) result = load<Width>(c);
#pragma unroll
  for (int j = 0; j < Width; ++j) result.at[j] = alpha * sums[j] + (beta != 0.0f ? beta * result.at[j] : 0.0f);
  *reinterpret_cast<Pack<Width>*>(c) = result;
}

__device__ inline void write_sums(float* c, int m, int n, const Accumulator& sums, Place at, float alpha, float beta) {
  const bool vectors = n % run_n == 0;
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    const int row = at.row + row_offset(i);
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < THREAD_N; j += run_n) {
      const int column = at.column + column_offset(j);
      float* run = c + static_cast<long long>(row) * n + column;
      if (vectors) {
        if (column < n) write_run<run_n>(run, &sums[i][j], alpha, beta);
      } else {
#pragma unroll
        for (int l = 0; l < run_n; ++l) {
          if (column + l < n) write_run<1>(run + l, &sums[i][j + l], alpha, beta);
        }
      }
    }
  }
}

// a: m x k, b: k x n, c: m x n floats, row-major, aligned to 16 bytes. One block a tile of C, in a one-dimensional grid;
// STAGES * (a_tile + b_tile) floats of dynamic shared memory if tiled.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k,
         float alpha, float beta) {
  extern __shared__ float4 shared_storage[];
  float* shared = reinterpret_cast<float*>(shared_storage);
  const Place at = tile_of_block(m, n);
  const Place mine = place_in_block();
  const Source from{{a, m, k}, {b, k, n}, at, k % VECTOR == 0, n % VECTOR == 0};
  Accumulator sums = {};
  if constexpr (algorithm == Algorithm::naive) {
    multiply_naively(sums, from, mine);
  } else if constexpr (copy == Copy::async) {
    multiply_async(sums, shared, from, mine);
  } else {
    multiply_through_registers(sums, shared, from, mine);
  }
  write_sums(c, m, n, sums, {at.row + mine.row, at.column + mine.column}, alpha, beta);
}
