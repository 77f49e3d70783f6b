// Copies by the Tensor Memory Accelerator (TMA, bulk copies), the barriers in shared memory that count their bytes,
// and the ring of stages that warps which copy and warps which compute share.
//
//   const Window full = window_of(shared) + bytes, tile = window_of(shared);
//   if (threadIdx.x == 0) make_barrier(full, 1), publish_barriers();
//   __syncthreads();
//   if (threadIdx.x == 0) arrive_and_announce(full, bytes), copy_bytes(tile, from, bytes, full);
//   wait_for_phase(full, 0);                              // everybody: the bytes are there
//
// Requirements: compute capability 9.0; copies and their ends aligned to 16 bytes, boxes as the tensor map's swizzle
// asks. The device's assembler knows the instructions from 9.0 on only: whoever calls them on an older one does not
// compile. On the host bulk_copy_emulation.cuh computes the same. Sources: the PTX ISA manual, "mbarrier",
// "cp.async.bulk", "cp.async.bulk.tensor", "setmaxnreg" and "fence.proxy".
#pragma once

namespace warptune::device {

// Shared memory as maps, barriers and descriptors name it: an address of 32 bits. On the host these count from where
// the block's dynamic shared memory begins.
using Window = unsigned;

constexpr int barrier_bytes = 16;  // eight of which the device uses
struct alignas(barrier_bytes) Barrier {
  unsigned char bytes[barrier_bytes];
};

// A place in a ring of `Stages` stages, and the parity of the phase that its barriers are in.
template <int Stages>
struct RingPlace {
  int stage = 0;
  unsigned parity = 0;

  __device__ void advance() {
    if (++stage < Stages) return;
    stage = 0;
    parity ^= 1;
  }
  __device__ void skip(int stages) {
    parity ^= static_cast<unsigned>((stage + stages) / Stages) & 1;
    stage = (stage + stages) % Stages;
  }
};

}  // namespace warptune::device

#ifdef WARPTUNE_HOST
#include <warptune/device/bulk_copy_emulation.cuh>
#else

namespace warptune::device {

struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

__device__ inline Window window_of(const void* shared) {
  return static_cast<Window>(__cvta_generic_to_shared(shared));
}
__device__ inline unsigned char* pointer_to(Window address) {
  return static_cast<unsigned char*>(__cvta_shared_to_generic(address));
}

// A barrier's phase ends when `arrivals` have come and all bytes that were announced.
__device__ inline void make_barrier(Window barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
// To be called by who made them, before the block's own barrier: the TMA is to see them too.
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

// The same with the loop inside one statement, which the compiler lays out in another way: which of the two is faster
// depends on the code around it.
__device__ inline void spin_for_phase(Window barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\n"
      "done:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Starts to copy whole groups of 16 bytes to shared memory, whose number comes to the barrier.
__device__ inline void copy_bytes(Window to, const void* from, int bytes, Window barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

// Starts to copy whole groups of 16 bytes out of shared memory; wait_until_read waits until none of the thread's copies
// reads it any more.
__device__ inline void copy_bytes_out(void* to, Window from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to),
               "r"(from), "r"(bytes)
               : "memory");
}
__device__ inline void wait_until_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// What this thread wrote to shared memory is there for copies, and for multiplications of warpgroups ("async proxy").
__device__ inline void publish_to_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void fetch_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
// Starts to copy a map's box, whose first element this is, to shared memory: zeros for what lies outside the tensor.
// All its bytes come to the barrier.
__device__ inline void copy_box(Window to, const TensorMap& map, int column, int row, Window barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
          to),
      "l"(&map), "r"(barrier), "r"(column), "r"(row)
      : "memory");
}
__device__ inline void copy_box(Window to, const TensorMap& map, int column, int row, int matrix, Window barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::
          "r"(to),
      "l"(&map), "r"(barrier), "r"(column), "r"(row), "r"(matrix)
      : "memory");
}

// The L2 cache fetches these bytes, whole groups of 16.
__device__ inline void fetch_to_l2(const void* from, int bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

}  // namespace warptune::device
#endif
