// Copies from global to shared memory that a thread starts and does not wait for (cp.async): no register holds what is
// on its way, and the thread computes meanwhile.
//
//   copy_async<16>(&tile[next][i], source + i);   // each thread its own
//   commit_copies();                              // closes a group
//   ...                                           // work on tile[current]
//   wait_for_copies<0>();                         // this thread's are there,
//   __syncthreads();                              // and after a barrier everybody's
//
// Both addresses are multiples of the size. Below compute capability 8.0 and on the host backend copies are done at
// once, and the other functions do nothing. Source: CUDA C++ Programming Guide, "Asynchronous Data Copies"; PTX ISA,
// "cp.async".
#pragma once

#include <warptune/device/vectors.cuh>

namespace warptune::device {

// Starts copying 4, 8 or 16 bytes. Only copies of 16 bypass the L1 cache.
template <int Bytes>
__device__ inline void copy_async(void* target, const void* source) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async moves 4, 8 or 16 bytes");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(target));
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(source) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(source), "n"(Bytes) : "memory");
  }
#else
  using Word = typename WordOf<Bytes>::type;
  *static_cast<Word*>(target) = *static_cast<const Word*>(source);
#endif
}

// The same, or zeros where `inside` is false: for tiles that reach beyond the data. `source` is then not read.
template <int Bytes>
__device__ inline void copy_async_or_zero(void* target, const void* source, bool inside) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async moves 4, 8 or 16 bytes");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(target));
  const int bytes = inside ? Bytes : 0;
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(source), "r"(bytes) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(source), "n"(Bytes), "r"(bytes)
                 : "memory");
  }
#else
  using Word = typename WordOf<Bytes>::type;
  *static_cast<Word*>(target) = inside ? *static_cast<const Word*>(source) : Word{};
#endif
}

// Closes a group of copies, also an empty one.
__device__ inline void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most `Pending` of this thread's groups are under way.
template <int Pending>
__device__ inline void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

}  // namespace warptune::device
