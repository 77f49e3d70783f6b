// What hopper.cuh promises, on the host, as the PTX ISA manual describes it. A copy is done when it is started, which
// is the earliest that the device may do it, and a multiplication reads shared memory when its group is waited for, the
// latest: a stage that is handed back too early, or a barrier's phase that is mistaken, gives wrong numbers here.
#pragma once

#include "formats.cuh"

using TensorMap = CUtensorMap;

namespace emulation {

extern __shared__ unsigned char shared_memory[];

__device__ inline unsigned char* at(Window address) {
  return shared_memory + address;
}

struct Barrier {
  int arrivals;  // of a phase
  int awaited;   // still, in this phase
  int bytes;     // announced and not come
  unsigned phase;
};
static_assert(sizeof(Barrier) == barrier_bytes, "");

__device__ inline Barrier& barrier_at(Window address) {
  return *reinterpret_cast<Barrier*>(at(address));
}

// Barriers are no data: what they order is said by release and acquire.
__device__ WARPTUNE_UNTRACKED inline void end_phase(Barrier& barrier) {
  if (barrier.awaited > 0 || barrier.bytes != 0) return;
  barrier.awaited = barrier.arrivals;
  ++barrier.phase;
}

}  // namespace emulation

__device__ inline Window window_of(void* shared) {
  return static_cast<Window>(static_cast<unsigned char*>(shared) - emulation::shared_memory);
}

__device__ WARPTUNE_UNTRACKED inline void make_barrier(Window barrier, int arrivals) {
  emulation::barrier_at(barrier) = {arrivals, arrivals, 0, 0};
}
__device__ inline void publish_barriers() {}
__device__ WARPTUNE_UNTRACKED inline void arrive_and_announce(Window address, int bytes) {
  emulation::Barrier& barrier = emulation::barrier_at(address);
  warptune_host::release(&barrier);
  barrier.bytes += bytes;
  --barrier.awaited;
  emulation::end_phase(barrier);
}
__device__ inline void arrive(Window barrier) {
  arrive_and_announce(barrier, 0);
}
__device__ WARPTUNE_UNTRACKED inline void wait_for_phase(Window barrier, unsigned parity) {
  while (emulation::barrier_at(barrier).phase % 2 == parity) __nanosleep(0);
  warptune_host::acquire(&emulation::barrier_at(barrier));
}

__device__ inline void fetch_map(const TensorMap&) {}
__device__ WARPTUNE_UNTRACKED inline void copy_box(Window to, const TensorMap& map, int column, int row, Window address) {
  const int first[2] = {column, row};
  emulation::Barrier& barrier = emulation::barrier_at(address);
  barrier.bytes -= static_cast<int>(warptune_host::load_box(emulation::at(to), map, first));
  warptune_host::release(&barrier);
  emulation::end_phase(barrier);
}

__device__ inline void fetch_to_l2(const void*, int) {}

template <int Count>
__device__ inline void take_registers() {}
template <int Count>
__device__ inline void give_registers() {}
template <int Count>
__device__ inline void settle(float (&)[Count]) {}

namespace emulation {

// A descriptor's fields (PTX ISA, "Matrix Descriptor Format").
__device__ inline unsigned field(unsigned long long descriptor, int bit) {
  return static_cast<unsigned>(descriptor >> bit & 0x3fff) << 4;
}

template <Format format>
constexpr int bytes_of = format == Format::float8_e4m3 ? 1 : 2;
template <Format format>
constexpr int depth = 32 / bytes_of<format>;

template <Format format>
__device__ inline float element_at(unsigned long long place) {
  const Window swizzled = static_cast<Window>(warptune_host::swizzled(place, 128));
  if constexpr (format == Format::float8_e4m3) return e4m3_to_float(*at(swizzled));
  const unsigned bits = *reinterpret_cast<const unsigned short*>(at(swizzled));
  return format == Format::half ? half_to_float(bits) : bfloat16_to_float(bits);
}

// K-major: a row's elements follow each other.
template <Format format>
__device__ inline float element_along_k(unsigned long long matrix, int row, int k) {
  const auto line = static_cast<unsigned>(row);
  return element_at<format>(field(matrix, 0) + line / 8 * field(matrix, 32) + line % 8 * 128 +
                            static_cast<unsigned>(k * bytes_of<format>));
}

template <Format format>
__device__ inline float element_of_b(unsigned long long b, int k, int column) {
  if constexpr (format == Format::float8_e4m3) return element_along_k<format>(b, column, k);
  const auto line = static_cast<unsigned>(k), n = static_cast<unsigned>(column);
  return element_at<format>(field(b, 0) + line / 8 * field(b, 32) + line % 8 * 128 + n / 64 * field(b, 16) +
                            n % 64 * 2);
}

// This thread's part of 64 x columns sums.
template <Format format>
__device__ __noinline__ void multiply(float* sums, int columns, unsigned long long a, unsigned long long b, bool add) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  for (int half = 0; half < 2; ++half) {
    float of_a[depth<format>];
    for (int k = 0; k < depth<format>; ++k)
      of_a[k] = element_along_k<format>(a, thread / 32 * 16 + thread % 32 / 4 + half * 8, k);
    for (int i = 0; i < columns / 8; ++i)
      for (int j = 0; j < 2; ++j) {
        float& sum = sums[4 * i + 2 * half + j];
        if (!add) sum = 0;
        for (int k = 0; k < depth<format>; ++k)
          sum += of_a[k] * element_of_b<format>(b, k, 8 * i + thread % 4 * 2 + j);
      }
  }
}

struct Multiplication {
  float* sums;
  int columns;
  unsigned long long a, b;
  bool add;
  void (*run)(float*, int, unsigned long long, unsigned long long, bool);
};

}  // namespace emulation

class Pending {
 public:
  __device__ void fence() {}
  __device__ void add(const emulation::Multiplication& started) {
    if (count_ == most) __trap();
    started_[count_++] = started;
  }
  __device__ void commit() {
    if (groups_ == most) __trap();
    ends_[groups_++] = count_;
  }
  // Like wgmma.wait_group.sync.aligned: no lane leaves before its warp's last lane is done. Else lane 0 could free a
  // stage that another lane has yet to read, or to wait for.
  template <int Left>
  __device__ void wait() {
    if (groups_ > Left) finish(groups_ - Left);
    __syncwarp();
  }

 private:
  static constexpr int most = 64;

  // The oldest `groups`.
  __device__ void finish(int groups) {
    const int end = ends_[groups - 1];
    for (int i = 0; i < end; ++i) {
      const emulation::Multiplication& next = started_[i];
      next.run(next.sums, next.columns, next.a, next.b, next.add);
    }
    for (int i = end; i < count_; ++i) started_[i - end] = started_[i];
    for (int i = groups; i < groups_; ++i) ends_[i - groups] = ends_[i] - end;
    count_ -= end;
    groups_ -= groups;
  }

  emulation::Multiplication started_[most];
  int ends_[most];  // of the groups
  int count_ = 0;
  int groups_ = 0;
};

template <Format format, int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], unsigned long long a, unsigned long long b,
                                bool add) {
  pending.add({sums, 2 * Count, a, b, add, emulation::multiply<format>});
}
