// Counters of one byte that belong to one thread each: no atomics, and no access ever conflicts with another, whatever
// the data (Podlozhnyuk 2007, there for 64 bins). Of two warps, lane l has word l and word l + 32 of each of 64 rows;
// byte j of row r counts bin 64 * j + r. So a byte's address is two bytes, the row and what lies in it, and four
// addresses at a time are made of four elements in one word.
#pragma once

constexpr int counters_a_thread = 256;
constexpr int rows = 64;
constexpr int row_bytes = 256;
constexpr int bytes_of_two_warps = rows * row_bytes;
// What a thread may count after a look at its counters, which then are less than 128, and still fit a byte.
constexpr int elements_between_looks = 128;

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

class ThreadCounters {
 public:
  // counters: 256 bytes a thread, zero, aligned to a row; totals: the block's 256 counters.
  __device__ ThreadCounters(unsigned char* counters, unsigned* totals)
      : counters_(counters + threadIdx.x / 64 * bytes_of_two_warps), totals_(totals) {
    first_column_ = threadIdx.x % 64 * 4;
    if constexpr (base_in_rows) first_row_ = static_cast<unsigned>(__cvta_generic_to_shared(counters)) / row_bytes;
  }

  // Counts the four elements in `word`, AT_ONCE of them at a time: counters are read together, as reading takes long,
  // and of those that are the same one, the last to be written has to know of the others.
  __device__ void add(unsigned word) {
    const unsigned high = (word & 0x3f3f3f3fu) + first_row_ * 0x01010101u;
    const unsigned low = (word >> 6 & 0x03030303u) | first_column_ * 0x01010101u;
    const unsigned places[4] = {join_bytes<0>(high, low), join_bytes<1>(high, low), join_bytes<2>(high, low),
                                join_bytes<3>(high, low)};
#pragma unroll
    for (int first = 0; first < 4; first += AT_ONCE) {
      unsigned counts[AT_ONCE];
#pragma unroll
      for (int i = 0; i < AT_ONCE; ++i) counts[i] = at(places[first + i]);
#pragma unroll
      for (int i = 0; i < AT_ONCE; ++i) {
#pragma unroll
        for (int j = 0; j < i; ++j) counts[i] = places[first + i] == places[first + j] ? counts[j] : counts[i];
        ++counts[i];
        at(places[first + i]) = static_cast<unsigned char>(counts[i]);
        seen_ |= counts[i];
      }
    }
  }

  // To be called by whole warps, at the latest after so many elements of a thread as may pass between looks.
  __device__ void look() {
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
  static constexpr bool base_in_rows = BLOCK == 64;
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
  unsigned seen_ = 0;  // bits of all counts since the last look
};

// What a thread reads at once.
struct Chunk {
  uint4 packs[ITEMS];
};

__device__ inline void count_chunk(ThreadCounters& counters, const Chunk& chunk) {
  static_assert(ITEMS * 16 <= elements_between_looks, "counters of a byte would overflow");
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    counters.add(chunk.packs[i].x);
    counters.add(chunk.packs[i].y);
    counters.add(chunk.packs[i].z);
    counters.add(chunk.packs[i].w);
  }
  counters.look();
}

// A block's whole chunks. The next one is on its way while a thread counts the one before: threads that have room for
// their counters are few. Two take turns, for a copy of one would wait for it.
class Chunks {
 public:
  static constexpr long long bytes = static_cast<long long>(BLOCK) * ITEMS * 16;

  __device__ Chunks(const unsigned char* input, long long size) : input_(input), size_(size) {}

  // Counts them all; what begins at the element returned is this block's if it is anyone's.
  __device__ long long count(ThreadCounters& counters) {
    Chunk even, odd;
    if (more()) read(even);
    while (more()) {
      step();
      if (more()) read(odd);
      __syncwarp();  // or the compiler moves the loads down to where they are needed
      count_chunk(counters, even);
      if (!more()) break;
      step();
      if (more()) read(even);
      __syncwarp();
      count_chunk(counters, odd);
    }
    return first_;
  }

 private:
  __device__ bool more() const { return first_ + bytes <= size_; }
  __device__ void step() { first_ += gridDim.x * bytes; }

  __device__ void read(Chunk& chunk) const {
    const uint4* source = reinterpret_cast<const uint4*>(input_ + first_) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) chunk.packs[i] = __ldcs(source + i * BLOCK);
  }

  const unsigned char* input_;
  long long size_;
  long long first_ = blockIdx.x * bytes;
};

// Shared memory: the threads' counters, then the block's.
__device__ inline void count_in_threads(const unsigned char* input, unsigned* result, long long size, int bins) {
  extern __shared__ uint4 __align__(1024) shared[];
  constexpr int words = counters_a_thread * BLOCK / 16;
  for (int i = static_cast<int>(threadIdx.x); i < words + counters_a_thread / 4; i += BLOCK)
    shared[i] = uint4{0, 0, 0, 0};
  __syncthreads();
  unsigned* totals = reinterpret_cast<unsigned*>(shared + words);
  ThreadCounters counters(reinterpret_cast<unsigned char*>(shared), totals);
  const long long rest = Chunks(input, size).count(counters);
  counters.flush();
  for (long long i = rest + threadIdx.x; i < size; i += BLOCK) atomicAdd(totals + input[i], 1u);
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < min(bins, counters_a_thread); bin += BLOCK)
    if (totals[bin] > 0) atomicAdd(result + bin, totals[bin]);
}
