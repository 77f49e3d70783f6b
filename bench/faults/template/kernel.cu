// `nought` is 0, which the compiler does not know: nothing below is optimised away.
enum { GOOD, LOOP, OUTSIDE, WILD, MISALIGNED, TRAP, DEEP, WRONG, UNSTEADY, SHARED, BROKEN, ENDLESS };

// Twice as many instances a level: compiling this outlasts everything.
template <int Level, long Path>
struct Tree {
  static constexpr long value = Tree<Level - 1, 2 * Path>::value + Tree<Level - 1, 2 * Path + 1>::value;
};
template <long Path>
struct Tree<0, Path> {
  static constexpr long value = 0;
};
constexpr long endless = Tree<FAULT == ENDLESS ? 60 : 0, 1>::value;

__device__ int depth(int n) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(n);
  return n < 0 ? 0 : depth(n + 1) + frame[0];
}

template <int Fault>
__device__ int misbehave(int* out, int i, int nought) {
  volatile int zero = nought;
  if constexpr (Fault == LOOP)  // of memory accesses: a loop without any effect may be taken to end
    while (reinterpret_cast<volatile int*>(out)[i] != -12345) {
    }
  if constexpr (Fault == OUTSIDE)
    if (i < 64) out[i + gridDim.x * blockDim.x] = 1;
  if constexpr (Fault == WILD) *reinterpret_cast<volatile int*>(8l + zero) = 1;
  if constexpr (Fault == MISALIGNED) *reinterpret_cast<volatile int*>(reinterpret_cast<char*>(out + i / 2) + 1 + zero) = 1;
  if constexpr (Fault == TRAP) __trap();
  if constexpr (Fault == DEEP) return depth(zero);
  if constexpr (Fault == WRONG) return i == 1000;
  if constexpr (Fault == UNSTEADY) return (clock64() >> 4) & 1;
  if constexpr (Fault == SHARED) {
    __shared__ int much[(FAULT == SHARED ? 11000 : 1)];  // 43 KiB and, as declared, more than 48 with the next
    __shared__ int more[(FAULT == SHARED ? 11000 : 1)];
    much[threadIdx.x] = more[threadIdx.x] = i;
    __syncthreads();
    return much[255 - threadIdx.x] - more[255 - threadIdx.x];
  }
  return 0;
}

extern "C" __global__ void faults(int* out, int nought) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  static_assert(FAULT != BROKEN, "this configuration does not compile");
  out[i] = i + misbehave<FAULT>(out, i, nought) + static_cast<int>(endless);
}
