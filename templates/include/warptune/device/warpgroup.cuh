// What the multiplications of warpgroups (wgmma) have in common, whatever they multiply: registers that change hands,
// the multiplications that a thread has started, and the fields of a matrix's descriptor.
//
// Requirements: compute capability 9.0 with the architecture's own features (sm_90a); all warps of a warpgroup, 128
// threads, call together. On the host a kernel's own Multiplication says how one is computed, and is run when its group
// is waited for, the latest that the device may: what reads shared memory too late gives wrong numbers. Source: the PTX
// ISA manual, "Asynchronous Warpgroup Level Matrix Instructions" and "setmaxnreg".
#pragma once

namespace warptune::device {

// A field of a matrix's descriptor, which counts bytes in units of 16 (PTX ISA, "Matrix Descriptor Format").
__device__ inline unsigned long long descriptor_field(unsigned bytes, int bit) {
  return (static_cast<unsigned long long>(bytes) & 0x3ffff) >> 4 << bit;
}
__device__ inline unsigned bytes_of_field(unsigned long long descriptor, int bit) {
  return static_cast<unsigned>(descriptor >> bit & 0x3fff) << 4;
}

#ifdef WARPTUNE_HOST
template <int Count>
__device__ inline void take_registers() {}
template <int Count>
__device__ inline void give_registers() {}
template <int Count>
__device__ inline void settle(float (&)[Count]) {}
template <int Count>
__device__ inline void settle(unsigned (&)[Count][4]) {}

// Multiplications, `Most` at a time, each with a member run().
template <class Multiplication, int Most>
class StartedProducts {
 public:
  __device__ void fence() {}
  __device__ void add(const Multiplication& started) {
    if (count_ == Most) __trap();
    started_[count_++] = started;
  }
  __device__ void commit() {
    if (groups_ == Most) __trap();
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
  // The oldest `groups`.
  __device__ void finish(int groups) {
    const int end = ends_[groups - 1];
    for (int i = 0; i < end; ++i) started_[i].run();
    for (int i = end; i < count_; ++i) started_[i - end] = started_[i];
    for (int i = groups; i < groups_; ++i) ends_[i - groups] = ends_[i] - end;
    count_ -= end;
    groups_ -= groups;
  }

  Multiplication started_[Most];
  int ends_[Most];  // of the groups
  int count_ = 0;
  int groups_ = 0;
};

#else

// The registers of each thread from here on. Taking waits for enough that others have given.
template <int Count>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}

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

// The hardware keeps them.
struct StartedProducts {
  // What the threads wrote to the sums is there before those that follow begin.
  __device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
  __device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
  // Until at most `Left` committed groups are under way.
  template <int Left>
  __device__ void wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
  }
};
#endif

}  // namespace warptune::device
