// A block's stages in shared memory, as compute capability 9.0 fills and empties them: copies of whole tiles by the
// copy engine, and barriers that count their bytes. On the host a copy is done when it is started. Source: the PTX ISA
// manual, "mbarrier" and "cp.async.bulk".
#pragma once

#include "block_scan.cuh"

#if defined(WARPTUNE_HOST) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900)
// Of the host; of an older device too, which never runs it, and whose assembler does not know the instructions.
#define WARPTUNE_EMULATED_STAGES 1
#else
#define WARPTUNE_EMULATED_STAGES 0
#endif
#ifndef WARPTUNE_HOST
#define WARPTUNE_UNTRACKED
#endif

#if WARPTUNE_EMULATED_STAGES
struct alignas(16) Barrier {
  int arrivals;  // of a phase
  int awaited;   // still, in this phase
  int bytes;     // announced and not come
  unsigned phase;
};

__device__ inline void note_release(const Barrier& barrier) {
#ifdef WARPTUNE_HOST
  warptune_host::release(&barrier);
#endif
}
__device__ inline void note_acquire(const Barrier& barrier) {
#ifdef WARPTUNE_HOST
  warptune_host::acquire(&barrier);
#endif
}

__device__ WARPTUNE_UNTRACKED inline void make_barrier(Barrier& barrier, int arrivals) {
  barrier = {arrivals, arrivals, 0, 0};
}
__device__ inline void publish_barriers() {}
__device__ WARPTUNE_UNTRACKED inline void end_phase(Barrier& barrier) {
  if (barrier.awaited > 0 || barrier.bytes != 0) return;
  barrier.awaited = barrier.arrivals;
  ++barrier.phase;
}
__device__ WARPTUNE_UNTRACKED inline void arrive(Barrier& barrier, int bytes = 0) {
  note_release(barrier);
  barrier.bytes += bytes;
  --barrier.awaited;
  end_phase(barrier);
}
__device__ WARPTUNE_UNTRACKED inline void wait_for_phase(const Barrier& barrier, unsigned parity) {
  while (barrier.phase % 2 == parity) __nanosleep(0);
  note_acquire(barrier);
}

__device__ inline void copy_values(Value* to, const Value* from, int bytes) {
  for (int i = 0; i < bytes / static_cast<int>(sizeof(Value)); ++i) to[i] = from[i];
}
__device__ WARPTUNE_UNTRACKED inline void note_bytes(Barrier& barrier, int bytes) {
  note_release(barrier);
  barrier.bytes -= bytes;
  end_phase(barrier);
}
__device__ inline void copy_in(Value* to, const Value* from, int bytes, Barrier& barrier) {
  copy_values(to, from, bytes);
  note_bytes(barrier, bytes);
}
__device__ inline void show_to_copies() {}
__device__ inline void copy_out(Value* to, const Value* from, int bytes) {
  copy_values(to, from, bytes);
}
__device__ inline void wait_until_read() {}
#else
struct alignas(16) Barrier {
  unsigned long long state;
};

__device__ inline unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// A barrier's phase ends when `arrivals` have come and all bytes that were announced.
__device__ inline void make_barrier(Barrier& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}
// To be called by who made them, before the block's own barrier: the copy engine is to see them too.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void arrive(Barrier& barrier, int bytes = 0) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
               : "memory");
}
// Until the phase with this parity (0 for the first, then in turn) has ended; the one before the first has.
__device__ inline void wait_for_phase(const Barrier& barrier, unsigned parity) {
  unsigned ended = 0;
  while (ended == 0) {
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(ended)
                 : "r"(shared_address(&barrier)), "r"(parity)
                 : "memory");
  }
}

// Starts a copy of whole 16 bytes, which come to the barrier.
__device__ inline void copy_in(Value* to, const Value* from, int bytes, Barrier& barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(&barrier))
               : "memory");
}
// What this thread wrote to shared memory, the copies that are started after it read.
__device__ inline void show_to_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// Starts a copy of whole 16 bytes, a group of its own.
__device__ inline void copy_out(Value* to, const Value* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
// Until none of this thread's copies still reads shared memory.
__device__ inline void wait_until_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
#endif
