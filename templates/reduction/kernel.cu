// The sum of floats: each byte is read once, so a good kernel is as fast as memory; for short inputs, as fast as a
// launch.
//
//   BLOCK_SIZE     threads per block
//   VECTOR_WIDTH   floats moved by one load: 1, 2 or 4
//   COARSENING     loads a thread has in flight before it adds; with 2, the first addition happens at the load
//   BLOCKS_PER_SM  0: a block for each chunk; else that many blocks per multiprocessor in a grid-stride loop
//   COMBINE        how a block's threads add up (ladder.cuh): interleaved: a tree with divergent warps; strided_index:
//                  without them, but with bank conflicts; sequential: with neither; unroll_last_warp; fully_unrolled;
//                  shuffle: through registers within warps; butterfly: so that every lane has the sum
//   SUM            which rounding errors (accuracy.cuh): plain; pairwise; kahan: a thread compensates its additions;
//                  kahan_blocks: only those of blocks' sums; ordered: a block sorts its elements by magnitude first
//   FINISH         how blocks add up: atomic; two_launches; last_block (whichever ends last adds all partial sums);
//                  publish (the last of the grid waits for the others' sums); or publish_warps (for those of their
//                  warps: no barrier and no second tree before a sum is on its way, but more sums to read)
//   CACHE_HINT     plain, or streaming loads
//
// Sources: Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA, 2007) for interleaved and sequential addressing,
// first add during load and cascading; Luitjens, "Faster Parallel Reductions on Kepler" (NVIDIA developer blog, 2014)
// for shuffles and atomics; Kahan, "Further Remarks on Reducing Truncation Errors" (CACM 1965); the CUDA Programming
// Guide, "Memory Fence Functions", for the last block; Merrill & Garland, "Single-pass Parallel Prefix Scan with
// Decoupled Look-back" (NVIDIA, 2016) for status and value in one word.

#include <warptune/device/vectors.cuh>
#include <warptune/device/warp.cuh>

#include "accuracy.cuh"
#include "ladder.cuh"

using warptune::device::CacheHint;
using warptune::device::load_vector;
using warptune::device::sum_in_first_lane;

enum class Combine { interleaved, strided_index, sequential, unroll_last_warp, fully_unrolled, shuffle, butterfly };
enum class Finish { atomic, two_launches, last_block, publish, publish_warps };

constexpr Combine combine = Combine::COMBINE;
constexpr Finish finish = Finish::FINISH;
constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;
constexpr int chunk = BLOCK_SIZE * COARSENING * VECTOR_WIDTH;

// Blocks that a multiprocessor is meant to hold. Without this bound the compiler saves registers for as many as
// possible, and asks for the next loads only when it has added up the first.
constexpr int most_blocks = 2048 / BLOCK_SIZE;
constexpr int resident_blocks = BLOCKS_PER_SM == 0 ? 1 : BLOCKS_PER_SM < most_blocks ? BLOCKS_PER_SM : most_blocks;

using Vector = warptune::device::VectorOf<float, VECTOR_WIDTH>::type;

__device__ inline float horizontal_sum(float v) {
  return v;
}
__device__ inline float horizontal_sum(float2 v) {
  return v.x + v.y;
}
__device__ inline float horizontal_sum(float4 v) {
  return (v.x + v.y) + (v.z + v.w);
}

// One step of the ladder: the sum of all `sums` in the first of them.
__device__ inline void climb(float* sums) {
  if constexpr (combine == Combine::interleaved) interleaved_tree(sums);
  if constexpr (combine == Combine::strided_index) strided_index_tree(sums);
  if constexpr (combine == Combine::sequential) sequential_tree(sums);
  if constexpr (combine == Combine::unroll_last_warp) unroll_last_warp_tree(sums);
  if constexpr (combine == Combine::fully_unrolled) fully_unrolled_tree(sums);
}

// The sum over the block, valid in thread 0. May be called again: it starts with no one reading `sums`.
__device__ inline float block_sum(float value) {
  __shared__ float sums[BLOCK_SIZE];
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (combine == Combine::shuffle) {
    value = sum_in_first_lane(value);
    if (thread % warp == 0) sums[thread / warp] = value;
    __syncthreads();
    if (thread < warp) value = sum_in_first_lane<BLOCK_SIZE / warp>(thread < BLOCK_SIZE / warp ? sums[thread] : 0.0f);
    return value;
  }
  if constexpr (combine == Combine::butterfly) return butterfly_sum(value, sums);
  sums[thread] = value;
  __syncthreads();
  if constexpr (sum_kind == Sum::ordered) {
    ordered_tree(sums);
  } else {
    climb(sums);
  }
  return thread == 0 ? sums[0] : 0.0f;
}

// What blocks leave for each other lives in the module: zero when it is loaded, and left at zero by every run, so that
// none has to begin with clearing it, which would cost a short sum as much as its launch. (Hence one run at a time.)
__device__ unsigned ended_blocks;

// A sum and the flag that it is there travel in one 8-byte store, so that no fence is needed between them.
using Slot = unsigned long long;
constexpr Slot is_there = 1ull << 32;
constexpr int slots_at_once = 8;  // that a thread asks for before it waits
constexpr int slots_a_block = finish == Finish::publish_warps ? BLOCK_SIZE / warp : 1;
__device__ volatile Slot slots[SLOTS];

// The first use of a module's variable waits for its address from the constant cache, and for that of its page: here
// nobody waits yet.
__device__ inline void prefetch_slot() {
#if defined(__CUDA_ARCH__)
  const volatile Slot* mine = slots + blockIdx.x * slots_a_block;
  if (threadIdx.x == 0) asm volatile("prefetch.global.L2 [%0];" ::"l"(mine));
#endif
}

__device__ inline float sum_whole_chunk(const float* input) {
  const Vector* vectors = reinterpret_cast<const Vector*>(input) + threadIdx.x;
  Vector loaded[COARSENING];
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) loaded[item] = load_vector<cache_hint>(vectors + item * BLOCK_SIZE);
  if constexpr (finish == Finish::publish || finish == Finish::publish_warps) prefetch_slot();
  float sum = 0.0f;
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) sum += horizontal_sum(loaded[item]);
  return sum;
}

__device__ inline float sum_rest(const float* input, int count) {
  float sum = 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK_SIZE) sum += input[i];
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

// The same by a sum that rounds less: each element is a term.
template <class Terms>
__device__ inline float accurate_thread_sum(const float* input, long long size) {
  Terms terms;
  long long first = static_cast<long long>(blockIdx.x) * chunk;
  do {
    if (first + chunk <= size) {
      const Vector* vectors = reinterpret_cast<const Vector*>(input + first) + threadIdx.x;
      Vector loaded[COARSENING];
#pragma unroll
      for (int item = 0; item < COARSENING; ++item) loaded[item] = load_vector<cache_hint>(vectors + item * BLOCK_SIZE);
      terms.add_all(reinterpret_cast<const float(&)[COARSENING * VECTOR_WIDTH]>(loaded));
    } else if (first < size) {
      const int count = static_cast<int>(size - first);
      for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK_SIZE) terms.add(input[first + i]);
    }
    first += static_cast<long long>(gridDim.x) * chunk;
  } while (BLOCKS_PER_SM > 0 && first < size);
  return terms.total();
}

__device__ inline float sum_of_elements(const float* input, long long size) {
  if constexpr (sum_kind == Sum::pairwise || sum_kind == Sum::kahan) {
    return accurate_thread_sum<Adds<sum_kind>::Elements>(input, size);
  } else {
    return thread_sum(input, size);
  }
}

// The sum of `count` partial sums, which other blocks may have written during this launch: hence volatile.
__device__ inline float sum_partials(const volatile float* partials, unsigned count) {
  Adds<sum_kind>::BlockSums sum;
  for (unsigned i = threadIdx.x; i < count; i += BLOCK_SIZE) sum.add(partials[i]);
  return block_sum(sum.total());
}

// Whether every other block has stored its partial sum. The counter wraps around to zero at the last.
__device__ inline bool is_last_block() {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(&ended_blocks, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  return last;
}

__device__ inline void publish(unsigned slot, float sum) {
  slots[slot] = is_there | __float_as_uint(sum);
}

// This thread's share of the published sums, `readers` threads sharing them. A round trip to the L2 cache takes longer
// than all that follows it: hence several at once. Slots are left at zero for the next run.
__device__ inline float sum_slots(unsigned count, unsigned readers) {
  float sum = 0.0f;
  for (unsigned first = threadIdx.x; first < count; first += slots_at_once * readers) {
    Slot seen[slots_at_once];
#pragma unroll
    for (int i = 0; i < slots_at_once; ++i) {
      const unsigned slot = first + i * readers;
      seen[i] = is_there;
      if (slot < count) seen[i] = slots[slot];
    }
#pragma unroll
    for (int i = 0; i < slots_at_once; ++i) {
      while (seen[i] == 0) seen[i] = slots[first + i * readers];
      sum += __uint_as_float(static_cast<unsigned>(seen[i]));
      if (first + i * readers < count) slots[first + i * readers] = 0;
    }
  }
  return sum;
}

// Waits for every sum and adds them up, in thread 0. Blocks start in order, so all others run or have run when the last
// one waits, and the barriers say that its own threads have published. Of few blocks a warp alone reads the sums.
__device__ inline float sum_published() {
  const unsigned count = gridDim.x * slots_a_block;
  if (finish == Finish::publish && combine == Combine::shuffle && count <= slots_at_once * warp) {
    if (threadIdx.x >= warp) return 0.0f;
    __syncwarp();
    return sum_in_first_lane(sum_slots(count, warp));
  }
  __syncthreads();
  return block_sum(sum_slots(count, BLOCK_SIZE));
}

// input: `size` floats, aligned to 16 bytes; sum: one float (zero before an atomic finish); partials: one float per
// block.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, resident_blocks)
    reduce(const float* __restrict__ input, float* sum, float* partials, long long size) {
  const float mine = sum_of_elements(input, size);
  if constexpr (finish == Finish::publish_warps) {
    const float warp_total = sum_in_first_lane(mine);
    if (threadIdx.x % warp == 0) publish(blockIdx.x * slots_a_block + threadIdx.x / warp, warp_total);
  } else {
    const float block_total = block_sum(mine);
    if (threadIdx.x == 0) {
      if constexpr (finish == Finish::atomic) atomicAdd(sum, block_total);
      if constexpr (finish == Finish::publish) publish(blockIdx.x, block_total);
      if constexpr (finish == Finish::two_launches || finish == Finish::last_block) partials[blockIdx.x] = block_total;
    }
  }
  if constexpr (finish == Finish::publish || finish == Finish::publish_warps) {
    if (blockIdx.x != gridDim.x - 1) return;
    const float total = sum_published();
    if (threadIdx.x == 0) *sum = total;
  }
  if constexpr (finish == Finish::last_block) {
    if (!is_last_block()) return;
    __threadfence();
    const float total = sum_partials(partials, gridDim.x);
    if (threadIdx.x == 0) *sum = total;
  }
}

// The second launch of two_launches: one block.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) reduce_partials(const float* partials, float* sum, int count) {
  const float total = sum_partials(partials, static_cast<unsigned>(count));
  if (threadIdx.x == 0) *sum = total;
}
