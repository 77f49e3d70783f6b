// Unsigned integers in ascending order, digit by digit from the lowest. A pass over one digit has three kernels: each
// tile counts its digits; for each digit a scan over the tiles' counts says where each tile's begin; the tiles sort
// themselves by the digit and write. A pass keeps the order of equal digits, and so of all digits before.
//
//   BITS      of a digit: fewer passes, or fewer counters and longer runs to write
//   BLOCK     threads a block
//   ITEMS     keys a thread sorts: a tile of BLOCK * ITEMS
//   COUNTERS  copies of the digits' counters that a block counts in, against additions that meet
//   SCATTER   direct: each key goes from its register to its place; staged: the tile is put in order in shared memory
//             first, so that neighbours with equal digits are written together
//   MIN_BLOCKS blocks a multiprocessor must hold at once: bounds the registers a thread gets
//
// Sources: Satish, Harris & Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs" (IPDPS 2009) for the
// three kernels and the staged tile; Merrill & Grimshaw, "High Performance and Scalable Radix Sorting" (2011); Adinets
// & Merrill, "Onesweep" (2022) for ranking by match_any; Kirk & Hwu, "Programming Massively Parallel Processors",
// ch. 13.

enum class Scatter { direct, staged };

constexpr Scatter scatter = Scatter::SCATTER;
constexpr int warp = 32;
constexpr int warps = BLOCK / warp;
constexpr int digits = 1 << BITS;
constexpr int tile_size = BLOCK * ITEMS;
constexpr unsigned full_warp = 0xffffffffu;
constexpr unsigned largest = 0xffffffffu;  // key

// The buffers take turns so that the last pass writes to the output.
struct Passes {
  const unsigned* input;
  unsigned* output;
  unsigned* other;
  int pass;
  int count;

  __device__ unsigned* target() const { return (count - 1 - pass) % 2 == 0 ? output : other; }
  __device__ const unsigned* source() const { return pass == 0 ? input : (count - pass) % 2 == 0 ? output : other; }
};

__device__ inline int digit_of(unsigned key, int pass) {
  return static_cast<int>(key >> (pass * BITS) & (digits - 1));
}

// Kogge and Stone over the values of a block of `Threads`. `sums`: a word for each warp. Returns the sum before this
// thread's value; `total` becomes that of all. Between two calls there must be a barrier.
template <int Threads>
__device__ inline unsigned block_scan(unsigned value, unsigned* sums, unsigned& total) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % warp;
  unsigned sum = value;
#pragma unroll
  for (int offset = 1; offset < warp; offset *= 2) {
    const unsigned left = __shfl_up_sync(full_warp, sum, offset);
    if (lane >= offset) sum += left;
  }
  if (lane == warp - 1) sums[thread / warp] = sum;
  __syncthreads();
  unsigned before = 0;
  total = 0;
#pragma unroll
  for (int i = 0; i < Threads / warp; ++i) {
    if (i == thread / warp) before = total;
    total += sums[i];
  }
  return before + sum - value;
}

// First of a pass' three kernels: counts[digit][tile].
extern "C" __global__ void __launch_bounds__(BLOCK)
    count_digits(const unsigned* input, unsigned* output, unsigned* other, unsigned* counts, long long size, int pass,
                 int pass_count) {
  __shared__ unsigned counters[COUNTERS][digits];
  const Passes passes{input, output, other, pass, pass_count};
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < COUNTERS * digits; i += BLOCK) counters[i / digits][i % digits] = 0;
  __syncthreads();
  const unsigned* keys = passes.source();
  const long long first = static_cast<long long>(blockIdx.x) * tile_size;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const long long i = first + item * BLOCK + thread;
    if (i < size) atomicAdd(&counters[thread / warp % COUNTERS][digit_of(keys[i], pass)], 1u);
  }
  __syncthreads();
  for (int digit = thread; digit < digits; digit += BLOCK) {
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < COUNTERS; ++i) sum += counters[i][digit];
    counts[static_cast<long long>(digit) * gridDim.x + blockIdx.x] = sum;
  }
}

// Second, a block a digit: the tiles' counts become the number of keys with that digit in the tiles before. There are
// few counts: small blocks, whose threads read several at once.
constexpr int scan_threads = 64;

extern "C" __global__ void __launch_bounds__(scan_threads) scan_counts(unsigned* counts, unsigned* totals, int tiles) {
  constexpr int each = 8;
  __shared__ unsigned sums[scan_threads / warp];
  unsigned* row = counts + static_cast<long long>(blockIdx.x) * tiles;
  unsigned before = 0;
  for (int first = 0; first < tiles; first += each * scan_threads) {
    const int mine = first + static_cast<int>(threadIdx.x) * each;
    unsigned items[each];
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < each; ++i) sum += items[i] = mine + i < tiles ? row[mine + i] : 0;
    unsigned total;
    unsigned running = before + block_scan<scan_threads>(sum, sums, total);
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (mine + i < tiles) row[mine + i] = running;
      running += items[i];
    }
    before += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

// Exclusive sums over the digits, in place. All threads of the block call it; it ends with a barrier.
__device__ inline void scan_over_digits(unsigned* values, unsigned* sums) {
  unsigned before = 0;
  for (int first = 0; first < digits; first += BLOCK) {
    const int digit = first + static_cast<int>(threadIdx.x);
    unsigned total;
    const unsigned sum = block_scan<BLOCK>(digit < digits ? values[digit] : 0, sums, total);
    if (digit < digits) values[digit] = before + sum;
    before += total;
    __syncthreads();
  }
}

// What a block knows of the digits; `of_warp` first counts what each warp has, then says where the warp's begin in the
// tile.
struct Digits {
  unsigned of_warp[warps][digits];
  unsigned in_tile[digits];    // where the digit begins in the sorted tile
  unsigned in_output[digits];  // where the tile's keys with that digit begin in the output
  unsigned sums[warps];
};

// The rank of each key among those of its warp with the same digit, in their order: item by item, lane by lane.
__device__ inline void rank_in_warp(unsigned (&ranks)[ITEMS], const unsigned (&keys)[ITEMS], unsigned* counters,
                                    int pass) {
  const unsigned lanes_before = (1u << threadIdx.x % warp) - 1;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const int digit = digit_of(keys[item], pass);
    const unsigned peers = __match_any_sync(full_warp, digit);
    const unsigned before = counters[digit];
    __syncwarp();
    if ((peers & lanes_before) == 0) counters[digit] = before + static_cast<unsigned>(__popc(peers));
    __syncwarp();
    ranks[item] = before + static_cast<unsigned>(__popc(peers & lanes_before));
  }
}

// Turns what the warps have into where they begin.
__device__ inline void place_warps(Digits& known) {
  for (int digit = static_cast<int>(threadIdx.x); digit < digits; digit += BLOCK) {
    unsigned sum = 0;
    for (int i = 0; i < warps; ++i) {
      const unsigned count = known.of_warp[i][digit];
      known.of_warp[i][digit] = sum;
      sum += count;
    }
    known.in_tile[digit] = sum;
  }
  __syncthreads();
  scan_over_digits(known.in_tile, known.sums);
}

// Third. Dynamic shared memory: the tile, if staged.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    scatter_keys(const unsigned* input, unsigned* output, unsigned* other, const unsigned* counts,
                 const unsigned* totals, long long size, int pass, int pass_count) {
  extern __shared__ unsigned tile[];
  __shared__ Digits known;
  const Passes passes{input, output, other, pass, pass_count};
  const int thread = static_cast<int>(threadIdx.x);
  const long long first = static_cast<long long>(blockIdx.x) * tile_size;
  const int count = size - first < tile_size ? static_cast<int>(size - first) : tile_size;
  for (int i = thread; i < warps * digits; i += BLOCK) known.of_warp[i / digits][i % digits] = 0;
  for (int digit = thread; digit < digits; digit += BLOCK) known.in_output[digit] = totals[digit];
  __syncthreads();
  scan_over_digits(known.in_output, known.sums);

  // What lies behind the input's end counts as the largest keys: they come behind all others of the tile.
  const unsigned* source = passes.source() + first;
  const int begin = thread / warp * warp * ITEMS + thread % warp;
  unsigned keys[ITEMS];
  unsigned ranks[ITEMS];
#pragma unroll
  for (int item = 0; item < ITEMS; ++item)
    keys[item] = begin + item * warp < count ? source[begin + item * warp] : largest;
  rank_in_warp(ranks, keys, known.of_warp[thread / warp], pass);
  __syncthreads();
  place_warps(known);
  for (int digit = thread; digit < digits; digit += BLOCK) {
    known.in_output[digit] += counts[static_cast<long long>(digit) * gridDim.x + blockIdx.x] - known.in_tile[digit];
  }
  __syncthreads();

  unsigned* target = passes.target();
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    const int digit = digit_of(keys[item], pass);
    const unsigned place = known.in_tile[digit] + known.of_warp[thread / warp][digit] + ranks[item];
    if constexpr (scatter == Scatter::staged) {
      tile[place] = keys[item];
    } else {
      if (place < static_cast<unsigned>(count)) target[known.in_output[digit] + place] = keys[item];
    }
  }
  if constexpr (scatter == Scatter::staged) {
    __syncthreads();
    for (int i = thread; i < count; i += BLOCK) {
      target[known.in_output[digit_of(tile[i], pass)] + static_cast<unsigned>(i)] = tile[i];
    }
  }
}
