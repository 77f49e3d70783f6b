// The TOP largest elements of each row with their places, in descending order; of equal elements those further left.
//
//   ALGORITHM        threshold: a first pass finds the maxima of many groups of elements; at least TOP elements are no
//                    smaller than the TOP-th largest maximum, and they lie in the few groups whose maximum is no smaller
//                    either; only these are read again. radix: the TOP-th largest element, digit by digit, by counting.
//                    queue: one pass that keeps what is larger than the TOP-th best so far
//   BLOCK_SIZE       threads per block
//   THREADS_PER_ROW  threads that share a row: a warp, or the whole block
//   VECTOR_WIDTH     elements moved by one memory instruction (rows must begin aligned: otherwise fewer)
//   UNROLL           vectors in flight at once; of a threshold each has a maximum of its own
//   CANDIDATES       elements that shared memory holds of those that pass the threshold; where more pass, because many
//                    are equal, the row is done by radix; or how long a queue may become
//   MIN_BLOCKS_PER_SM  blocks a multiprocessor must hold at once: bounds a thread's registers
//   FINISH           how what has passed is put in order: rank: each thread counts what goes before its candidate;
//                    bitonic: a sorting network
//   CACHE_HINT_LOAD  of the first pass
//
// A candidate is one number: the element as an unsigned integer of the same order, then the complement of its place. No
// two are equal, so that the result does not depend on the order in which threads find them. NaNs are the largest, as
// in PyTorch; -0 equals 0.
//
// Sources: Alabi, Blanchard, Gordon & Steinbach, "Fast k-Selection Algorithms for Graphics Processing Units" (2012) and
// Zhang, Naruse, Li & Wang, "Parallel Top-K Algorithms on GPU: A Comprehensive Study and New Methods" (SC'23) for radix
// selection; Monroe, Wendelberger & Michalak, "Randomized selection on the GPU" (2011) and Gaihre et al., "Dr. Top-k:
// Delegate-Centric Top-k on GPUs" (SC'21) for maxima of groups that stand for their groups; Johnson, Douze & Jegou,
// "Billion-scale similarity search with GPUs" (2017) for queues; Batcher (1968) for the network.

#include "queue.cuh"
#include "radix.cuh"
#include "threshold.cuh"

// Writes the first TOP of `count` candidates in descending order; `count` is TOP or more. Four neighbours share a
// candidate, each with a quarter of the others.
__device__ inline void write_ranked(const Candidate* candidates, int count, Element* values, int* indices) {
  constexpr int sharing = 4;
  const int part = thread_of_row() % sharing;
  for (int first = 0; first < count; first += THREADS_PER_ROW / sharing) {
    const int i = first + thread_of_row() / sharing;
    const Candidate mine = i < count ? candidates[i] : 0;
    int rank = 0;
#pragma unroll 4
    for (int other = part; other < count; other += sharing) rank += candidates[other] > mine ? 1 : 0;
    rank += __shfl_xor_sync(whole_warp, rank, 1);
    rank += __shfl_xor_sync(whole_warp, rank, 2);
    if (part == 0 && i < count && rank < TOP) write(mine, values + rank, indices + rank);
  }
}

__device__ inline void write_sorted(Candidate* candidates, int count, Element* values, int* indices) {
  put_in_order(candidates, count);
  for (int i = thread_of_row(); i < TOP; i += THREADS_PER_ROW) write(candidates[i], values + i, indices + i);
}

__device__ inline int fill_candidates(const Element* row, int columns, const RowMemory& memory) {
  if constexpr (algorithm == Algorithm::queue) return candidates_by_queue(row, columns, memory);
  if constexpr (algorithm == Algorithm::threshold) {
    const int count = candidates_by_threshold(row, columns, memory);
    if (count <= CANDIDATES) return count;
  }
  return candidates_by_radix(row, columns, memory);
}

__device__ inline void top_of_row(const Element* row, int columns, const RowMemory& memory, Element* values,
                                  int* indices) {
  const int count = fill_candidates(row, columns, memory);
  if constexpr (finish == Finish::rank) {
    write_ranked(memory.candidates, count, values, indices);
  } else {
    write_sorted(memory.candidates, count, values, indices);
  }
}

// x: rows * columns elements, aligned to 16 bytes; values, indices: TOP for each row, which has no fewer. Dynamic
// shared memory: row_bytes for each row of the block.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    top_k(const Element* __restrict__ x, Element* __restrict__ values, int* __restrict__ indices, int rows,
          int columns) {
  extern __shared__ uint4 storage[];
  const int row_of_block = static_cast<int>(threadIdx.x / THREADS_PER_ROW);
  const int row = static_cast<int>(blockIdx.x) * rows_per_block + row_of_block;
  if (row >= rows) return;  // whole warps: more than one thread per row and less than a block are a warp
  const RowMemory memory(reinterpret_cast<char*>(storage) + row_of_block * row_bytes);
  const long long offset = static_cast<long long>(row) * TOP;
  top_of_row(x + static_cast<long long>(row) * columns, columns, memory, values + offset, indices + offset);
}
