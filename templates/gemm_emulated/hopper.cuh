// What only compute capability 9.0 has, each as a function: barriers that count bytes, bulk copies, registers that
// change hands, and multiplications of a warpgroup out of shared memory. On the host hopper_emulation.cuh takes their
// place. Sources: the PTX ISA manual, "mbarrier", "cp.async.bulk", "setmaxnreg" and "Asynchronous Warpgroup Level
// Matrix Instructions".
#pragma once

#include "parts.cuh"

// A descriptor's address of shared memory has 32 bits. On the host these count from where the block's dynamic shared
// memory begins.
using Window = unsigned;

constexpr int barrier_bytes = 16;  // eight of which the device uses

#ifdef WARPTUNE_HOST
#include "hopper_emulation.cuh"
#else

__device__ inline Window window_of(void* shared) {
  return static_cast<Window>(__cvta_generic_to_shared(shared));
}

__device__ inline unsigned char* pointer_to(Window address) {
  return static_cast<unsigned char*>(__cvta_shared_to_generic(address));
}

// A barrier's phase ends when `arrivals` have come and all bytes that were announced.
__device__ inline void make_barrier(Window barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
// To be called by who made them, before the block's own barrier: the copy engine is to see them too.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void arrive(Window barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void arrive_and_announce(Window barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
// Until the phase with this parity (0 for the first, then in turn) has ended; the one before the first has.
__device__ inline void wait_for_phase(Window barrier, unsigned parity) {
  unsigned ended = 0;
  while (ended == 0) {
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(ended)
                 : "r"(barrier), "r"(parity)
                 : "memory");
  }
}

// Starts to copy whole groups of 16 bytes to shared memory, whose number comes to the barrier.
__device__ inline void copy_bytes(Window to, const unsigned char* from, int bytes, Window barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

// What this thread wrote to shared memory is there for multiplications, which read it as copies do ("async proxy").
__device__ inline void publish_to_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// The registers of each thread from here on, to be called by all warps of a warpgroup. Taking waits for enough that
// others have given.
template <int Count>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}

// The multiplications that a thread has started: the hardware keeps them.
struct Pending {
  // What the threads wrote to the sums is there before those that follow begin.
  __device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
  __device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
  // Until at most `Left` committed groups are under way.
  template <int Left>
  __device__ void wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
  }
};

#include "wgmma_shapes.cuh"

// Where the compiler must not move what reads the sums.
template <int Count>
__device__ inline void settle(float (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}
#endif

// Where rows lie in shared memory, K-major and not swizzled: 16 bytes of eight rows are consecutive. From one piece of
// 16 bytes along K to the next it is `next_piece` bytes, from eight rows to the next eight 128. Byte offsets count in
// units of 16. (CUTLASS, cute/atom/mma_traits_sm90_gmma.hpp, names the layout INTERLEAVE and draws it.)
__device__ inline unsigned long long descriptor(Window start, int next_piece) {
  const auto field = [](unsigned long long bytes, int bit) { return (bytes & 0x3ffff) >> 4 << bit; };
  return field(128, 32) | field(static_cast<unsigned>(next_piece), 16) | field(start, 0);
}
