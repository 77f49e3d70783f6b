// Two sorted arrays of integers into one, or many such pairs, each into one. Step by step a merge walks a staircase
// through the grid that the arrays span, the merge path; a search along one of the grid's diagonals finds where the
// path crosses it, so that every thread can begin anywhere and all do the same amount of work.
//
//   ALGORITHM         direct: each thread searches and merges in global memory. staged: a block's part of both arrays
//                     comes to shared memory first, and the result leaves from there, neighbours together. thread: a
//                     thread merges a pair of arrays. block: a block does, each thread by the rank of its element.
//                     splitters: a pair is cut into sections first, each a block's. simple.cuh has these three
//   PARTITION         who searches for the blocks' parts (staged): the blocks themselves, or a kernel that comes before
//   BLOCK_SIZE        threads per block
//   COARSENING        elements of the result that a thread merges (direct, staged); odd numbers keep a warp's threads in
//                     different banks
//   SPLITTER_SPACING  elements of an array from one splitter to the next (splitters)
//
// Sources: Odeh, Green, Mwassi, Shmueli & Birk, "Merge Path - Parallel Merging Made Simple" (2012); Green, McColl &
// Bader, "GPU Merge Path" (ICS 2012); Baxter, "Modern GPU" (2013) for the staged merge; Kirk & Hwu, "Programming
// Massively Parallel Processors", ch. 12 (co-rank).

#include "simple.cuh"

enum class Algorithm { direct, staged, thread, block, splitters };
enum class Partition { blocks, kernel };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Partition partition_by = Partition::PARTITION;
constexpr int tile_size = BLOCK_SIZE * COARSENING;
constexpr bool many_pairs = MANY_PAIRS;

// How many of the first `diagonal` elements of the result come from a. Equal ones of a come first.
template <class Index>
__device__ inline Index path_at(const int* a, Index a_size, const int* b, Index b_size, Index diagonal) {
  Index low = diagonal > b_size ? diagonal - b_size : 0;
  Index high = diagonal < a_size ? diagonal : a_size;
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The next COARSENING elements, or as many as there are, from the beginnings of a and b.
__device__ inline void merge_items(int (&items)[COARSENING], const int* a, int a_count, const int* b, int b_count) {
  int i = 0;
  int j = 0;
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    if (i >= a_count && j >= b_count) break;
    const bool from_a = j >= b_count || (i < a_count && a[i] <= b[j]);
    items[item] = from_a ? a[i++] : b[j++];
  }
}

__device__ inline int at_most(long long count, int limit) {
  return count < limit ? static_cast<int>(count) : limit;
}

__device__ inline void merge_directly(const int* a, long long a_size, const int* b, long long b_size, int* result,
                                      unsigned block) {
  const long long first = (static_cast<long long>(block) * BLOCK_SIZE + threadIdx.x) * COARSENING;
  if (first >= a_size + b_size) return;
  const long long from_a = path_at(a, a_size, b, b_size, first);
  const long long from_b = first - from_a;
  int items[COARSENING];
  merge_items(items, a + from_a, at_most(a_size - from_a, COARSENING), b + from_b,
              at_most(b_size - from_b, COARSENING));
#pragma unroll
  for (int i = 0; i < COARSENING; ++i)
    if (first + i < a_size + b_size) result[first + i] = items[i];
}

// Where the block's part of a begins and ends.
struct Range {
  long long begin;
  long long end;
};

__device__ inline Range range_of_block(const int* a, long long a_size, const int* b, long long b_size,
                                       const long long* partitions, unsigned block) {
  if constexpr (partition_by == Partition::kernel) return {partitions[block], partitions[block + 1]};
  __shared__ long long ends[2];
  if (threadIdx.x < 2) {
    const long long diagonal = static_cast<long long>(block + threadIdx.x) * tile_size;
    ends[threadIdx.x] = path_at(a, a_size, b, b_size, diagonal < a_size + b_size ? diagonal : a_size + b_size);
  }
  __syncthreads();
  return {ends[0], ends[1]};
}

__device__ inline void merge_staged(const int* a, long long a_size, const int* b, long long b_size, int* result,
                                    const long long* partitions, unsigned block) {
  extern __shared__ int tile[];  // the block's part of a, then of b; later the result
  const int thread = static_cast<int>(threadIdx.x);
  const long long first = static_cast<long long>(block) * tile_size;
  const int count = at_most(a_size + b_size - first, tile_size);
  const Range of_a = range_of_block(a, a_size, b, b_size, partitions, block);
  const int a_count = static_cast<int>(of_a.end - of_a.begin);
  const int b_count = count - a_count;
  const int* b_part = b + (first - of_a.begin);
  for (int i = thread; i < count; i += BLOCK_SIZE) tile[i] = i < a_count ? a[of_a.begin + i] : b_part[i - a_count];
  __syncthreads();

  const int diagonal = min(thread * COARSENING, count);
  const int from_a = path_at(tile, a_count, tile + a_count, b_count, diagonal);
  const int from_b = diagonal - from_a;
  int items[COARSENING];
  merge_items(items, tile + from_a, a_count - from_a, tile + a_count + from_b, b_count - from_b);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < COARSENING; ++i)
    if (diagonal + i < count) tile[diagonal + i] = items[i];
  __syncthreads();
  for (int i = thread; i < count; i += BLOCK_SIZE) result[first + i] = tile[i];
}

// Tiles of a pair's result: each a block's.
__device__ inline long long tiles_of_pair(long long a_size, long long b_size) {
  return (a_size + b_size + tile_size - 1) / tile_size;
}

// a, b: sorted; result: a_size + b_size integers; of each pair, one behind the other. partitions: for each of a pair's
// blocks, and one more, how much of a lies before it.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    merge(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ result, const long long* partitions,
          long long a_size, long long b_size) {
  unsigned block = blockIdx.x;
  if constexpr (many_pairs) {
    const long long tiles = tiles_of_pair(a_size, b_size);
    const long long pair = blockIdx.x / tiles;
    a += pair * a_size;
    b += pair * b_size;
    result += pair * (a_size + b_size);
    if constexpr (partition_by == Partition::kernel) partitions += pair * (tiles + 1);
    block = static_cast<unsigned>(blockIdx.x % tiles);
  }
  if constexpr (algorithm == Algorithm::direct) {
    merge_directly(a, a_size, b, b_size, result, block);
  } else {
    merge_staged(a, a_size, b, b_size, result, partitions, block);
  }
}

// blocks: of all pairs. A thread for each of a pair's blocks, and one more.
extern "C" __global__ void __launch_bounds__(256)
    find_partitions(const int* a, const int* b, long long* partitions, long long a_size, long long b_size, int blocks) {
  int block = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if constexpr (many_pairs) {
    const int tiles = static_cast<int>(tiles_of_pair(a_size, b_size));
    const int pair = block / (tiles + 1);
    if (pair >= blocks / tiles) return;
    a += pair * a_size;
    b += pair * b_size;
    partitions += static_cast<long long>(pair) * (tiles + 1);
    block %= tiles + 1;
    blocks = tiles;
  }
  if (block > blocks) return;
  const long long diagonal = static_cast<long long>(block) * tile_size;
  partitions[block] = path_at(a, a_size, b, b_size, diagonal < a_size + b_size ? diagonal : a_size + b_size);
}
