// c = a + b for floats: no reuse at all, so the only question is how to keep the memory system busy.
//
//   BLOCK_SIZE        threads per block
//   VECTOR_WIDTH      floats moved by one memory instruction: 1, 2 or 4 (4, 8 or 16 bytes)
//   COARSENING        vectors per thread, all in flight at once
//   COARSENING_ORDER  strided: a warp's loads are neighbours; consecutive: a thread's loads are neighbours
//   BLOCKS_PER_SM     0: a block for each chunk; else that many blocks per multiprocessor, which walk the chunks
//   CACHE_HINT        plain, or streaming: tell the caches that no line will be used again
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 2 and 6 (coalescing, coarsening); Harris,
// "CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops" and "Increase Performance with Vectorized Memory
// Access" (NVIDIA developer blog, 2013); Volkov, "Better Performance at Lower Occupancy" (GTC 2010) for COARSENING.

#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::load_vector;
using warptune::device::store_vector;

enum class CoarseningOrder { strided, consecutive };

constexpr CoarseningOrder coarsening_order = CoarseningOrder::COARSENING_ORDER;
constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;
constexpr int chunk = BLOCK_SIZE * COARSENING * VECTOR_WIDTH;

using Vector = warptune::device::VectorOf<float, VECTOR_WIDTH>::type;

__device__ inline float add(float a, float b) {
  return a + b;
}
__device__ inline float2 add(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ inline float4 add(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// The place of a thread's item within its chunk, in vectors.
__device__ inline int place(int item) {
  return coarsening_order == CoarseningOrder::strided ? item * BLOCK_SIZE + static_cast<int>(threadIdx.x)
                                                      : static_cast<int>(threadIdx.x) * COARSENING + item;
}

// All loads come before the first store, so that COARSENING of them are in flight.
__device__ inline void add_whole_chunk(const float* a, const float* b, float* c) {
  Vector left[COARSENING];
  Vector right[COARSENING];
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    left[item] = load_vector<cache_hint>(reinterpret_cast<const Vector*>(a) + place(item));
    right[item] = load_vector<cache_hint>(reinterpret_cast<const Vector*>(b) + place(item));
  }
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    store_vector<cache_hint>(reinterpret_cast<Vector*>(c) + place(item), add(left[item], right[item]));
  }
}

// The last chunk, of fewer than `chunk` elements.
__device__ inline void add_rest(const float* a, const float* b, float* c, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK_SIZE) c[i] = a[i] + b[i];
}

// a, b, c: `size` floats each, aligned to 16 bytes.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, long long size) {
  long long first = static_cast<long long>(blockIdx.x) * chunk;
  do {
    if (first + chunk <= size) {
      add_whole_chunk(a + first, b + first, c + first);
    } else if (first < size) {
      add_rest(a + first, b + first, c + first, static_cast<int>(size - first));
    }
    first += static_cast<long long>(gridDim.x) * chunk;
  } while (BLOCKS_PER_SM > 0 && first < size);
}
