// CUB's merge sort of 32-bit integers (cub::DeviceMergeSort) with its tuning policy as parameters: the same agents, the
// same launches. What wins here can be handed to CUB itself (`warptune export --format cub-policy`).
//
//   BLOCK_SIZE       threads per block, a power of two
//   COARSENING       keys per thread: a tile has BLOCK_SIZE * COARSENING of them
//   TILE_LOAD        how a tile's keys come to the threads that sort them: each thread its own, or neighbours together,
//                    after which keys change hands within warps or the block; vectorize: each thread its own, by vectors
//   TILE_STORE       the same on the way back, when tiles are sorted and when they are merged
//   CACHE_HINT_LOAD  CUB's load modifier: plain, all levels (ca), the L2 cache only (cg), evicted first (cs), read-only
//                    (ldg)
//
// Source: CUB 3 (NVIDIA/cccl), cub/agent/agent_merge_sort.cuh, cub/device/dispatch/dispatch_merge_sort.cuh and
// tuning/tuning_merge_sort.cuh.

// CUB's own identifiers must not be replaced by parameters.
enum class TileLoad { direct, vectorize, transpose, warp_transpose };
enum class TileStore { direct, vectorize, transpose, warp_transpose };
enum class LoadHint { plain, all, global, streaming, read_only };
constexpr int block_size = BLOCK_SIZE;
constexpr int keys_per_thread = COARSENING;
constexpr TileLoad tile_load = TileLoad::TILE_LOAD;
constexpr TileStore tile_store = TileStore::TILE_STORE;
constexpr LoadHint load_hint = LoadHint::CACHE_HINT_LOAD;
#undef BLOCK_SIZE
#undef COARSENING
#undef TILE_LOAD
#undef TILE_STORE
#undef CACHE_HINT_LOAD

// NVRTC knows cudaGridDependencySynchronize, which the agents call, by this header only.
#include <cuda_device_runtime_api.h>

#include <cub/version.cuh>
#if CUB_VERSION < 300000
#error "this template needs CUB 3 (CUDA 13, or the headers of NVIDIA/cccl 3)"
#endif
#include <thrust/system/cuda/detail/core/make_load_iterator.h>

#include <cub/agent/agent_merge_sort.cuh>
#include <cuda/std/functional>

constexpr cub::BlockLoadAlgorithm load_algorithms[] = {cub::BLOCK_LOAD_DIRECT, cub::BLOCK_LOAD_VECTORIZE,
                                                       cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_LOAD_WARP_TRANSPOSE};
constexpr cub::BlockStoreAlgorithm store_algorithms[] = {cub::BLOCK_STORE_DIRECT, cub::BLOCK_STORE_VECTORIZE,
                                                         cub::BLOCK_STORE_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE};
constexpr cub::CacheLoadModifier load_modifiers[] = {cub::LOAD_DEFAULT, cub::LOAD_CA, cub::LOAD_CG, cub::LOAD_CS,
                                                     cub::LOAD_LDG};

using Key = int;
using Offset = unsigned;
using None = cub::NullType;
using Less = cuda::std::less<>;
using Policy = cub::AgentMergeSortPolicy<block_size, keys_per_thread, load_algorithms[static_cast<int>(tile_load)],
                                         load_modifiers[static_cast<int>(load_hint)],
                                         store_algorithms[static_cast<int>(tile_store)]>;
using BlockSort =
    cub::detail::merge_sort::AgentBlockSort<Policy, const Key*, None*, Key*, None*, Offset, Less, Key, None>;
using Partition = cub::detail::merge_sort::AgentPartition<Key*, Offset, Less, Key>;
using Merge = cub::detail::merge_sort::AgentMerge<Policy, Key*, None*, Offset, Less, Key, None>;
static_assert(sizeof(typename BlockSort::TempStorage) <= 49152 && sizeof(typename Merge::TempStorage) <= 49152,
              "CUB sorts tiles of one key per thread then; the manifest's constraint excludes that");

// CUB's load iterator of a buffer, which loads with the policy's modifier.
template <class T>
__device__ inline auto loaded(T* from) {
  return THRUST_NS_QUALIFIER::cuda_cub::core::detail::make_load_iterator(Policy(), from);
}

// Two buffers take turns, so that the last pass writes the output. ping (CUB's word): what is read lies in the output;
// of the first kernel: what it writes.

// Each tile by itself. input, output, other: `size` keys.
extern "C" __global__ void __launch_bounds__(block_size)
    sort_tiles(const Key* input, Key* output, Key* other, Offset size, int ping) {
  __shared__ typename BlockSort::TempStorage storage;
  None* const none = nullptr;
  BlockSort(ping != 0, storage, loaded(input), loaded(none), size, output, none, other, none, Less{}).Process();
}

// Where each tile's part of the first of two runs begins, `merged_tiles` of which become one; a thread for each tile
// and one more. partitions: as many numbers.
extern "C" __global__ void find_partitions(Key* output, Key* other, Offset size, Offset* partitions,
                                           Offset partition_count, Offset merged_tiles, int ping) {
  const Offset partition = blockDim.x * blockIdx.x + threadIdx.x;
  if (partition < partition_count)
    Partition(ping != 0, output, other, size, partition, partitions, Less{}, merged_tiles, Policy::ITEMS_PER_TILE,
              partition_count)
        .Process();
}

// A block makes a tile of the runs that `merged_tiles` tiles become.
extern "C" __global__ void __launch_bounds__(block_size)
    merge_runs(Key* output, Key* other, Offset size, Offset* partitions, Offset merged_tiles, int ping) {
  __shared__ typename Merge::TempStorage storage;
  None* const none = nullptr;
  Merge(ping != 0, storage, loaded(output), loaded(none), loaded(other), loaded(none), size, other, none, output, none,
        Less{}, partitions, merged_tiles)
      .Process();
}
