// What counts bytes without conflicts: private counters, of threads or of lanes, and a walk over the elements whose
// loads do not wait for the counting.
#pragma once

#include "lane_counters.cuh"
#include "thread_counters.cuh"

// What a thread reads at once.
struct Chunk {
  uint4 packs[COARSENING];
};

template <class Counters>
__device__ inline void count_chunk(Counters& counters, const Chunk& chunk) {
  static_assert(COARSENING * 16 <= elements_between_checks, "counters of a byte would overflow");
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    counters.add(chunk.packs[i].x);
    counters.add(chunk.packs[i].y);
    counters.add(chunk.packs[i].z);
    counters.add(chunk.packs[i].w);
  }
  counters.check();
}

// A block's whole chunks. The next one is on its way while a thread counts the one before, for threads that have room
// for their counters are few. Two take turns: a copy of one would wait for it.
class Chunks {
 public:
  static constexpr long long bytes = static_cast<long long>(BLOCK_SIZE) * COARSENING * 16;

  __device__ Chunks(const unsigned char* input, long long size) : input_(input), size_(size) {}

  // Counts them all; what begins at the element returned is this block's if it is anyone's.
  template <class Counters>
  __device__ long long count(Counters& counters) {
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
    for (int i = 0; i < COARSENING; ++i) chunk.packs[i] = __ldcs(source + i * BLOCK_SIZE);
  }

  const unsigned char* input_;
  long long size_;
  long long first_ = blockIdx.x * bytes;
};

// Shared memory: the threads' counters, then the block's.
__device__ inline void count_in_threads(const unsigned char* input, unsigned* result, long long size, int bins) {
  extern __shared__ uint4 __align__(1024) shared[];
  constexpr int words = counters_a_thread * BLOCK_SIZE / 16;
  for (int i = static_cast<int>(threadIdx.x); i < words + counters_a_thread / 4; i += BLOCK_SIZE)
    shared[i] = uint4{0, 0, 0, 0};
  __syncthreads();
  unsigned* totals = reinterpret_cast<unsigned*>(shared + words);
  ThreadCounters counters(reinterpret_cast<unsigned char*>(shared), totals);
  const long long rest = Chunks(input, size).count(counters);
  counters.flush();
  for (long long i = rest + threadIdx.x; i < size; i += BLOCK_SIZE) atomicAdd(totals + input[i], 1u);
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < min(bins, counters_a_thread); bin += BLOCK_SIZE)
    if (totals[bin] > 0) atomicAdd(result + bin, totals[bin]);
}

// Shared memory: the lanes' counters.
__device__ inline void count_in_lanes(const unsigned char* input, unsigned* result, long long size, int bins) {
  extern __shared__ uint4 __align__(1024) shared[];
  for (int i = static_cast<int>(threadIdx.x); i < 256 * 32 / 4; i += BLOCK_SIZE) shared[i] = uint4{0, 0, 0, 0};
  __syncthreads();
  LaneCounters counters(reinterpret_cast<unsigned char*>(shared));
  const long long rest = Chunks(input, size).count(counters);
  for (long long i = rest + threadIdx.x; i < size; i += BLOCK_SIZE) counters.add_one(input[i]);
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < min(bins, 256); bin += BLOCK_SIZE) {
    const unsigned sum = counters.sum(bin);
    if (sum > 0) atomicAdd(result + bin, sum);
  }
}
