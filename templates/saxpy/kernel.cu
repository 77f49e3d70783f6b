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

enum class CacheHint { plain, x_streaming, streaming };

constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;
constexpr int chunk = BLOCK_SIZE * COARSENING * VECTOR_WIDTH;

struct alignas(4 * VECTOR_WIDTH) Pack {
  float at[VECTOR_WIDTH];
};

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
using Vector = VectorOf<VECTOR_WIDTH>::type;

template <bool Streaming>
__device__ inline Pack load(const float* source) {
  if constexpr (Streaming) {
    const Vector value = __ldcs(reinterpret_cast<const Vector*>(source));
    return reinterpret_cast<const Pack&>(value);
  }
  return *reinterpret_cast<const Pack*>(source);
}

__device__ inline void store(float* target, const Pack& pack) {
  if constexpr (cache_hint == CacheHint::streaming) {
    __stcs(reinterpret_cast<Vector*>(target), reinterpret_cast<const Vector&>(pack));
  } else {
    *reinterpret_cast<Pack*>(target) = pack;
  }
}

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
    chunk_of.x[item] = load<cache_hint != CacheHint::plain>(x + place(item));
    chunk_of.y[item] = load<cache_hint == CacheHint::streaming>(y + place(item));
  }
}

__device__ inline void finish_chunk(const Chunk& chunk_of, float a, float* y) {
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    Pack sum;
#pragma unroll
    for (int i = 0; i < VECTOR_WIDTH; ++i) sum.at[i] = fmaf(a, chunk_of.x[item].at[i], chunk_of.y[item].at[i]);
    store(y + place(item), sum);
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
