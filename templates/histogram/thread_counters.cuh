// Counters of one byte that belong to one thread each: no atomics, and no access ever conflicts with another, whatever
// the data (Podlozhnyuk 2007, there for 64 bins). Of two warps, lane l has word l and word l + 32 of each of 64 rows;
// byte j of row r counts bin 64 * j + r. So a byte's address is two bytes, the row and what lies in it, and four
// addresses at a time are made of four elements in one word.
#pragma once

#include "lane_counters.cuh"

constexpr int counters_a_thread = 256;
constexpr int rows = 64;
constexpr int row_bytes = 256;
constexpr int bytes_of_two_warps = rows * row_bytes;
// What a thread may count after a check of its counters, which then are less than 128, and still fit a byte.
constexpr int elements_between_checks = 128;

class ThreadCounters {
 public:
  // counters: 256 bytes per thread, zero, aligned to a row; totals: the block's 256 counters.
  __device__ ThreadCounters(unsigned char* counters, unsigned* totals)
      : counters_(counters + threadIdx.x / 64 * bytes_of_two_warps), totals_(totals) {
    first_column_ = threadIdx.x % 64 * 4;
    if constexpr (base_in_rows) first_row_ = static_cast<unsigned>(__cvta_generic_to_shared(counters)) / row_bytes;
  }

  // Counts the four elements in `word`, COUNTERS_IN_FLIGHT of them at a time: counters are read together, as reading
  // takes long, and of those that are the same one, the last to be written has to know of the others.
  __device__ void add(unsigned word) {
    const unsigned high = (word & 0x3f3f3f3fu) + first_row_ * 0x01010101u;
    const unsigned low = (word >> 6 & 0x03030303u) | first_column_ * 0x01010101u;
    const unsigned places[4] = {join_bytes<0>(high, low), join_bytes<1>(high, low), join_bytes<2>(high, low),
                                join_bytes<3>(high, low)};
#pragma unroll
    for (int first = 0; first < 4; first += COUNTERS_IN_FLIGHT) {
      unsigned counts[COUNTERS_IN_FLIGHT];
#pragma unroll
      for (int i = 0; i < COUNTERS_IN_FLIGHT; ++i) counts[i] = at(places[first + i]);
#pragma unroll
      for (int i = 0; i < COUNTERS_IN_FLIGHT; ++i) {
#pragma unroll
        for (int j = 0; j < i; ++j) counts[i] = places[first + i] == places[first + j] ? counts[j] : counts[i];
        ++counts[i];
        at(places[first + i]) = static_cast<unsigned char>(counts[i]);
        seen_ |= counts[i];
      }
    }
  }

  // To be called by whole warps, at the latest after so many elements of a thread as may pass between two checks.
  __device__ void check() {
    if (__any_sync(0xffffffffu, static_cast<int>(seen_ & 128u))) flush();
    seen_ = 0;
  }

  // Adds the warp's counters to the block's and clears them. Each lane sums two rows, a pair of bytes in each half of a
  // register; each begins with another word, for the sake of the banks.
  __device__ void flush() {
    __syncwarp();
    const unsigned lane = threadIdx.x % 32;
#pragma unroll 1
    for (unsigned row = lane; row < rows; row += 32) {
      unsigned* words = reinterpret_cast<unsigned*>(counters_ + row * row_bytes) + threadIdx.x % 64 / 32 * 32;
      unsigned even = 0, odd = 0;
#pragma unroll 8
      for (unsigned i = 0; i < 32; ++i) {
        unsigned& word = words[(lane + i) % 32];
        even += word & 0x00ff00ffu;
        odd += word >> 8 & 0x00ff00ffu;
        word = 0;
      }
      atomicAdd(totals_ + row, even & 0xffffu);
      atomicAdd(totals_ + row + 64, odd & 0xffffu);
      atomicAdd(totals_ + row + 128, even >> 16);
      atomicAdd(totals_ + row + 192, odd >> 16);
    }
    __syncwarp();
  }

 private:
  // In a block of two warps a row's number fits seven bits, however far from the start of shared memory the counters
  // begin. Then a place is an address, and no access has to add one.
#if defined(__CUDA_ARCH__)
  static constexpr bool base_in_rows = BLOCK_SIZE == 64;
#else
  static constexpr bool base_in_rows = false;
#endif

  __device__ unsigned char& at(unsigned place) const {
#if defined(__CUDA_ARCH__)
    if constexpr (base_in_rows) return *static_cast<unsigned char*>(__cvta_shared_to_generic(place));
#endif
    return counters_[place];
  }

  unsigned char* counters_;  // of this warp and its neighbour
  unsigned* totals_;
  unsigned first_row_ = 0;
  unsigned first_column_;
  unsigned seen_ = 0;  // bits of all counts since the last check
};
