// A float as a sum of parts that tensor cores multiply, and which of the parts' products are added up. The parameters
// are described in kernel.cu.
#pragma once

#include <warptune/device/arithmetic.cuh>

using warptune::device::min_of;

enum class Emulation { tf32x3, bf16x6, bf16x9 };

constexpr Emulation emulation = Emulation::EMULATION;
constexpr bool of_tf32 = emulation == Emulation::tf32x3;
constexpr int parts = of_tf32 ? 2 : 3;
constexpr int products = of_tf32 ? 3 : emulation == Emulation::bf16x6 ? 6 : 9;
constexpr int element_bytes = of_tf32 ? 4 : 2;
constexpr int per_word = 4 / element_bytes;
constexpr int per_piece = 16 / element_bytes;  // elements in 16 bytes
constexpr int step_k = 32 / element_bytes;     // depth of one multiplication, two pieces of each row

// The parts of A and B in each product, the smallest products first: a tensor core cuts off what a sum has beyond its
// last bit, so that large ones come late. Of part 0 times part 0 there is one, of parts whose numbers add up to 1 two.
__host__ __device__ constexpr int left_part(int product) {
  constexpr int of_nine[9] = {2, 1, 2, 1, 0, 2, 0, 1, 0};
  return of_nine[9 - products + product];
}
__host__ __device__ constexpr int right_part(int product) {
  constexpr int of_nine[9] = {2, 2, 1, 1, 2, 0, 1, 0, 0};
  return of_nine[9 - products + product];
}

// To the nearest TF32: 11 bits.
__device__ inline unsigned round_to_tf32(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(value));
  return rounded;
#else
  return (__float_as_uint(value) + 0x1000) & 0xffffe000;
#endif
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
__device__ inline unsigned round_to_bfloat16(float value) {
  const unsigned bits = __float_as_uint(value);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
#endif

// Two floats to the nearest bfloat16: 8 bits each.
__device__ inline unsigned round_to_bfloat16(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
#else
  return round_to_bfloat16(low) | round_to_bfloat16(high) << 16;
#endif
}

// words[i]: part i of these elements. Each part is what the larger ones leave, rounded; the differences are exact.
// Three bfloat16 have all 24 bits of a float, two TF32 leave an error of 2^-24 of it at most.
__device__ inline void split(const float (&values)[1], unsigned (&words)[2]) {
  words[0] = round_to_tf32(values[0]);
  words[1] = round_to_tf32(values[0] - __uint_as_float(words[0]));
}
__device__ inline void split(const float (&values)[2], unsigned (&words)[3]) {
  float low = values[0];
  float high = values[1];
#pragma unroll
  for (int part = 0; part < 3; ++part) {
    words[part] = round_to_bfloat16(low, high);
    low -= __uint_as_float(words[part] << 16);
    high -= __uint_as_float(words[part] & 0xffff0000);
  }
}

// What a word's elements stand for, in the emulation of a multiplication.
__device__ inline float element_of_word(unsigned word, int i) {
  return __uint_as_float(of_tf32 ? word & 0xffffe000 : (i == 0 ? word << 16 : word & 0xffff0000));
}
