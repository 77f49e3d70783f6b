// output[i] = sum over taps t of filter[t] * input[i + t - radius], zeros beyond the ends. Where does the halo live,
// the inputs that a block shares with its neighbours?
//
//   BLOCK_SIZE        threads per block
//   COARSENING        outputs per thread
//   COARSENING_ORDER  a thread's outputs are neighbours (consecutive: a window of registers slides along the taps, so
//                     that a value read serves all of them) or a block's width apart (strided: no bank conflicts, no
//                     reuse)
//   TILING            none: every input comes through the caches; cached_halo: the inputs at the block's own outputs
//                     are in shared memory, the halo comes through the caches, where the neighbouring blocks have just
//                     brought it; output_tile: a block has a thread for each of its outputs (or COARSENING of them),
//                     and loads its tile and the halo in several steps
//   FILTER            constant: in constant memory, one broadcast per tap; global: through the read-only cache; shared:
//                     a copy
//   UNROLL            taps in one step of the loop over the filter: what the window slides by
//   VECTOR_WIDTH      floats moved by one access to global memory, where the tile is loaded and neighbours are stored
//   PADDING           words that the tile leaves free behind each 32, so that threads COARSENING words apart meet
//                     different banks
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 7 (the filter in constant memory, the three
// halo strategies); Volkov, "Better Performance at Lower Occupancy" (GTC 2010) for coarsening and the window; Harris,
// "CUDA Pro Tip: Increase Performance with Vectorized Memory Access" (NVIDIA developer blog, 2013).

enum class CoarseningOrder { consecutive, strided };
enum class Tiling { none, cached_halo, output_tile };
enum class Filter { constant, global, shared };

constexpr CoarseningOrder coarsening_order = CoarseningOrder::COARSENING_ORDER;
constexpr Tiling tiling = Tiling::TILING;
constexpr Filter filter_kind = Filter::FILTER;
constexpr int radius = FILTER_RADIUS;
constexpr int taps = 2 * radius + 1;
constexpr int tile_size = BLOCK_SIZE * COARSENING;
// Of the tile in shared memory, in whole vectors, so that it begins where a vector does.
constexpr int margin = tiling == Tiling::output_tile ? (radius + VECTOR_WIDTH - 1) / VECTOR_WIDTH * VECTOR_WIDTH : 0;
constexpr int stored = tile_size + 2 * margin;
constexpr int banks = 32;

__constant__ float constant_filter[taps];

struct alignas(4 * VECTOR_WIDTH) Pack {
  float at[VECTOR_WIDTH];
};

struct Signal {
  const float* values;
  long long size;

  __device__ float at(long long i) const { return i >= 0 && i < size ? __ldg(values + i) : 0.0f; }

  // The values from i on, a multiple of VECTOR_WIDTH.
  __device__ Pack load(long long i) const {
    if (i >= 0 && i + VECTOR_WIDTH <= size) return *reinterpret_cast<const Pack*>(values + i);
    Pack pack;
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) pack.at[j] = at(i + j);
    return pack;
  }
};

// Where the tile keeps the input `i` places behind its first.
__device__ inline int place(int i) {
  return i + i / banks * PADDING;
}

// What a block reads: its outputs begin at `first`.
struct Source {
  Signal signal;
  const float* tile;
  long long first;

  // The input `i` places behind the block's first output.
  __device__ float at(int i) const {
    if constexpr (tiling == Tiling::output_tile) return tile[place(i + margin)];
    if constexpr (tiling == Tiling::cached_halo) {
      if (i >= 0 && i < tile_size) return tile[place(i)];
    }
    return signal.at(first + i);
  }
};

__device__ inline void load_tile(float* tile, const Signal& signal, long long first) {
  for (int i = static_cast<int>(threadIdx.x) * VECTOR_WIDTH; i < stored; i += BLOCK_SIZE * VECTOR_WIDTH) {
    const Pack pack = signal.load(first - margin + i);
    if constexpr (PADDING > 0) {
#pragma unroll
      for (int j = 0; j < VECTOR_WIDTH; ++j) tile[place(i + j)] = pack.at[j];
    } else {
      *reinterpret_cast<Pack*>(tile + i) = pack;
    }
  }
}

__device__ inline float tap(const float* filter, int t) {
  if constexpr (filter_kind == Filter::constant) return constant_filter[t];
  if constexpr (filter_kind == Filter::global) return __ldg(filter + t);
  return filter[t];
}

// A thread's output within the tile.
__device__ inline int output_place(int item) {
  const int thread = static_cast<int>(threadIdx.x);
  return coarsening_order == CoarseningOrder::consecutive ? thread * COARSENING + item : thread + item * BLOCK_SIZE;
}

// Inputs that neighbouring outputs share, for as many taps as one step takes.
struct SlidingWindow {
  float values[COARSENING - 1 + UNROLL];

  __device__ explicit SlidingWindow(const Source& source) {
#pragma unroll
    for (int i = 0; i < COARSENING - 1; ++i) values[i] = source.at(output_place(i) - radius);
  }
  template <int Count>
  __device__ void add_taps(float (&sums)[COARSENING], const Source& source, const float* filter, int first_tap) {
    const int next = output_place(COARSENING - 1) - radius + first_tap;
#pragma unroll
    for (int u = 0; u < Count; ++u) values[COARSENING - 1 + u] = source.at(next + u);
#pragma unroll
    for (int u = 0; u < Count; ++u) {
      const float weight = tap(filter, first_tap + u);
#pragma unroll
      for (int i = 0; i < COARSENING; ++i) sums[i] += weight * values[i + u];
    }
#pragma unroll
    for (int i = 0; i < COARSENING - 1; ++i) values[i] = values[i + Count];
  }
};

struct DirectWindow {
  __device__ explicit DirectWindow(const Source&) {}
  template <int Count>
  __device__ void add_taps(float (&sums)[COARSENING], const Source& source, const float* filter, int first_tap) {
#pragma unroll
    for (int u = 0; u < Count; ++u) {
      const float weight = tap(filter, first_tap + u);
#pragma unroll
      for (int i = 0; i < COARSENING; ++i) sums[i] += weight * source.at(output_place(i) - radius + first_tap + u);
    }
  }
};

template <class Window>
__device__ inline void convolve(float (&sums)[COARSENING], const Source& source, const float* filter) {
  constexpr int whole = taps / UNROLL * UNROLL;
  Window window(source);
#pragma unroll 1
  for (int t = 0; t < whole; t += UNROLL) window.template add_taps<UNROLL>(sums, source, filter, t);
  if constexpr (whole < taps) window.template add_taps<taps - whole>(sums, source, filter, whole);
}

__device__ inline void store_sums(float* output, const float (&sums)[COARSENING], long long first, long long size) {
  if constexpr (coarsening_order == CoarseningOrder::consecutive && COARSENING % VECTOR_WIDTH == 0) {
#pragma unroll
    for (int i = 0; i < COARSENING; i += VECTOR_WIDTH) {
      const long long to = first + output_place(i);
      Pack pack;
#pragma unroll
      for (int j = 0; j < VECTOR_WIDTH; ++j) pack.at[j] = sums[i + j];
      if (to + VECTOR_WIDTH <= size) {
        *reinterpret_cast<Pack*>(output + to) = pack;
      } else {
#pragma unroll
        for (int j = 0; j < VECTOR_WIDTH; ++j)
          if (to + j < size) output[to + j] = sums[i + j];
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < COARSENING; ++i)
      if (first + output_place(i) < size) output[first + output_place(i)] = sums[i];
  }
}

// input, output: size floats, aligned to 16 bytes; filter: taps floats, and in constant_filter the same. Dynamic shared
// memory: the tile, then the filter. A block computes tile_size outputs.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    convolution1d(const float* __restrict__ input, float* __restrict__ output, const float* __restrict__ filter,
                  long long size) {
  extern __shared__ float4 shared_storage[];
  float* tile = reinterpret_cast<float*>(shared_storage);
  const long long first = static_cast<long long>(blockIdx.x) * tile_size;
  const Signal signal{input, size};
  if constexpr (tiling != Tiling::none) load_tile(tile, signal, first);
  if constexpr (filter_kind == Filter::shared) {
    float* copy = tile + (tiling != Tiling::none ? stored + stored / banks * PADDING : 0);
    for (int i = static_cast<int>(threadIdx.x); i < taps; i += BLOCK_SIZE) copy[i] = filter[i];
    filter = copy;
  }
  if constexpr (tiling != Tiling::none || filter_kind == Filter::shared) __syncthreads();

  float sums[COARSENING] = {};
  if constexpr (coarsening_order == CoarseningOrder::consecutive) {
    convolve<SlidingWindow>(sums, {signal, tile, first}, filter);
  } else {
    convolve<DirectWindow>(sums, {signal, tile, first}, filter);
  }
  store_sums(output, sums, first, size);
}
