// The sum of floats: each byte is read once, so a good kernel is as fast as memory; for short inputs, as fast as a
// launch.
//
//   BLOCK          threads a block
//   VECTOR         floats moved by one load: 1, 2 or 4
//   ITEMS          loads a thread has in flight before it adds (coarsening, "first add during load")
//   BLOCKS_PER_SM  0: a block for each chunk; else that many blocks a multiprocessor, which walk the chunks
//   COMBINE        how a block's threads add up: interleaved or sequential tree in shared memory, or shuffles
//   FINISH         how blocks add up: atomic, two_launches, or last_block (the block that ends last adds the rest)
//   ACCESS         plain, or streaming loads
//
// Sources: Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA, 2007) for interleaved and sequential addressing, first
// add during load and cascading; Luitjens, "Faster Parallel Reductions on Kepler" (NVIDIA developer blog, 2014) for
// shuffles and atomics; the CUDA Programming Guide, "Memory Fence Functions", for the last block.

enum class Combine { interleaved, sequential, shuffle };
enum class Finish { atomic, two_launches, last_block };
enum class Access { plain, streaming };

constexpr Combine combine = Combine::COMBINE;
constexpr Finish finish = Finish::FINISH;
constexpr Access access_kind = Access::ACCESS;
constexpr int chunk = BLOCK * ITEMS * VECTOR;
constexpr int warp = 32;

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

__device__ inline float horizontal_sum(float v) { return v; }
__device__ inline float horizontal_sum(float2 v) { return v.x + v.y; }
__device__ inline float horizontal_sum(float4 v) { return (v.x + v.y) + (v.z + v.w); }

__device__ inline Vector load(const Vector* source) {
#if defined(__CUDA_ARCH__)
  if constexpr (access_kind == Access::streaming) return __ldcs(source);
#endif
  return *source;
}

__device__ inline float warp_sum(float value) {
#pragma unroll
  for (int offset = warp / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

// Neighbours first: active threads thin out within every warp, which is what makes it slow.
__device__ inline void interleaved_tree(float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int stride = 1; stride < BLOCK; stride *= 2) {
    if (thread % (2 * stride) == 0) sums[thread] += sums[thread + stride];
    __syncthreads();
  }
}

// Halves: active threads stay together, and neighbours read neighbouring banks.
__device__ inline void sequential_tree(float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (thread < stride) sums[thread] += sums[thread + stride];
    __syncthreads();
  }
}

// The sum over the block, valid in thread 0. May be called again: it starts with no one reading `sums`.
__device__ inline float block_sum(float value) {
  __shared__ float sums[BLOCK];
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (combine == Combine::shuffle) {
    value = warp_sum(value);
    if (thread % warp == 0) sums[thread / warp] = value;
    __syncthreads();
    if (thread < warp) value = warp_sum(thread < BLOCK / warp ? sums[thread] : 0.0f);
    return value;
  }
  sums[thread] = value;
  __syncthreads();
  if constexpr (combine == Combine::interleaved) {
    interleaved_tree(sums);
  } else {
    sequential_tree(sums);
  }
  return sums[0];
}

__device__ inline float sum_whole_chunk(const float* input) {
  const Vector* vectors = reinterpret_cast<const Vector*>(input) + threadIdx.x;
  Vector loaded[ITEMS];
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) loaded[item] = load(vectors + item * BLOCK);
  float sum = 0.0f;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) sum += horizontal_sum(loaded[item]);
  return sum;
}

__device__ inline float sum_rest(const float* input, int count) {
  float sum = 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK) sum += input[i];
  return sum;
}

// What this thread reads, added up.
__device__ inline float thread_sum(const float* input, long long size) {
  float sum = 0.0f;
  long long first = static_cast<long long>(blockIdx.x) * chunk;
  do {
    if (first + chunk <= size) {
      sum += sum_whole_chunk(input + first);
    } else if (first < size) {
      sum += sum_rest(input + first, static_cast<int>(size - first));
    }
    first += static_cast<long long>(gridDim.x) * chunk;
  } while (BLOCKS_PER_SM > 0 && first < size);
  return sum;
}

// The sum of `count` partial sums, which other blocks may have written during this launch: hence volatile.
__device__ inline float sum_partials(const volatile float* partials, unsigned count) {
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < count; i += BLOCK) sum += partials[i];
  return block_sum(sum);
}

// Whether every other block has stored its partial sum. The counter is left at zero for the next run.
__device__ inline bool is_last_block(unsigned* counter) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(counter, 1u) == gridDim.x - 1;
    if (last) *counter = 0;
  }
  __syncthreads();
  return last;
}

// input: `size` floats, aligned to 16 bytes; sum: one float (zero before an atomic finish); partials: one float a block;
// counter: zero.
extern "C" __global__ void __launch_bounds__(BLOCK)
    reduce(const float* __restrict__ input, float* sum, float* partials, unsigned* counter, long long size) {
  const float block_total = block_sum(thread_sum(input, size));
  if constexpr (finish == Finish::atomic) {
    if (threadIdx.x == 0) atomicAdd(sum, block_total);
    return;
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = block_total;
  if constexpr (finish == Finish::last_block) {
    if (!is_last_block(counter)) return;
    __threadfence();
    const float total = sum_partials(partials, gridDim.x);
    if (threadIdx.x == 0) *sum = total;
  }
}

// The second launch of two_launches: one block.
extern "C" __global__ void __launch_bounds__(BLOCK) reduce_partials(const float* partials, float* sum, int count) {
  const float total = sum_partials(partials, static_cast<unsigned>(count));
  if (threadIdx.x == 0) *sum = total;
}
