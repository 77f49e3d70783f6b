// What hopper.cuh promises, on the host, as the PTX ISA manual describes it. A copy is done when it is started, which
// is the earliest that the device may do it, and a multiplication reads shared memory when its group is waited for, the
// latest: a stage that is handed back too early, or a barrier's phase that is mistaken, gives wrong numbers here.
#pragma once

#include "numbers.cuh"

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

// `barrier` is made for 256 arrivals.
__device__ WARPTUNE_UNTRACKED inline void wait_for_turn(Window barrier, int) {
  const unsigned parity = emulation::barrier_at(barrier).phase % 2;
  arrive(barrier);
  wait_for_phase(barrier, parity);
}
__device__ inline void give_turn(Window barrier, int) {
  arrive(barrier);
}

__device__ inline void fetch_map(const TensorMap&) {}
__device__ WARPTUNE_UNTRACKED inline void copy_box(Window to, const TensorMap& map, int column, int row, int matrix,
                                                   Window address) {
  const int first[3] = {column, row, matrix};
  emulation::Barrier& barrier = emulation::barrier_at(address);
  barrier.bytes -= static_cast<int>(warptune_host::load_box(emulation::at(to), map, first));
  warptune_host::release(&barrier);
  emulation::end_phase(barrier);
}

template <int Count>
__device__ inline void take_registers() {}
template <int Count>
__device__ inline void give_registers() {}
template <int Count>
__device__ inline void settle(float (&)[Count]) {}
template <int Count>
__device__ inline void settle(unsigned (&)[Count][4]) {}

namespace emulation {

// A descriptor's fields (PTX ISA, "Matrix Descriptor Format").
__device__ inline unsigned field(unsigned long long descriptor, int bit) {
  return static_cast<unsigned>(descriptor >> bit & 0x3fff) << 4;
}

template <NumberFormat format>
__device__ inline float element_at(unsigned long long place) {
  const Window swizzled = static_cast<Window>(warptune_host::swizzled(place, 128));
  return to_float<format>(*reinterpret_cast<const unsigned short*>(at(swizzled)));
}

// Of a matrix whose lines are along the depth k: line `row`.
template <NumberFormat format>
__device__ inline float along_lines(unsigned long long matrix, int row, int k) {
  const auto line = static_cast<unsigned>(row);
  return element_at<format>(field(matrix, 0) + line / 8 * field(matrix, 32) + line % 8 * 128 +
                            static_cast<unsigned>(k) * 2);
}

// Of one whose lines are along the columns: line k.
template <NumberFormat format>
__device__ inline float across_lines(unsigned long long matrix, int k, int column) {
  const auto line = static_cast<unsigned>(k), n = static_cast<unsigned>(column);
  return element_at<format>(field(matrix, 0) + line / 8 * field(matrix, 32) + line % 8 * 128 +
                            n / 64 * field(matrix, 16) + n % 64 * 2);
}

// A multiplication that was started. A lane's two rows of the left operand, once they are known, have 16 numbers each.
struct Multiplication {
  float* sums;
  int columns;
  unsigned long long a, b;
  bool add;
  float left[2][16];
  void (*run)(Multiplication&);
};

// This thread's part of 64 x columns sums; the right operand's element is right(k, column).
template <class Right>
__device__ inline void add_products(Multiplication& of, const Right& right) {
  for (int i = 0; i < of.columns / 8; ++i)
    for (int j = 0; j < 2; ++j) {
      const int column = 8 * i + static_cast<int>(threadIdx.x) % 4 * 2 + j;
      float* sums[2] = {of.sums + 4 * i + j, of.sums + 4 * i + 2 + j};
      for (int half = 0; half < 2; ++half)
        if (!of.add) *sums[half] = 0;
      for (int k = 0; k < 16; ++k) {
        const float element = right(k, column);
        for (int half = 0; half < 2; ++half) *sums[half] += of.left[half][k] * element;
      }
    }
}

template <NumberFormat format>
__device__ __noinline__ void multiply_lines(Multiplication& of) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  for (int half = 0; half < 2; ++half)
    for (int k = 0; k < 16; ++k)
      of.left[half][k] = along_lines<format>(of.a, thread / 32 * 16 + thread % 32 / 4 + half * 8, k);
  add_products(of, [&](int k, int column) { return along_lines<format>(of.b, column, k); });
}

template <NumberFormat format>
__device__ __noinline__ void multiply_registers(Multiplication& of) {
  add_products(of, [&](int k, int column) { return across_lines<format>(of.b, k, column); });
}

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
  static constexpr int most = 32;

  // The oldest `groups`.
  __device__ void finish(int groups) {
    const int end = ends_[groups - 1];
    for (int i = 0; i < end; ++i) started_[i].run(started_[i]);
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

template <NumberFormat format, int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], unsigned long long a, unsigned long long b,
                                bool add) {
  pending.add({sums, 2 * Count, a, b, add, {}, emulation::multiply_lines<format>});
}

// The words of the left operand are collected from the lanes that hold them when the multiplication is started.
template <NumberFormat format, int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], const unsigned (&a)[4], unsigned long long b,
                                bool add) {
  emulation::Multiplication started = {sums, 2 * Count, 0, b, add, {}, emulation::multiply_registers<format>};
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int t = 0; t < 4; ++t)
    for (int word = 0; word < 4; ++word) {
      const unsigned theirs = __shfl_sync(0xffffffffu, a[word], lane / 4 * 4 + t);
      float* place = started.left[word % 2] + word / 2 * 8 + 2 * t;
      place[0] = to_float<format>(static_cast<unsigned short>(theirs & 0xffff));
      place[1] = to_float<format>(static_cast<unsigned short>(theirs >> 16));
    }
  pending.add(started);
}
