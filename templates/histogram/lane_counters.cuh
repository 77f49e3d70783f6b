// Counters of 32 bits that belong to one lane each, of all warps of a block: of bin b, lane l has word 32 * b + l, and
// so a bank of its own. What warps add to one counter must be atomic, but no addition meets another in a bank, whatever
// the data (Gomez-Luna et al. 2013). The work left is to make addresses: four at a time, of four elements in one word.
#pragma once

// Byte i of `high` and byte i of `low`, side by side. The highest bit of `high` is never set: its sign is zero.
template <int I>
__device__ inline unsigned join_bytes(unsigned high, unsigned low) {
#if defined(__CUDA_ARCH__)
  unsigned joined;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(joined) : "r"(low), "r"(high), "n"(0xcc40 + 0x1111 * I));
  return joined;
#else
  return (high >> 8 * I & 255u) << 8 | (low >> 8 * I & 255u);
#endif
}

class LaneCounters {
 public:
  // counters: 32 KB, zero.
  __device__ explicit LaneCounters(unsigned char* counters)
      : counters_(counters), lane_bytes_(threadIdx.x % 32 * 4 * 0x01010101u) {}

  // A bin's row has 128 bytes: seven bits of its number are an address's high byte, the last is the highest of the low.
  __device__ void add(unsigned word) const {
    const unsigned high = word >> 1 & 0x7f7f7f7fu;
    const unsigned low = (word << 7 & 0x80808080u) | lane_bytes_;
    increment(join_bytes<0>(high, low));
    increment(join_bytes<1>(high, low));
    increment(join_bytes<2>(high, low));
    increment(join_bytes<3>(high, low));
  }

  __device__ void add_one(unsigned bin) const { increment(bin * 128 + (lane_bytes_ & 127u)); }

  // Words do not overflow.
  __device__ void check() const {}

  // Each thread begins with another lane, for the sake of the banks.
  __device__ unsigned sum(int bin) const {
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < 32; ++i)
      sum += reinterpret_cast<const unsigned*>(counters_)[bin * 32 + (i + threadIdx.x) % 32];
    return sum;
  }

 private:
  __device__ void increment(unsigned place) const {
    atomicAdd(reinterpret_cast<unsigned*>(counters_ + place), 1u);
  }

  unsigned char* counters_;
  unsigned lane_bytes_;  // where the lane's counters lie in a row, in each byte of a word
};
