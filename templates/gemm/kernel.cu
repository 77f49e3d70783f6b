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
//   FRAGMENTS   sets of fragment registers: 1, or 2, read one step ahead of the multiplications (double buffering again)
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

// A thread's accesses of Width floats to a Rows x Columns tile. Access i lies a distance that is known at compile time from
// access 0 (all numbers are powers of two).
template <int Rows, int Columns, int Width>
struct Share {
  static constexpr int per_row = Columns / Width;
  static constexpr int count = Rows * per_row / threads;

  __device__ static int row() { return static_cast<int>(threadIdx.x) / per_row; }
  __device__ static int column() { return static_cast<int>(threadIdx.x) % per_row * Width; }
  __host__ __device__ static constexpr int down(int i) { return i * threads / per_row; }
  __host__ __device__ static constexpr int across(int i) { return i * threads % per_row * Width; }
};

// What is left of a matrix to the right of and below a thread's access 0 to the next tile.
struct Window {
  const float* data;
  int rows;
  int columns;
  int stride;

  __device__ bool holds(int down, int across) const { return down < rows && across < columns; }
  __device__ const float* at(int down, int across) const {
    return data + static_cast<long long>(down) * stride + across;
  }
  __device__ void move_down(int distance) {
    data += static_cast<long long>(distance) * stride;
    rows -= distance;
  }
  __device__ void move_across(int distance) {
    data += distance;
    columns -= distance;
  }
};

template <typename Share>
__device__ inline Window window_on(const float* data, int rows, int columns, int row, int column) {
  Window window{data, rows, columns, columns};
  window.move_down(row + Share::row());
  window.move_across(column + Share::column());
  return window;
}

template <int Width>
__device__ inline Pack<Width> pack_of(const float* values) {
  Pack<Width> pack;
#pragma unroll
  for (int j = 0; j < Width; ++j) pack.at[j] = values[j];
  return pack;
}

// A ring of STAGES pairs of tiles in shared memory. While one pair is multiplied, later ones are on their way: the next one
// in registers, or STAGES - 1 as asynchronous copies. Past the end of K travel zeros, which is cheaper than to ask.
// An asynchronous copy cannot turn a row into a column: A's transposed tile is then copied float by float.
template <int Width>
struct Ring {
  static constexpr int ahead = copy == Copy::async ? STAGES - 1 : 1;
  static constexpr int a_width = copy == Copy::async && a_layout == Layout::transposed ? 1 : Width;
  using ShareA = Share<BLOCK_M, BLOCK_K, a_width>;
  using ShareB = Share<BLOCK_K, BLOCK_N, Width>;

  float* shared;
  Window a;
  Window b;
  float staged_a[max_of(1, BLOCK_M * BLOCK_K / threads)];
  float staged_b[max_of(1, BLOCK_K * BLOCK_N / threads)];
  int reading = 0;  // the stage to multiply

  __device__ float* a_stage(int stage) const { return shared + stage * (a_tile + b_tile); }
  __device__ float* b_stage(int stage) const { return a_stage(stage) + a_tile; }

  // The stage `steps` < STAGES after `reading`, without a division.
  __device__ int after(int steps) const {
    const int stage = reading + steps;
    return stage < STAGES ? stage : stage - STAGES;
  }

  __device__ static float* place_a(float* tile, int i, int step) {
    return tile + place_of_a(ShareA::row() + ShareA::down(i), ShareA::column() + ShareA::across(i) + step);
  }
  __device__ static float* place_b(float* tile, int i) {
    return tile + (ShareB::row() + ShareB::down(i)) * BLOCK_N + ShareB::column() + ShareB::across(i);
  }

  template <typename Share, int N>
  __device__ static void fetch(float* staged, const Window& window) {
#pragma unroll
    for (int i = 0; i < Share::count; ++i) {
      Pack<N> pack{};
      if (window.holds(Share::down(i), Share::across(i))) pack = load<N>(window.at(Share::down(i), Share::across(i)));
#pragma unroll
      for (int j = 0; j < N; ++j) staged[i * N + j] = pack.at[j];
    }
  }

  __device__ void put(int stage) {
#pragma unroll
    for (int i = 0; i < ShareA::count; ++i) {
      if constexpr (a_layout == Layout::rows) {
        *reinterpret_cast<Pack<a_width>*>(place_a(a_stage(stage), i, 0)) = pack_of<a_width>(staged_a + i * a_width);
      } else {
#pragma unroll
        for (int j = 0; j < a_width; ++j) *place_a(a_stage(stage), i, j) = staged_a[i * a_width + j];
      }
    }
#pragma unroll
    for (int i = 0; i < ShareB::count; ++i) {
      *reinterpret_cast<Pack<Width>*>(place_b(b_stage(stage), i)) = pack_of<Width>(staged_b + i * Width);
    }
  }

  __device__ void copy_to(int stage) {
#pragma unroll
    for (int i = 0; i < ShareA::count; ++i) {
      const int down = ShareA::down(i);
      const int across = ShareA::across(i);
      copy_async<a_width>(place_a(a_stage(stage), i, 0), a.at(down, across), a.holds(down, across));
    }
#pragma unroll
    for (int i = 0; i < ShareB::count; ++i) {
      const int down = ShareB::down(i);
      const int across = ShareB::across(i);
      copy_async<Width>(place_b(b_stage(stage), i), b.at(down, across), b.holds(down, across));
    }
    commit_copies();
  }

  // Sends the next pair on its way, as far as registers or up to `stage`.
  __device__ void send(int stage) {
    if constexpr (copy == Copy::async) {
      copy_to(stage);
    } else {
      fetch<ShareA, a_width>(staged_a, a);
      fetch<ShareB, Width>(staged_b, b);
    }
    a.move_across(BLOCK_K);
    b.move_down(BLOCK_K);
  }

  // Makes the pair that left first readable in `stage`.
  __device__ void receive(int stage) {
    if constexpr (copy == Copy::async) {
      wait_for_copies<max_of(ahead - 1, 0)>();
    } else {
      put(stage);
    }
    __syncthreads();
  }

  __device__ void start() {
#pragma unroll
    for (int i = 0; i < ahead; ++i) send(i);
    receive(0);
  }

  __device__ void send_next() { send(after(ahead % STAGES)); }

  // Turns to the next pair. Its one barrier (two with a single stage) shows what has arrived, and frees the stage left.
  __device__ void turn() {
    if constexpr (STAGES == 1) __syncthreads();
    reading = after(1 % STAGES);
    receive(reading);
  }
};

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

// The product's operands, and the first element of C that the block computes.
struct Operands {
  const float* a;
  const float* b;
  int m;
  int n;
  int k;
  Place at;
};

using Accumulator = float[THREAD_M][THREAD_N];

// What a thread multiplies: its values of A for k_step steps along K, its values of B for one.
struct Fragments {
  float a[THREAD_M][k_step];
  float b[THREAD_N];
};

__device__ inline void multiply_fragments(Accumulator& sums, const Fragments& fragments, int step) {
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) sums[i][j] += fragments.a[i][step] * fragments.b[j];
  }
}

// Multiplies the pair and turns the ring.
template <int Width>
__device__ inline void multiply_pair(Accumulator& sums, Ring<Width>& ring, Place mine) {
  const float* a = ring.a_stage(ring.reading);
  const float* b = ring.b_stage(ring.reading);
#pragma unroll 1
  for (int first = 0; first < BLOCK_K; first += UNROLL) {
#pragma unroll
    for (int k = 0; k < UNROLL; k += k_step) {
      Fragments fragments;
      read_a(fragments.a, a, mine.row, first + k);
#pragma unroll
      for (int step = 0; step < k_step; ++step) {
        read_b(fragments.b, b, first + k + step, mine.column);
        multiply_fragments(sums, fragments, step);
      }
    }
  }
  ring.turn();
}

template <int Width>
__device__ inline void read_fragments(Fragments& fragments, const Ring<Width>& ring, int stage, Place mine, int k) {
  read_a(fragments.a, ring.a_stage(stage), mine.row, k);
  read_b(fragments.b, ring.b_stage(stage), k, mine.column);
}

// The same, one step ahead: each step's fragments are read during the step before. The ring turns before the last step, whose
// multiplications hide the barrier and the first reads behind it.
template <int Width>
__device__ inline void multiply_pair_ahead(Accumulator& sums, Ring<Width>& ring, Place mine, Fragments (&fragments)[2]) {
  const int stage = ring.reading;
#pragma unroll
  for (int k = 0; k < BLOCK_K; ++k) {
    if (k + 1 < BLOCK_K) {
      read_fragments(fragments[(k + 1) % 2], ring, stage, mine, k + 1);
    } else {
      ring.turn();
      read_fragments(fragments[0], ring, ring.reading, mine, 0);
    }
    multiply_fragments(sums, fragments[k % 2], 0);
  }
}

template <int Width>
__device__ inline void multiply_tiled(Accumulator& sums, const Operands& from, Place mine) {
  extern __shared__ float4 shared_storage[];
  using Rings = Ring<Width>;
  Rings ring{reinterpret_cast<float*>(shared_storage),
             window_on<typename Rings::ShareA>(from.a, from.m, from.k, from.at.row, 0),
             window_on<typename Rings::ShareB>(from.b, from.k, from.n, 0, from.at.column)};
  ring.start();
  Fragments fragments[2];
  if constexpr (FRAGMENTS == 2) read_fragments(fragments[0], ring, 0, mine, 0);
  for (int k = 0; k < from.k; k += BLOCK_K) {
    ring.send_next();
    if constexpr (FRAGMENTS == 2) {
      multiply_pair_ahead(sums, ring, mine, fragments);
    } else {
      multiply_pair(sums, ring, mine);
    }
  }
}

// Every operand from global memory, once for each use. Rows and columns outside C read the border's instead: what they
// sum up is never stored.
__device__ inline void multiply_naively(Accumulator& sums, const Operands& from, Place mine) {
#pragma unroll unroll
  for (int k = 0; k < from.k; ++k) {
    float b[THREAD_N];
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) {
      const int column = min_of(from.at.column + mine.column + column_offset(j), from.n - 1);
      b[j] = from.b[static_cast<long long>(k) * from.n + column];
    }
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
      const int row = min_of(from.at.row + mine.row + row_offset(i), from.m - 1);
      const float a = from.a[static_cast<long long>(row) * from.k + k];
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
  const Place at = tile_of_block(m, n);
  const Place mine = place_in_block();
  const Operands from{a, b, m, n, k, at};
  Accumulator sums = {};
  if constexpr (algorithm == Algorithm::naive) {
    multiply_naively(sums, from, mine);
  } else if (k % VECTOR == 0 && n % VECTOR == 0) {  // rows of A and B start aligned
    multiply_tiled<VECTOR>(sums, from, mine);
  } else {
    multiply_tiled<1>(sums, from, mine);
  }
  write_sums(c, m, n, sums, {at.row + mine.row, at.column + mine.column}, alpha, beta);
}
