// The multiplication of a warp by 8-bit floats: sums += a * b with 16 rows, 8 columns and 32 along K. Below compute
// capability 8.9 and on the host it is two multiplications of halves, each of which takes two of a word's four bytes:
// elements of A and B meet in another order, which a sum does not mind.
#pragma once

#include "instructions.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890

// Lane l, with g = l / 4 and t = l % 4, holds four bytes of rows g and g + 8 of A, from byte 4t on, then those from
// byte 16 + 4t on; and of column g of B the bytes from 4t and from 16 + 4t on.
struct LeftBytes {
  unsigned words[4];
};
struct RightBytes {
  unsigned words[2];
};
__device__ inline LeftBytes left_bytes(const unsigned (&words)[4]) {
  return {{words[0], words[1], words[2], words[3]}};
}
__device__ inline RightBytes right_bytes(const unsigned (&words)[2]) {
  return {{words[0], words[1]}};
}
__device__ inline void multiply_add_bytes(float (&sums)[4], const LeftBytes& a, const RightBytes& b) {
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]), "r"(b.words[1]));
}

#else

// The halves of a word's bytes 2 * pair and the next.
__device__ inline unsigned halves_of(unsigned word, int pair) {
  const unsigned bytes = word >> 16 * pair;
  return packed<Format::half>(e4m3_to_float(bytes & 0xff), e4m3_to_float(bytes >> 8 & 0xff));
}

struct LeftBytes {
  LeftOperand<Format::half> halves[2];
};
struct RightBytes {
  RightOperand<Format::half> halves[2];
};
__device__ inline LeftBytes left_bytes(const unsigned (&words)[4]) {
  LeftBytes result;
  for (int i = 0; i < 2; ++i) {
    const unsigned upper = words[2 * i], lower = words[2 * i + 1];
    result.halves[i] = left_operand<Format::half>(
        {halves_of(upper, 0), halves_of(lower, 0), halves_of(upper, 1), halves_of(lower, 1)});
  }
  return result;
}
__device__ inline RightBytes right_bytes(const unsigned (&words)[2]) {
  RightBytes result;
  for (int i = 0; i < 2; ++i)
    result.halves[i] = right_operand<Format::half>({halves_of(words[i], 0), halves_of(words[i], 1)});
  return result;
}
__device__ inline void multiply_add_bytes(float (&sums)[4], const LeftBytes& a, const RightBytes& b) {
  for (int i = 0; i < 2; ++i) multiply_add<Format::half>(sums, a.halves[i], b.halves[i]);
}

#endif
