// Merging as courses teach it, from many short pairs of arrays to one long pair: a thread for each pair; a block for
// each pair, in which each thread finds the place of its element by itself; many blocks for a pair, after splitters
// have cut it into sections of which each is a block's.
#pragma once

// The smallest place of b at which `key` of a may stand: in front of all that are equal, as equal ones of a come first.
template <class Index>
__device__ inline Index place_of_a(const int* b, Index b_size, int key) {
  Index low = 0;
  Index high = b_size;
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (b[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The place of a at which `key` of b may stand: behind all that are equal.
template <class Index>
__device__ inline Index place_of_b(const int* a, Index a_size, int key) {
  Index low = 0;
  Index high = a_size;
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (a[middle] <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// A thread for each pair of arrays: always the smaller of the two heads.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    merge_by_thread(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ result, long long a_size,
                    long long b_size, long long pairs) {
  const long long pair = static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
  if (pair >= pairs) return;
  a += pair * a_size;
  b += pair * b_size;
  result += pair * (a_size + b_size);
  long long i = 0;
  long long j = 0;
  while (i < a_size && j < b_size) *result++ = a[i] <= b[j] ? a[i++] : b[j++];
  while (i < a_size) *result++ = a[i++];
  while (j < b_size) *result++ = b[j++];
}

// The block's threads take an element each until all have one: an element's place in the result is its place in its own
// array plus the one that it would have in the other.
template <class Index>
__device__ inline void merge_by_rank(const int* a, Index a_size, const int* b, Index b_size, int* result) {
  for (auto i = static_cast<Index>(threadIdx.x); i < a_size; i += BLOCK_SIZE)
    result[i + place_of_a(b, b_size, a[i])] = a[i];
  for (auto j = static_cast<Index>(threadIdx.x); j < b_size; j += BLOCK_SIZE)
    result[j + place_of_b(a, a_size, b[j])] = b[j];
}

// Both arrays come to shared memory first, and the result leaves from there: searches stay on the chip, and
// neighbouring threads read and write neighbours in global memory. `tile`: room for all elements twice.
__device__ inline void merge_in_shared(const int* a, int a_size, const int* b, int b_size, int* result, int* tile) {
  const int thread = static_cast<int>(threadIdx.x);
  int* merged = tile + a_size + b_size;
  for (int i = thread; i < a_size; i += BLOCK_SIZE) tile[i] = a[i];
  for (int j = thread; j < b_size; j += BLOCK_SIZE) tile[a_size + j] = b[j];
  __syncthreads();
  merge_by_rank(tile, a_size, tile + a_size, b_size, merged);
  __syncthreads();
  for (int i = thread; i < a_size + b_size; i += BLOCK_SIZE) result[i] = merged[i];
}

// A block for each pair of arrays. What is too long for shared memory (PAIR_IN_SHARED) is searched where it is.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    merge_by_block(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ result, long long a_size,
                   long long b_size) {
  extern __shared__ int both_twice[];
  const long long pair = blockIdx.x;
  a += pair * a_size;
  b += pair * b_size;
  result += pair * (a_size + b_size);
  if constexpr (PAIR_IN_SHARED) {
    merge_in_shared(a, static_cast<int>(a_size), b, static_cast<int>(b_size), result, both_twice);
  } else {
    merge_by_rank(a, a_size, b, b_size, result);
  }
}

// The splitters of an array: every SPLITTER_SPACING-th element but the first.
__device__ inline long long splitters_of(long long size) {
  return (size - 1) / SPLITTER_SPACING;
}

// How many splitters of an array lie among its first `count` elements.
__device__ inline long long splitters_among(long long count) {
  return count == 0 ? 0 : splitters_of(count);
}

// A thread for each splitter: it knows its place in its own array, searches its place in the other, and so knows how
// many of the other's splitters come before it, too. Section k of a pair begins at place section_a[k] of a and place
// section_b[k] of b; an entry more ends the last one.
extern "C" __global__ void __launch_bounds__(256)
    find_sections(const int* a, const int* b, long long* section_a, long long* section_b, long long a_size,
                  long long b_size, long long pairs) {
  const long long of_a = splitters_of(a_size);
  const long long entries = of_a + splitters_of(b_size) + 2;
  const long long thread = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  const long long pair = thread / entries;
  if (pair >= pairs) return;
  a += pair * a_size;
  b += pair * b_size;
  const long long number = thread % entries;
  long long in_a = 0;
  long long in_b = 0;
  long long section = 0;
  if (number == entries - 1) {
    in_a = a_size;
    in_b = b_size;
    section = number;
  } else if (number > of_a) {
    in_b = (number - of_a) * SPLITTER_SPACING;
    in_a = place_of_b(a, a_size, b[in_b]);
    section = number - of_a + splitters_among(in_a);
  } else if (number > 0) {
    in_a = number * SPLITTER_SPACING;
    in_b = place_of_a(b, b_size, a[in_a]);
    section = number + splitters_among(in_b);
  }
  section_a[pair * entries + section] = in_a;
  section_b[pair * entries + section] = in_b;
}

// A block for each section, which has at most SPLITTER_SPACING elements of either array: between two splitters of one
// array there is no other of it.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    merge_sections(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ result,
                   const long long* __restrict__ section_a, const long long* __restrict__ section_b, long long a_size,
                   long long b_size) {
  __shared__ int tile[4 * SPLITTER_SPACING];
  const long long sections = splitters_of(a_size) + splitters_of(b_size) + 1;
  const long long pair = blockIdx.x / sections;
  const long long entry = blockIdx.x + pair;  // each pair has an entry more than sections
  const long long in_a = section_a[entry];
  const long long in_b = section_b[entry];
  const int a_count = static_cast<int>(section_a[entry + 1] - in_a);
  const int b_count = static_cast<int>(section_b[entry + 1] - in_b);
  merge_in_shared(a + pair * a_size + in_a, a_count, b + pair * b_size + in_b, b_count,
                  result + pair * (a_size + b_size) + in_a + in_b, tile);
}
