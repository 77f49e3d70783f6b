// CUB's prefix sum of 32-bit integers (cub::DeviceScan) with its tuning policy as parameters: the same agents, the same
// launches. What wins here can be handed to CUB itself (`warptune export --format cub-policy`).
//
//   BLOCK_SIZE       threads per block
//   COARSENING       items per thread
//   TILE_LOAD        how a block's items come to its threads: each thread its own, or neighbours together, after which
//                    items change hands within warps or the block; vectorize: each thread its own, by vectors
//   TILE_STORE       the same, on the way back
//   BLOCK_SCAN       raking: one warp scans what all threads have added up; raking_memoize: and keeps it in registers;
//                    warp_scans: shuffles within warps
//   CACHE_HINT_LOAD  CUB's load modifier: plain, all levels (ca), the L2 cache only (cg), evicted first (cs)
//   BACKOFF          how long a block that looks back waits between two looks: not at all, a fixed time, or times that
//                    grow (backoff) or shrink (backon) exponentially
//   BACKOFF_NS       that time at first, nanoseconds
//   WRITE_NS         how long what is published takes to arrive, nanoseconds: nobody looks before
//
// Source: CUB 3 (NVIDIA/cccl), cub/agent/agent_scan.cuh and cub/device/dispatch/tuning/tuning_scan.cuh.

// CUB's own identifiers must not be replaced by parameters.
enum class TileLoad { direct, vectorize, transpose, warp_transpose };
enum class TileStore { direct, vectorize, transpose, warp_transpose };
enum class BlockScanKind { raking, raking_memoize, warp_scans };
enum class LoadHint { plain, all, global, streaming };
enum class Backoff { none, fixed, backoff, backoff_jitter, backon, backon_jitter };
enum class Kind { inclusive, exclusive };
constexpr int block_size = BLOCK_SIZE;
constexpr int items_per_thread = COARSENING;
constexpr TileLoad tile_load = TileLoad::TILE_LOAD;
constexpr TileStore tile_store = TileStore::TILE_STORE;
constexpr BlockScanKind block_scan_kind = BlockScanKind::BLOCK_SCAN;
constexpr LoadHint load_hint = LoadHint::CACHE_HINT_LOAD;
constexpr Backoff backoff = Backoff::BACKOFF;
constexpr unsigned backoff_ns = BACKOFF_NS;
constexpr unsigned write_ns = WRITE_NS;
constexpr bool inclusive = Kind::KIND == Kind::inclusive;
#undef BLOCK_SIZE
#undef COARSENING
#undef TILE_LOAD
#undef TILE_STORE
#undef BLOCK_SCAN
#undef CACHE_HINT_LOAD
#undef BACKOFF
#undef BACKOFF_NS
#undef WRITE_NS
#undef KIND

#include <cub/version.cuh>
#if CUB_VERSION < 300000
#error "this template needs CUB 3 (CUDA 13, or the headers of NVIDIA/cccl 3)"
#endif
#include <cub/agent/agent_scan.cuh>
#include <cuda/std/functional>

constexpr cub::BlockLoadAlgorithm load_algorithms[] = {cub::BLOCK_LOAD_DIRECT, cub::BLOCK_LOAD_VECTORIZE,
                                                       cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_LOAD_WARP_TRANSPOSE};
constexpr cub::BlockStoreAlgorithm store_algorithms[] = {cub::BLOCK_STORE_DIRECT, cub::BLOCK_STORE_VECTORIZE,
                                                         cub::BLOCK_STORE_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE};
constexpr cub::BlockScanAlgorithm scan_algorithms[] = {cub::BLOCK_SCAN_RAKING, cub::BLOCK_SCAN_RAKING_MEMOIZE,
                                                       cub::BLOCK_SCAN_WARP_SCANS};
constexpr cub::CacheLoadModifier load_modifiers[] = {cub::LOAD_DEFAULT, cub::LOAD_CA, cub::LOAD_CG, cub::LOAD_CS};

template <Backoff>
struct DelayOf {
  using type = cub::detail::no_delay_constructor_t<write_ns>;
};
template <>
struct DelayOf<Backoff::fixed> {
  using type = cub::detail::fixed_delay_constructor_t<backoff_ns, write_ns>;
};
template <>
struct DelayOf<Backoff::backoff> {
  using type = cub::detail::exponential_backoff_constructor_t<backoff_ns, write_ns>;
};
template <>
struct DelayOf<Backoff::backoff_jitter> {
  using type = cub::detail::exponential_backoff_jitter_constructor_t<backoff_ns, write_ns>;
};
template <>
struct DelayOf<Backoff::backon> {
  using type = cub::detail::exponential_backon_constructor_t<backoff_ns, write_ns>;
};
template <>
struct DelayOf<Backoff::backon_jitter> {
  using type = cub::detail::exponential_backon_jitter_constructor_t<backoff_ns, write_ns>;
};

using Value = int;
using Policy =
    cub::AgentScanPolicy<block_size, items_per_thread, Value, load_algorithms[static_cast<int>(tile_load)],
                         load_modifiers[static_cast<int>(load_hint)], store_algorithms[static_cast<int>(tile_store)],
                         scan_algorithms[static_cast<int>(block_scan_kind)],
                         cub::detail::MemBoundScaling<block_size, items_per_thread, Value>,
                         typename DelayOf<backoff>::type>;
static_assert(Policy::BLOCK_THREADS == block_size && Policy::ITEMS_PER_THREAD == items_per_thread,
              "CUB scales what needs more than 48 KiB of shared memory; the manifest's constraint excludes that");

using Tiles = cub::ScanTileState<Value>;
// Without a first value CUB scans inclusively.
using First = cuda::std::conditional_t<inclusive, cub::NullType, Value>;
using Agent = cub::detail::scan::AgentScan<Policy, const Value*, Value*, cuda::std::plus<>, First, unsigned, Value>;

// states: a word of 8 bytes for each tile, and 32 more, aligned to 16 bytes.
__device__ inline Tiles tiles_in(void* states) {
  Tiles tiles;
  tiles.d_tile_descriptors = static_cast<typename Tiles::TxnWord*>(states);
  return tiles;
}

extern "C" __global__ void __launch_bounds__(128) clear_tiles(unsigned long long* states, int tiles) {
  tiles_in(states).InitializeStatus(tiles);
}

// input, output: `size` values; states as clear_tiles left them.
extern "C" __global__ void __launch_bounds__(block_size)
    scan(const Value* input, Value* output, unsigned long long* states, unsigned size) {
  __shared__ typename Agent::TempStorage storage;
  Tiles tiles = tiles_in(states);
  Agent(storage, input, output, cuda::std::plus<>{}, First{}).ConsumeRange(size, tiles, 0);
}
