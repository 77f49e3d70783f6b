// A histogram without counters: a block sorts its elements, so that equal ones become a run, and reduces by key: each
// run is added to its bin at once. Counting needs no more atomics than there are runs, but sorting is the longer way.
#pragma once

constexpr int tile_keys = BLOCK_SIZE * COARSENING;  // a power of two
constexpr unsigned no_key = 0xffffffffu;            // is no bin, and sorts behind all bins

// A bitonic network in shared memory: log2(n) * (log2(n) + 1) / 2 steps with a barrier each.
__device__ inline void sort_keys(unsigned* keys) {
  for (int length = 2; length <= tile_keys; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      for (int pair = static_cast<int>(threadIdx.x); pair < tile_keys / 2; pair += BLOCK_SIZE) {
        const int low = 2 * pair - pair % distance;
        const int high = low + distance;
        const bool ascending = (low & length) == 0;
        if ((keys[low] > keys[high]) == ascending) {
          const unsigned key = keys[low];
          keys[low] = keys[high];
          keys[high] = key;
        }
      }
      __syncthreads();
    }
  }
}

// Every key has the value one. A run's sum is the place behind its last key less the place of its first, which two
// threads add to the bin.
__device__ inline void reduce_by_key(const unsigned* keys, unsigned* result, unsigned bins) {
  for (int i = static_cast<int>(threadIdx.x); i < tile_keys; i += BLOCK_SIZE) {
    const unsigned key = keys[i];
    if (key >= bins) continue;
    const bool first = i == 0 || keys[i - 1] != key;
    const bool last = i == tile_keys - 1 || keys[i + 1] != key;
    const unsigned amount = (last ? static_cast<unsigned>(i) + 1 : 0) - (first ? static_cast<unsigned>(i) : 0);
    if (amount != 0) atomicAdd(result + key, amount);
  }
}

// Dynamic shared memory: a tile of keys.
template <class Element>
__device__ inline void sort_and_reduce(const Element* input, unsigned* result, long long size, unsigned bins) {
  extern __shared__ uint4 __align__(1024) shared[];
  unsigned* keys = reinterpret_cast<unsigned*>(shared);
  for (long long begin = static_cast<long long>(blockIdx.x) * tile_keys; begin < size;
       begin += static_cast<long long>(gridDim.x) * tile_keys) {
    for (int i = static_cast<int>(threadIdx.x); i < tile_keys; i += BLOCK_SIZE)
      keys[i] = begin + i < size ? input[begin + i] : no_key;
    __syncthreads();
    sort_keys(keys);
    reduce_by_key(keys, result, bins);
    __syncthreads();  // all have read the keys that the next tile will overwrite
  }
}
