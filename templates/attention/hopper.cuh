// What only compute capability 9.0 has, each as a function: barriers that count bytes, copies of boxes of a tensor,
// barriers of some of a block's warps, registers that change hands, and a warpgroup's multiplications. On the host
// hopper_emulation.cuh takes their place. Sources: the PTX ISA manual, "mbarrier", "cp.async.bulk.tensor", "bar",
// "setmaxnreg" and "Asynchronous Warpgroup Level Matrix Instructions".
#pragma once

#include "numbers.cuh"

// Shared memory as maps and descriptors name it: an address of 32 bits. On the host these count from where the block's
// dynamic shared memory begins.
using Window = unsigned;

constexpr int barrier_bytes = 16;  // eight of which the device uses

#ifdef WARPTUNE_HOST
#include "hopper_emulation.cuh"
#else

struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

__device__ inline Window window_of(void* shared) {
  return static_cast<Window>(__cvta_generic_to_shared(shared));
}

// A barrier's phase ends when `arrivals` have come and all bytes that were announced.
__device__ inline void make_barrier(Window barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
// By the thread that made them, before the block's own barrier: the copy engine is to see them too.
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
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\n"
      "done:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Hardware barriers 1, 2 ... of two warpgroups each: one waits, the other only says that it has come.
__device__ inline void wait_for_turn(Window, int number) {
  asm volatile("bar.sync %0, 256;" ::"r"(number) : "memory");
}
__device__ inline void give_turn(Window, int number) {
  asm volatile("bar.arrive %0, 256;" ::"r"(number) : "memory");
}

__device__ inline void fetch_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
// Starts to copy a map's box to shared memory; zeros for what lies outside the tensor. All its bytes come to the
// barrier.
__device__ inline void copy_box(Window to, const TensorMap& map, int column, int row, int matrix, Window barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::
          "r"(to),
      "l"(&map), "r"(barrier), "r"(column), "r"(row), "r"(matrix)
      : "memory");
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
  // What the threads wrote to their operands is there before the multiplications that follow begin.
  __device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
  __device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
  // Until at most `Left` committed groups are under way.
  template <int Left>
  __device__ void wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
  }
};

#include "wgmma_shapes.cuh"

// Where the compiler must move neither reads nor writes of a multiplication's registers.
template <int Count>
__device__ inline void settle(float (&values)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(values[i])::"memory");
}
template <int Count>
__device__ inline void settle(unsigned (&values)[Count][4]) {
#pragma unroll
  for (int i = 0; i < 4 * Count; ++i) asm volatile("" : "+r"(values[i / 4][i % 4])::"memory");
}
#endif

// Where a matrix lies in shared memory, in lines of 128 bytes (64 elements) whose 16-byte pieces are swizzled; eight
// lines take 1024 bytes. Q and K: a line is a row's elements along the head dimension, the multiplication's depth.
// V: a line is a key's elements along the head dimension, the product's columns; the next 64 of them are `next_line`
// bytes away (PTX ISA, "Strides"; CUTLASS, cute/atom/mma_traits_sm90_gmma.hpp, make_gmma_desc).
__device__ inline unsigned long long descriptor(Window start, int next_line) {
  const auto field = [](unsigned long long bytes, int bit) { return (bytes & 0x3ffff) >> 4 << bit; };
  constexpr unsigned long long swizzle_of_128_bytes = 1ull << 62;
  return swizzle_of_128_bytes | field(1024, 32) | field(static_cast<unsigned>(next_line), 16) | field(start, 0);
}
