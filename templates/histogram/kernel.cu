// How often each bin's number occurs among bytes or 32-bit integers. Every element is an atomic addition to an address
// that only the data knows: what limits it is how often additions meet at one address or in one bank.
//
//   ALGORITHM           atomics; sort: a block sorts its elements and adds each run of equal ones at once
//                       (sort_and_reduce.cuh)
//   PRIVATIZATION       none: additions go to the result in global memory; block: to copies of it in the block's shared
//                       memory. Of bytes only: lane: each lane of all warps has counters in a bank of its own
//                       (lane_counters.cuh); thread: each thread has counters of one byte and needs no atomics
//                       (thread_counters.cuh)
//   COPIES              copies of the bins that a block has
//   COPY_SHARING        which copy a thread adds to: one for each warp in turn, or one for each lane in turn
//   COPY_LAYOUT         separate: copy after copy; interleaved: a bin's copies are neighbours, so that with 32 of them,
//                       shared by lanes, every lane has a bank of its own
//   AGGREGATION         none; runs: a thread adds equal neighbours at once; warp: lanes with equal elements elect one
//                       that adds for all
//   BIN_RANGES          the bins are split among that many groups of blocks, each of which reads all elements: for more
//                       bins than shared memory holds
//   COUNTERS_IN_FLIGHT  counters of its own that a thread reads before it writes them back: more to wait for at once,
//                       more to compare
//   BLOCK_SIZE          threads per block
//   LOAD_BYTES          bytes moved by one load
//   COARSENING          loads a thread has in flight
//   COARSENING_ORDER    strided: neighbouring threads read neighbouring elements; consecutive: each thread has a
//                       contiguous part of the input, and neighbouring threads' loads lie far apart
//   BLOCKS_PER_SM       blocks per multiprocessor, in a grid-stride loop; each adds its copies to the result once
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 9 (privatisation, aggregation, coarsening);
// Podlozhnyuk, "Histogram Calculation in CUDA" (NVIDIA, 2007) for several copies a block and for counters of a thread;
// Gomez-Luna et al., "An Optimized Approach to Histogram Computation on GPU" (Machine Vision and Applications 2013) for
// interleaved copies against conflicts; Westphal, "Voting and Shuffling to Optimize Atomic Operations" (NVIDIA
// developer blog, 2015) for AGGREGATION = warp.

#include "private_counters.cuh"
#include "sort_and_reduce.cuh"

enum class Algorithm { atomics, sort };
enum class CoarseningOrder { strided, consecutive };
enum class Privatization { none, block, lane, thread };
enum class CopySharing { warp, lane };
enum class CopyLayout { separate, interleaved };
enum class Aggregation { none, runs, warp };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr CoarseningOrder coarsening_order = CoarseningOrder::COARSENING_ORDER;
constexpr Privatization privatization = Privatization::PRIVATIZATION;
constexpr CopySharing copy_sharing = CopySharing::COPY_SHARING;
constexpr CopyLayout copy_layout = CopyLayout::COPY_LAYOUT;
constexpr Aggregation aggregation = Aggregation::AGGREGATION;
constexpr int warp_size = 32;
constexpr int words = LOAD_BYTES / 4;  // of 32 bits, in a load
constexpr long long chunk_bytes = static_cast<long long>(BLOCK_SIZE) * COARSENING * LOAD_BYTES;

struct alignas(LOAD_BYTES) Pack {
  unsigned word[words];
};

// Where a thread counts: the bins from `first` on, `count` of them.
class Bins {
 public:
  __device__ Bins(unsigned* counters, unsigned first, unsigned count) : first_(first), count_(count) {
    counters_ = counters;
    if constexpr (privatization == Privatization::block) counters_ += place(copy(), 0);
  }

  // Bins of other ranges, and numbers that are no bin's, count for nothing.
  __device__ void add(unsigned bin, unsigned amount) const {
    const unsigned index = bin - first_;
    if (index < count_)
      atomicAdd(counters_ + (privatization == Privatization::block ? place(0, index) : index), amount);
  }

  __device__ unsigned place(unsigned copy, unsigned index) const {
    return copy_layout == CopyLayout::interleaved ? index * COPIES + copy : copy * (count_ + 1) + index;
  }

 private:
  __device__ static unsigned copy() {
    return (copy_sharing == CopySharing::warp ? threadIdx.x / warp_size : threadIdx.x % warp_size) % COPIES;
  }

  unsigned* counters_;
  unsigned first_;
  unsigned count_;
};

// A thread's elements, one after another. All threads of a warp add together.
class Counter {
 public:
  __device__ explicit Counter(const Bins& bins) : bins_(bins) {}

  __device__ void add(unsigned bin) {
    if constexpr (aggregation == Aggregation::none) {
      bins_.add(bin, 1);
    } else if constexpr (aggregation == Aggregation::runs) {
      if (bin != last_) flush();
      last_ = bin;
      ++length_;
    } else {
      const unsigned peers = __match_any_sync(0xffffffffu, bin);
      const bool first = __ffs(static_cast<int>(peers)) - 1 == static_cast<int>(threadIdx.x) % warp_size;
      if (first) bins_.add(bin, static_cast<unsigned>(__popc(peers)));
    }
  }

  __device__ void flush() {
    if (length_ > 0) bins_.add(last_, length_);
    length_ = 0;
  }

 private:
  const Bins& bins_;
  unsigned last_ = 0;
  unsigned length_ = 0;
};

template <class Element>
__device__ inline void count_pack(Counter& counter, const Pack& pack) {
#pragma unroll
  for (int i = 0; i < words; ++i) {
    if constexpr (sizeof(Element) == 4) {
      counter.add(pack.word[i]);
    } else {
#pragma unroll
      for (int byte = 0; byte < 4; ++byte) counter.add(pack.word[i] >> 8 * byte & 255u);
    }
  }
}

template <class Element>
__device__ inline void count_whole_chunk(Counter& counter, const unsigned char* chunk) {
  Pack packs[COARSENING];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) packs[i] = reinterpret_cast<const Pack*>(chunk)[i * BLOCK_SIZE + threadIdx.x];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) count_pack<Element>(counter, packs[i]);
}

// Each thread counts a contiguous part of the elements, one by one.
template <class Element>
__device__ inline void count_part(const Bins& bins, const Element* input, long long size) {
  const long long threads = static_cast<long long>(gridDim.x) * BLOCK_SIZE;
  const long long part = (size + threads - 1) / threads;
  const long long begin = (static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x) * part;
  Counter counter(bins);
  for (long long i = begin; i < begin + part && i < size; ++i) counter.add(input[i]);
  counter.flush();
}

template <class Element>
__device__ inline void count_elements(const Bins& bins, const Element* input, long long size) {
  if constexpr (coarsening_order == CoarseningOrder::consecutive) {
    count_part(bins, input, size);
    return;
  }
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(input);
  const long long end = size * static_cast<long long>(sizeof(Element));
  long long first = blockIdx.x * chunk_bytes;
  Counter counter(bins);
  for (; first + chunk_bytes <= end; first += gridDim.x * chunk_bytes)
    count_whole_chunk<Element>(counter, bytes + first);
  counter.flush();
  // The last chunk, if it is not whole, and if it is this block's.
  for (long long i = first / static_cast<long long>(sizeof(Element)) + threadIdx.x; i < size; i += BLOCK_SIZE) {
    bins.add(input[i], 1);
  }
}

// Adds the block's copies to the result. Neighbouring threads begin with different copies: interleaved, a bin's copies
// lie in as many banks.
__device__ inline void add_to_result(const Bins& bins, const unsigned* copies, unsigned* result, unsigned count) {
  for (unsigned index = threadIdx.x; index < count; index += BLOCK_SIZE) {
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < COPIES; ++i) sum += copies[bins.place((i + threadIdx.x) % COPIES, index)];
    if (sum > 0) atomicAdd(result + index, sum);
  }
}

template <class Element>
__device__ inline void histogram(const Element* input, unsigned* result, long long size, int bin_count) {
  if constexpr (privatization == Privatization::lane && sizeof(Element) == 1) {
    count_in_lanes(input, result, size, bin_count);
    return;
  }
  if constexpr (privatization == Privatization::thread && sizeof(Element) == 1) {
    count_in_threads(input, result, size, bin_count);
    return;
  }
  if constexpr (algorithm == Algorithm::sort) {
    sort_and_reduce(input, result, size, static_cast<unsigned>(bin_count));
    return;
  }
  extern __shared__ unsigned copies[];
  const unsigned all = static_cast<unsigned>(bin_count);
  const unsigned range = (all - 1) / BIN_RANGES + 1;
  const unsigned first = blockIdx.y * range;
  if (first >= all) return;
  const unsigned count = min(range, all - first);
  const Bins bins(privatization == Privatization::block ? copies : result, first, count);
  if constexpr (privatization == Privatization::none) {
    count_elements(bins, input, size);
    return;
  }
  const unsigned used = COPIES * (count + (copy_layout == CopyLayout::separate ? 1 : 0));
  for (unsigned i = threadIdx.x; i < used; i += BLOCK_SIZE) copies[i] = 0;
  __syncthreads();
  count_elements(bins, input, size);
  __syncthreads();
  add_to_result(bins, copies, result + first, count);
}

// input: `size` elements, aligned to 16 bytes; result: `bin_count` counters, zero. Grid: any number of blocks times
// BIN_RANGES. Dynamic shared memory: the copies, the lanes' counters, the threads' and the
// block's, or a tile of keys.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    histogram_of_bytes(const unsigned char* __restrict__ input, unsigned* result, long long size, int bin_count) {
  histogram(input, result, size, bin_count);
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    histogram_of_integers(const unsigned* __restrict__ input, unsigned* result, long long size, int bin_count) {
  histogram(input, result, size, bin_count);
}
