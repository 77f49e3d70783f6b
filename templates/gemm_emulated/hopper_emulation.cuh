// What hopper.cuh promises, on the host, as the PTX ISA manual describes it. A copy is done when it is started, which
// is the earliest that the device may do it, and a multiplication reads shared memory when its group is waited for, the
// latest: a stage that is handed back too early, or a barrier's phase that is mistaken, gives wrong numbers here.
#pragma once

#include "rounding.cuh"

namespace emulation_of_hopper {

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

}  // namespace emulation_of_hopper

__device__ inline Window window_of(void* shared) {
  return static_cast<Window>(static_cast<unsigned char*>(shared) - emulation_of_hopper::shared_memory);
}

__device__ inline unsigned char* pointer_to(Window address) {
  return emulation_of_hopper::at(address);
}

__device__ WARPTUNE_UNTRACKED inline void make_barrier(Window barrier, int arrivals) {
  emulation_of_hopper::barrier_at(barrier) = {arrivals, arrivals, 0, 0};
}
__device__ inline void publish_barriers() {}
__device__ inline void publish_to_copies() {}
__device__ WARPTUNE_UNTRACKED inline void arrive_and_announce(Window address, int bytes) {
  emulation_of_hopper::Barrier& barrier = emulation_of_hopper::barrier_at(address);
  warptune_host::release(&barrier);
  barrier.bytes += bytes;
  --barrier.awaited;
  emulation_of_hopper::end_phase(barrier);
}
__device__ inline void arrive(Window barrier) {
  arrive_and_announce(barrier, 0);
}
__device__ WARPTUNE_UNTRACKED inline void wait_for_phase(Window barrier, unsigned parity) {
  while (emulation_of_hopper::barrier_at(barrier).phase % 2 == parity) __nanosleep(0);
  warptune_host::acquire(&emulation_of_hopper::barrier_at(barrier));
}

__device__ WARPTUNE_UNTRACKED inline void all_came(Window address, int bytes) {
  emulation_of_hopper::Barrier& barrier = emulation_of_hopper::barrier_at(address);
  barrier.bytes -= bytes;
  warptune_host::release(&barrier);
  emulation_of_hopper::end_phase(barrier);
}
__device__ inline void copy_bytes(Window to, const unsigned char* from, int bytes, Window barrier) {
  struct alignas(16) Group {
    unsigned words[4];
  };
  for (int i = 0; i < bytes; i += 16) {
    *reinterpret_cast<Group*>(emulation_of_hopper::at(to) + i) = *reinterpret_cast<const Group*>(from + i);
  }
  all_came(barrier, bytes);
}

template <int Count>
__device__ inline void take_registers() {}
template <int Count>
__device__ inline void give_registers() {}
template <int Count>
__device__ inline void settle(float (&)[Count]) {}

namespace emulation_of_hopper {

// A descriptor's fields (PTX ISA, "Matrix Descriptor Format").
__device__ inline unsigned field(unsigned long long descriptor, int bit) {
  return static_cast<unsigned>(descriptor >> bit & 0x3fff) << 4;
}

// The eight words of a row: two pieces.
__device__ inline const unsigned* piece_of_row(unsigned long long matrix, int row, int piece) {
  const auto line = static_cast<unsigned>(row);
  return reinterpret_cast<const unsigned*>(at(field(matrix, 0) + line / 8 * field(matrix, 32) + line % 8 * 16 +
                                              static_cast<unsigned>(piece) * field(matrix, 16)));
}

__device__ inline void read_row(float (&row_of)[step_k], unsigned long long matrix, int row) {
  for (int i = 0; i < step_k; ++i) {
    const int word = i / per_word;
    row_of[i] = element_of_word(piece_of_row(matrix, row, word / 4)[word % 4], i % per_word);
  }
}

// This thread's part of 64 x columns sums.
__device__ __noinline__ void multiply(float* sums, int columns, unsigned long long a, unsigned long long b, bool add) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  float rows[2][step_k];
  for (int half = 0; half < 2; ++half) read_row(rows[half], a, thread / 32 * 16 + thread % 32 / 4 + half * 8);
  for (int i = 0; i < columns / 8; ++i) {
    for (int j = 0; j < 2; ++j) {
      float column[step_k];
      read_row(column, b, 8 * i + thread % 4 * 2 + j);
      for (int half = 0; half < 2; ++half) {
        float& sum = sums[4 * i + 2 * half + j];
        sum = add_products(add ? sum : 0.0f, rows[half], column);
      }
    }
  }
}

struct Multiplication {
  float* sums;
  int columns;
  unsigned long long a, b;
  bool add;
};

}  // namespace emulation_of_hopper

class Pending {
 public:
  __device__ void fence() {}
  __device__ void add(const emulation_of_hopper::Multiplication& started) {
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
  static constexpr int most = 96;

  // The oldest `groups`.
  __device__ void finish(int groups) {
    const int end = ends_[groups - 1];
    for (int i = 0; i < end; ++i) {
      const emulation_of_hopper::Multiplication& next = started_[i];
      emulation_of_hopper::multiply(next.sums, next.columns, next.a, next.b, next.add);
    }
    for (int i = end; i < count_; ++i) started_[i - end] = started_[i];
    for (int i = groups; i < groups_; ++i) ends_[i - groups] = ends_[i] - end;
    count_ -= end;
    groups_ -= groups;
  }

  emulation_of_hopper::Multiplication started_[most];
  int ends_[most];  // of the groups
  int count_ = 0;
  int groups_ = 0;
};

template <int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], unsigned long long a, unsigned long long b,
                                bool add) {
  pending.add({sums, 2 * Count, a, b, add});
}
