// CUB's radix sort of 32-bit unsigned keys, alone or with 32-bit values (cub::DeviceRadixSort), with its tuning policy
// as parameters: the same agents, the same launches (Onesweep). What wins here can be handed to CUB itself
// (`warptune export --format cub-policy`).
//
//   RADIX_BITS              bits of a digit, sorted by one pass
//   BLOCK_SIZE              threads per block of a pass
//   COARSENING              keys per thread of a pass
//   MATCH                   how a warp's equal digits find each other: match (counted when they are ranked), early_any
//                           (counted before, so that others learn it earlier; by the match instruction), early_atomic
//                           (the same, by atomic OR in shared memory)
//   COPIES                  private histograms of a block's ranking (of the early ones)
//   BLOCK_SCAN              raking: one warp scans what all threads have added up; raking_memoize: and keeps it in
//                           registers; warp_scans: shuffles within warps
//   SCATTER                 direct: each warp writes its keys; aligned: in whole sectors
//   HISTOGRAM_BLOCK_SIZE    threads per block of the kernel that counts all digits
//   HISTOGRAM_COARSENING    keys that such a thread has in flight
//   HISTOGRAM_COPIES        private histograms of such a block
//   MIN_BLOCKS_PER_SM       blocks of a pass that a multiprocessor must hold at once: bounds the registers of a thread;
//                           0: no bound, as in CUB, whose policy has no word for one
//
// Sources: CUB 3 (NVIDIA/cccl), cub/agent/agent_radix_sort_onesweep.cuh, agent_radix_sort_histogram.cuh and
// cub/device/dispatch/tuning/tuning_radix_sort.cuh; Adinets & Merrill, "Onesweep: A Faster Least Significant Digit
// Radix Sort for GPUs" (2022).

// CUB's own identifiers must not be replaced by parameters.
enum class Match { match, early_any, early_atomic };
enum class BlockScanKind { raking, raking_memoize, warp_scans };
enum class Scatter { direct, aligned };
enum class Kind { keys, pairs };
constexpr int radix_bits = RADIX_BITS;
constexpr int block_size = BLOCK_SIZE;
constexpr int keys_per_thread = COARSENING;
constexpr Match match = Match::MATCH;
constexpr int copies = COPIES;
constexpr BlockScanKind block_scan_kind = BlockScanKind::BLOCK_SCAN;
constexpr Scatter scatter = Scatter::SCATTER;
constexpr int histogram_block_size = HISTOGRAM_BLOCK_SIZE;
constexpr int histogram_keys = HISTOGRAM_COARSENING;
constexpr int histogram_copies = HISTOGRAM_COPIES;
constexpr bool with_values = Kind::KIND == Kind::pairs;
#if MIN_BLOCKS_PER_SM == 0
#define PASS_BOUNDS __launch_bounds__(block_size)
#else
constexpr int blocks_at_once = MIN_BLOCKS_PER_SM;
#define PASS_BOUNDS __launch_bounds__(block_size, blocks_at_once)
#endif
#undef MIN_BLOCKS_PER_SM
#undef RADIX_BITS
#undef BLOCK_SIZE
#undef COARSENING
#undef MATCH
#undef COPIES
#undef BLOCK_SCAN
#undef SCATTER
#undef HISTOGRAM_BLOCK_SIZE
#undef HISTOGRAM_COARSENING
#undef HISTOGRAM_COPIES
#undef KIND

#include <cub/version.cuh>
#if CUB_VERSION < 300000
#error "this template needs CUB 3 (CUDA 13, or the headers of NVIDIA/cccl 3)"
#endif
#include <cub/agent/agent_radix_sort_histogram.cuh>
#include <cub/agent/agent_radix_sort_onesweep.cuh>
#include <cub/block/block_scan.cuh>

constexpr cub::RadixRankAlgorithm rank_algorithms[] = {cub::RADIX_RANK_MATCH, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                                                       cub::RADIX_RANK_MATCH_EARLY_COUNTS_ATOMIC_OR};
constexpr cub::BlockScanAlgorithm scan_algorithms[] = {cub::BLOCK_SCAN_RAKING, cub::BLOCK_SCAN_RAKING_MEMOIZE,
                                                       cub::BLOCK_SCAN_WARP_SCANS};
constexpr cub::RadixSortStoreAlgorithm store_algorithms[] = {cub::RADIX_SORT_STORE_DIRECT,
                                                             cub::RADIX_SORT_STORE_ALIGNED};

using Key = unsigned;
using Value = cuda::std::conditional_t<with_values, unsigned, cub::NullType>;
using Policy = cub::AgentRadixSortOnesweepPolicy<
    block_size, keys_per_thread, Key, copies, rank_algorithms[static_cast<int>(match)],
    scan_algorithms[static_cast<int>(block_scan_kind)], store_algorithms[static_cast<int>(scatter)], radix_bits>;
static_assert(Policy::BLOCK_THREADS == block_size && Policy::ITEMS_PER_THREAD == keys_per_thread,
              "CUB scales what needs more than 48 KiB of shared memory; the manifest's constraint excludes that");
using HistogramPolicy =
    cub::AgentRadixSortHistogramPolicy<histogram_block_size, histogram_keys, histogram_copies, Key, radix_bits>;
using Histogram = cub::detail::radix_sort::AgentRadixSortHistogram<HistogramPolicy, false, Key, unsigned>;
using Onesweep = cub::detail::radix_sort::AgentRadixSortOnesweep<Policy, false, Key, Value, unsigned, int>;

constexpr int key_bits = 32;
constexpr int digits = 1 << radix_bits;

// How often each digit of each pass occurs: counts[pass][digit], all zero before.
extern "C" __global__ void __launch_bounds__(histogram_block_size)
    count_all_digits(const Key* input, unsigned* counts, unsigned size) {
  __shared__ typename Histogram::TempStorage storage;
  Histogram(storage, counts, input, size, 0, key_bits).Process();
}

// A block for each pass, a thread for each digit: counts become the places where digits begin.
extern "C" __global__ void __launch_bounds__(digits) scan_counts(unsigned* counts) {
  using Scan = cub::BlockScan<unsigned, digits>;
  __shared__ typename Scan::TempStorage storage;
  unsigned& count = counts[blockIdx.x * digits + threadIdx.x];
  Scan(storage).ExclusiveSum(count, count);
}

// A pass by `bits` bits of the keys, from `bit` on. states: a word for each digit of each tile; ticket: one; all zero
// before. What a pass reads and writes are arguments, as they are CUB's: a kernel that chooses by the pass' number
// needs a dozen registers more, which takes a block from each multiprocessor.
extern "C" __global__ void PASS_BOUNDS sort_by_digit(const Key* from, Key* to, const unsigned* values_from,
                                                     unsigned* values_to, const unsigned* places, int* ticket,
                                                     int* states, int size, int pass, int bit, int bits) {
  __shared__ typename Onesweep::TempStorage storage;
  Onesweep(storage, states, ticket, nullptr, places + pass * digits, to, from, reinterpret_cast<Value*>(values_to),
           reinterpret_cast<const Value*>(values_from), size, bit, bits)
      .Process();
}
