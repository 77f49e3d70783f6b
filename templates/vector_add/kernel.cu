// c = a + b for floats: no reuse at all, so the only question is how to keep the memory system busy.
//
//   BLOCK          threads a block
//   VECTOR         floats moved by one memory instruction: 1, 2 or 4 (4, 8 or 16 bytes)
//   ITEMS          vectors a thread has in flight at once (thread coarsening)
//   ITEM_ORDER     strided: a warp's loads are neighbours; consecutive: a thread's loads are neighbours
//   BLOCKS_PER_SM  0: a block for each chunk; else that many blocks a multiprocessor, which walk the chunks
//   ACCESS         plain, or streaming: tell the caches that no line will be used again
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 2 and 6 (coalescing, coarsening); Harris,
// "CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops" and "Increase Performance with Vectorized Memory
// Access" (NVIDIA developer blog, 2013); Volkov, "Better Performance at Lower Occupancy" (GTC 2010) for ITEMS.

enum class ItemOrder { strided, consecutive };
enum class Access { plain, streaming };

constexpr ItemOrder item_order = ItemOrder::ITEM_ORDER;
constexpr Access access_kind = Access::ACCESS;
constexpr int chunk = BLOCK * ITEMS * VECTOR;

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
using Vector = VectorOf<VECTOR>::type;

__device__ inline float add(float a, float b) { return a + b; }
__device__ inline float2 add(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float4 add(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__device__ inline Vector load(const Vector* source) {
#if defined(__CUDA_ARCH__)
  if constexpr (access_kind == Access::streaming) return __ldcs(source);
#endif
  return *source;
}

__device__ inline void store(Vector* target, Vector value) {
#if defined(__CUDA_ARCH__)
  if constexpr (access_kind == Access::streaming) return __stcs(target, value);
#endif
  *target = value;
}

// The place of a thread's item within its chunk, in vectors.
__device__ inline int place(int item) {
  return item_order == ItemOrder::strided ? item * BLOCK + static_cast<int>(threadIdx.x)
                                          : static_cast<int>(threadIdx.x) * ITEMS + item;
}

// All loads come before the first store, so that ITEMS of them are in flight.
__device__ inline void add_whole_chunk(const float* a, const float* b, float* c) {
  Vector left[ITEMS];
  Vector right[ITEMS];
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    left[item] = load(reinterpret_cast<const Vector*>(a) + place(item));
    right[item] = load(reinterpret_cast<const Vector*>(b) + place(item));
  }
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    store(reinterpret_cast<Vector*>(c) + place(item), add(left[item], right[item]));
  }
}

// The last chunk, of fewer than `chunk` elements.
__device__ inline void add_rest(const float* a, const float* b, float* c, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK) c[i] = a[i] + b[i];
}

// a, b, c: `size` floats each, aligned to 16 bytes.
extern "C" __global__ void __launch_bounds__(BLOCK)
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
