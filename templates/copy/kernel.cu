// output = input for floats: the roof under which every kernel that reads and writes memory works.
//
//   BLOCK_SIZE        threads per block
//   VECTOR_WIDTH      floats moved by one memory instruction: 1, 2 or 4 (4, 8 or 16 bytes)
//   COARSENING        vectors per thread, all in flight at once
//   COARSENING_ORDER  strided: a warp's accesses are neighbours; consecutive: a thread's accesses are neighbours
//   BLOCKS_PER_SM     0: a block for each chunk; else that many blocks per multiprocessor, which walk the chunks
//   CACHE_HINT_LOAD   plain: kept in all caches; global: in the L2 cache only; streaming: first to be evicted
//   CACHE_HINT_STORE  the same choice for stores
//   STRIDE            1: neighbouring threads copy neighbouring elements; else elements so far apart, a thread per
//                     element: what a warp asks for then lies in up to 32 sectors of 32 bytes, and most of each is
//                     fetched for nothing
//
// Little's law sets the parameters: bandwidth times latency (4.8 TB/s * 700 ns, 25 KB per multiprocessor on an H200)
// must be in flight, as many threads with few bytes each or as few threads with many.
//
// Sources: McCalpin, "STREAM" for copy as the roof; Volkov, "Better Performance at Lower Occupancy" (GTC 2010) for
// COARSENING; Harris, "CUDA Pro Tip: Increase Performance with Vectorized Memory Access" and "Write Flexible Kernels
// with Grid-Stride Loops" (NVIDIA developer blog, 2013); the PTX ISA, "Cache Operators", for the hints.

#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::load_vector;
using warptune::device::store_vector;

enum class CoarseningOrder { strided, consecutive };

constexpr CoarseningOrder coarsening_order = CoarseningOrder::COARSENING_ORDER;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr int chunk = BLOCK_SIZE * COARSENING * VECTOR_WIDTH;

using Vector = warptune::device::VectorOf<float, VECTOR_WIDTH>::type;

// The place of a thread's item within its chunk, in vectors.
__device__ inline int place(int item) {
  return coarsening_order == CoarseningOrder::strided ? item * BLOCK_SIZE + static_cast<int>(threadIdx.x)
                                                      : static_cast<int>(threadIdx.x) * COARSENING + item;
}

// All loads come before the first store, so that COARSENING of them are in flight.
__device__ inline void copy_whole_chunk(const float* input, float* output) {
  Vector items[COARSENING];
#pragma unroll
  for (int item = 0; item < COARSENING; ++item)
    items[item] = load_vector<load_hint>(reinterpret_cast<const Vector*>(input) + place(item));
#pragma unroll
  for (int item = 0; item < COARSENING; ++item)
    store_vector<store_hint>(reinterpret_cast<Vector*>(output) + place(item), items[item]);
}

// The last chunk, of fewer than `chunk` elements.
__device__ inline void copy_rest(const float* input, float* output, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK_SIZE) output[i] = input[i];
}

// Not coalesced: along x the threads copy every STRIDE-th element, and y says which of STRIDE neighbours.
__device__ inline void copy_strided(const float* input, float* output, long long size) {
  const long long i = (static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x) * STRIDE + blockIdx.y;
  if (i < size) output[i] = input[i];
}

// input, output: `size` floats each, aligned to 16 bytes.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    copy(const float* __restrict__ input, float* __restrict__ output, long long size) {
  if constexpr (STRIDE > 1) {
    copy_strided(input, output, size);
    return;
  }
  long long first = static_cast<long long>(blockIdx.x) * chunk;
  do {
    if (first + chunk <= size) {
      copy_whole_chunk(input + first, output + first);
    } else if (first < size) {
      copy_rest(input + first, output + first, static_cast<int>(size - first));
    }
    first += static_cast<long long>(gridDim.x) * chunk;
  } while (BLOCKS_PER_SM > 0 && first < size);
}
