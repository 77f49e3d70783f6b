// What bulk_copy.cuh promises, on the host, as the PTX ISA manual describes it. A copy is done when it is started,
// which is the earliest that the device may do it: a stage that is handed back too early, or a barrier's phase that is
// mistaken, gives wrong numbers here.
#pragma once

#include <warptune/device/bulk_copy.cuh>

#ifdef WARPTUNE_HOST
namespace warptune::device {

using TensorMap = CUtensorMap;

namespace emulated_copies {

extern __shared__ unsigned char shared_memory[];

struct Barrier {
  int arrivals;  // of a phase
  int awaited;   // still, in this phase
  int bytes;     // announced and not come
  unsigned phase;
};
static_assert(sizeof(Barrier) == barrier_bytes, "");

// Static shared memory may lie before the dynamic one.
__device__ inline unsigned char* at(Window address) {
  return shared_memory + static_cast<int>(address);
}
__device__ inline Barrier& barrier_at(Window address) {
  return *reinterpret_cast<Barrier*>(at(address));
}

// Barriers are no data: what they order is said by release and acquire.
__device__ WARPTUNE_UNTRACKED inline void end_phase(Barrier& barrier) {
  if (barrier.awaited > 0 || barrier.bytes != 0) return;
  barrier.awaited = barrier.arrivals;
  ++barrier.phase;
}

__device__ WARPTUNE_UNTRACKED inline void bytes_came(Window address, int bytes) {
  Barrier& barrier = barrier_at(address);
  barrier.bytes -= bytes;
  warptune_host::release(&barrier);
  end_phase(barrier);
}

struct alignas(16) Group {
  unsigned words[4];
};

__device__ inline void copy_groups(void* to, const void* from, int bytes) {
  for (int i = 0; i < bytes / static_cast<int>(sizeof(Group)); ++i)
    static_cast<Group*>(to)[i] = static_cast<const Group*>(from)[i];
}

}  // namespace emulated_copies

__device__ inline Window window_of(const void* shared) {
  return static_cast<Window>(static_cast<const unsigned char*>(shared) - emulated_copies::shared_memory);
}
__device__ inline unsigned char* pointer_to(Window address) {
  return emulated_copies::at(address);
}

__device__ WARPTUNE_UNTRACKED inline void make_barrier(Window barrier, int arrivals) {
  emulated_copies::barrier_at(barrier) = {arrivals, arrivals, 0, 0};
}
__device__ inline void publish_barriers() {}
__device__ WARPTUNE_UNTRACKED inline void arrive_and_announce(Window address, int bytes) {
  emulated_copies::Barrier& barrier = emulated_copies::barrier_at(address);
  warptune_host::release(&barrier);
  barrier.bytes += bytes;
  --barrier.awaited;
  emulated_copies::end_phase(barrier);
}
__device__ inline void arrive(Window barrier) {
  arrive_and_announce(barrier, 0);
}
__device__ WARPTUNE_UNTRACKED inline void wait_for_phase(Window barrier, unsigned parity) {
  while (emulated_copies::barrier_at(barrier).phase % 2 == parity) __nanosleep(0);
  warptune_host::acquire(&emulated_copies::barrier_at(barrier));
}
__device__ inline void spin_for_phase(Window barrier, unsigned parity) {
  wait_for_phase(barrier, parity);
}

__device__ inline void copy_bytes(Window to, const void* from, int bytes, Window barrier) {
  emulated_copies::copy_groups(pointer_to(to), from, bytes);
  emulated_copies::bytes_came(barrier, bytes);
}
__device__ inline void copy_bytes_out(void* to, Window from, int bytes) {
  emulated_copies::copy_groups(to, pointer_to(from), bytes);
}
__device__ inline void wait_until_read() {}
__device__ inline void publish_to_copies() {}

__device__ inline void fetch_map(const TensorMap&) {}
__device__ WARPTUNE_UNTRACKED inline void copy_box(Window to, const TensorMap& map, int column, int row,
                                                   Window barrier) {
  const int first[] = {column, row};
  emulated_copies::bytes_came(barrier, static_cast<int>(warptune_host::load_box(pointer_to(to), map, first)));
}
__device__ WARPTUNE_UNTRACKED inline void copy_box(Window to, const TensorMap& map, int column, int row, int matrix,
                                                   Window barrier) {
  const int first[] = {column, row, matrix};
  emulated_copies::bytes_came(barrier, static_cast<int>(warptune_host::load_box(pointer_to(to), map, first)));
}
__device__ inline void fetch_to_l2(const void*, int) {}

}  // namespace warptune::device
#endif
