// y = a * x + y for floats, in place: two streams in, one out, and one of the streams is read and written.
//
//   BLOCK_SIZE     threads per block
//   VECTOR_WIDTH   floats moved by one memory instruction: 1, 2 or 4 (4, 8 or 16 bytes)
//   COARSENING     vectors of x and of y per thread, all in flight at once
//   BLOCKS_PER_SM  0: a block for each chunk; else that many blocks per multiprocessor, which walk the chunks
//   PREFETCH       the next chunk's x and y are read before this one's are used (needs a block that walks)
//   CACHE_HINT     plain; x streaming (read once, y stays in the caches for whoever comes next); or both streaming
//
// Sources: Lawson, Hanson, Kincaid & Krogh, "Basic Linear Algebra Subprograms" (1979); Harris, "Six Ways to SAXPY" and
// "CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops" (NVIDIA developer blog, 2012, 2013); Volkov, "Better
// Performance at Lower Occupancy" (GTC 2010) for COARSENING.

#include <warptune/device/vectors.cuh>

enum class CacheHint { plain, x_streaming, streaming };

constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;
constexpr int chunk = BLOCK_SIZE * COARSENING * VECTOR_WIDTH;

using Pack = warptune::device::Pack<float, VECTOR_WIDTH>;

// The hints of the accesses to x and to y.
using Hint = warptune::device::CacheHint;
constexpr Hint x_hint = cache_hint == CacheHint::plain ? Hint::plain : Hint::streaming;
constexpr Hint y_hint = cache_hint == CacheHint::streaming ? Hint::streaming : Hint::plain;

struct Chunk {
  Pack x[COARSENING];
  Pack y[COARSENING];
};

// A warp's accesses are neighbours.
__device__ inline int place(int item) {
  return (item * BLOCK_SIZE + static_cast<int>(threadIdx.x)) * VECTOR_WIDTH;
}

__device__ inline void load_chunk(Chunk& chunk_of, const float* x, const float* y) {
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    chunk_of.x[item] = warptune::device::load_pack<VECTOR_WIDTH, x_hint>(x + place(item));
    chunk_of.y[item] = warptune::device::load_pack<VECTOR_WIDTH, y_hint>(y + place(item));
  }
}

__device__ inline void finish_chunk(const Chunk& chunk_of, float a, float* y) {
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    Pack sum;
#pragma unroll
    for (int i = 0; i < VECTOR_WIDTH; ++i) sum.at[i] = fmaf(a, chunk_of.x[item].at[i], chunk_of.y[item].at[i]);
    warptune::device::store_pack<y_hint>(y + place(item), sum);
  }
}

// The last chunk, of fewer than `chunk` elements. Only the block that met it has a `first` below `size` in the end.
__device__ inline void finish_rest(float a, const float* x, float* y, long long first, long long size) {
  for (long long i = first + threadIdx.x; i < size; i += BLOCK_SIZE) y[i] = fmaf(a, x[i], y[i]);
}

// x, y: `size` floats each, aligned to 16 bytes.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    saxpy(float a, const float* __restrict__ x, float* __restrict__ y, long long size) {
  const long long step = static_cast<long long>(gridDim.x) * chunk;
  long long first = static_cast<long long>(blockIdx.x) * chunk;
  if constexpr (PREFETCH) {
    Chunk current;
    if (first + chunk <= size) load_chunk(current, x + first, y + first);
    for (; first + chunk <= size; first += step) {
      Chunk next;
      const bool more = first + step + chunk <= size;
      if (more) load_chunk(next, x + first + step, y + first + step);
      finish_chunk(current, a, y + first);
      if (more) current = next;
    }
  } else {
    for (; first + chunk <= size; first += step) {
      Chunk current;
      load_chunk(current, x + first, y + first);
      finish_chunk(current, a, y + first);
    }
  }
  finish_rest(a, x, y, first, size);
}
