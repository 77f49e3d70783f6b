// Resets and restores the state by which a thread of the processor calculates. A kernel may change it: rounding,
// flushing to zero, traps, the x87's stack, and the direction of string instructions. A kernel of a GPU has no such
// state to leave behind.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace warptune::tuner::host {

// Sets the state that a process begins with (System V ABI, AMD64, 3.4.1; AArch64: round to nearest, nothing flushed, no
// traps).
inline void begin_arithmetic() {
#if defined(__x86_64__)
  asm volatile("fninit\n\tcld" ::: "cc", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)");
  _mm_setcsr(0x1f80);
#elif defined(__aarch64__)
  asm volatile("msr fpcr, xzr\n\tmsr fpsr, xzr");
#endif
}

// Puts back what it found, whatever code ran in between. One thread makes and destroys it.
class KeptArithmetic {
 public:
  KeptArithmetic() {
#if defined(__x86_64__)
    asm volatile("fnstcw %0" : "=m"(x87_));
    sse_ = _mm_getcsr();
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(control_));
#endif
  }
  ~KeptArithmetic() {
    begin_arithmetic();
#if defined(__x86_64__)
    asm volatile("fldcw %0" : : "m"(x87_));
    _mm_setcsr(sse_);
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(control_));
#endif
  }
  KeptArithmetic(const KeptArithmetic&) = delete;
  KeptArithmetic& operator=(const KeptArithmetic&) = delete;

 private:
#if defined(__x86_64__)
  std::uint16_t x87_ = 0;
  unsigned sse_ = 0;
#elif defined(__aarch64__)
  std::uint64_t control_ = 0;
#endif
};

}  // namespace warptune::tuner::host
