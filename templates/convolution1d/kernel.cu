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
//                     brought it; output_tile: the block is as wide as its outputs (COARSENING of them per thread) and
//                     loads them and the halo in several steps; input_tile: the block is as wide as its inputs, each
//                     thread loads one, and those over the halo compute nothing
//   FILTER            constant: in constant memory, one broadcast per tap; global: through the read-only cache; shared:
//                     a copy
//   UNROLL            taps in one step of the loop over the filter: what the window slides by
//   VECTOR_WIDTH      floats moved by one access to global memory, where the tile is loaded and neighbours are stored
//   PADDING           words that the tile leaves free behind each 32, so that threads COARSENING words apart meet
//                     different banks
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 7 (the filter in constant memory; blocks as
// wide as the output tile or as the input tile; the caches for the halo); Volkov, "Better Performance at Lower
// Occupancy" (GTC 2010) for coarsening and the window; Harris, "CUDA Pro Tip: Increase Performance with Vectorized
// Memory Access" (NVIDIA developer blog, 2013).

#include "input_tile.cuh"

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
// memory: the tile, then the filter. A block computes tile_size
// outputs, or those of its input tile.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    convolution1d(const float* __restrict__ input, float* __restrict__ output, const float* __restrict__ filter,
                  long long size) {
  extern __shared__ float4 shared_storage[];
  float* tile = reinterpret_cast<float*>(shared_storage);
  const long long first = static_cast<long long>(blockIdx.x) * tile_size;
  const Signal signal{input, size};
  if constexpr (tiling == Tiling::input_tile) {
    convolve_input_tile(tile, signal, output, filter);
    return;
  }
  if constexpr (tiling != Tiling::none) load_tile(tile, signal, first);
  filter = keep_filter(tile + (tiling != Tiling::none ? stored + stored / banks * PADDING : 0), filter);
  if constexpr (tiling != Tiling::none || filter_kind == Filter::shared) __syncthreads();

  float sums[COARSENING] = {};
  if constexpr (coarsening_order == CoarseningOrder::consecutive) {
    convolve<SlidingWindow>(sums, {signal, tile, first}, filter);
  } else {
    convolve<DirectWindow>(sums, {signal, tile, first}, filter);
  }
  store_sums(output, sums, first, size);
}
