// The multiplication of a warp, mma.sync. On the host, and where the architecture lacks it, shuffles and ordinary
// arithmetic take its place, lane for lane. Source: the PTX ISA manual, "Warp Level Matrix Multiply-Accumulate
// Instructions".
#pragma once

#include "places.cuh"
#include "rounding.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

// Of a fragment of A, 16 rows and 32 bytes along K. Lane l holds, with g = l / 4 and t = l % 4, in words 0 and 1 four
// bytes of rows g and g + 8, from byte 4t on, in words 2 and 3 those from byte 16 + 4t on.
struct LeftOperand {
  unsigned words[4];
};
// Of a fragment of B, 32 bytes along K and 8 columns: of column g the bytes from 4t and from 16 + 4t on.
struct RightOperand {
  unsigned words[2];
};

__device__ inline LeftOperand left_operand(const unsigned (&words)[4]) {
  return {{words[0], words[1], words[2], words[3]}};
}
__device__ inline RightOperand right_operand(const unsigned (&words)[2]) {
  return {{words[0], words[1]}};
}

// sums += a * b for a 16 x 8 tile of sums: lane l holds those of row g, columns 2t and 2t + 1, and of row g + 8.
__device__ inline void multiply_add(float (&sums)[4], const LeftOperand& a, const RightOperand& b) {
  if constexpr (of_tf32) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]), "r"(b.words[1]));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]), "r"(b.words[1]));
  }
}

#elif defined(__CUDA_ARCH__)

// By shuffles, word by word: slow, but a program runs everywhere.
struct LeftOperand {
  unsigned words[4];
};
struct RightOperand {
  unsigned words[2];
};

__device__ inline LeftOperand left_operand(const unsigned (&words)[4]) {
  return {{words[0], words[1], words[2], words[3]}};
}
__device__ inline RightOperand right_operand(const unsigned (&words)[2]) {
  return {{words[0], words[1]}};
}

// A call: inlined into unrolled loops, it would take long to compile. Operands and sums pass in registers.
__device__ __noinline__ float4 with_products(float4 sums, uint4 a, uint2 b) {
  float of[4] = {sums.x, sums.y, sums.z, sums.w};
#pragma unroll
  for (int word = 0; word < 8; ++word) {
    const int lane_of_row = lane_of_thread() / 4 * 4 + word % 4;
    const int lane_of_column = lane_of_thread() % 4 * 8 + word % 4;
    for (int i = 0; i < 4; ++i) {
      const unsigned mine = word < 4 ? (i < 2 ? a.x : a.y) : (i < 2 ? a.z : a.w);
      const unsigned of_a = __shfl_sync(0xffffffffu, mine, lane_of_row);
      const unsigned of_b = __shfl_sync(0xffffffffu, word < 4 ? b.x : b.y, lane_of_column + i % 2 * 4);
      for (int j = 0; j < per_word; ++j) of[i] += element_of_word(of_a, j) * element_of_word(of_b, j);
    }
  }
  return make_float4(of[0], of[1], of[2], of[3]);
}

__device__ inline void multiply_add(float (&sums)[4], const LeftOperand& a, const RightOperand& b) {
  const float4 more =
      with_products(make_float4(sums[0], sums[1], sums[2], sums[3]),
                    make_uint4(a.words[0], a.words[1], a.words[2], a.words[3]), make_uint2(b.words[0], b.words[1]));
  sums[0] = more.x;
  sums[1] = more.y;
  sums[2] = more.z;
  sums[3] = more.w;
}

#else

// What a lane's four sums need: two rows of A, or two columns of B, collected from the lanes that hold their words once
// for all multiplications that a fragment takes part in.
struct Operand {
  float lines[2][step_k];
};
using LeftOperand = Operand;
using RightOperand = Operand;

__device__ inline void put_word(float (&line)[step_k], int number, unsigned word) {
  for (int i = 0; i < per_word; ++i) line[number * per_word + i] = element_of_word(word, i);
}

__device__ __noinline__ Operand left_operand(const unsigned (&words)[4]) {
  Operand result;
  for (int i = 0; i < 4; ++i) {
    for (int t = 0; t < 4; ++t) {
      const unsigned theirs = __shfl_sync(0xffffffffu, words[i], lane_of_thread() / 4 * 4 + t);
      put_word(result.lines[i % 2], i / 2 * 4 + t, theirs);
    }
  }
  return result;
}
__device__ __noinline__ Operand right_operand(const unsigned (&words)[2]) {
  Operand result;
  for (int column = 0; column < 2; ++column) {
    for (int i = 0; i < 8; ++i) {
      const unsigned theirs = __shfl_sync(0xffffffffu, words[i / 4], (lane_of_thread() % 4 * 2 + column) * 4 + i % 4);
      put_word(result.lines[column], i, theirs);
    }
  }
  return result;
}

__device__ __noinline__ void multiply_add(float (&sums)[4], const Operand& a, const Operand& b) {
  for (int i = 0; i < 4; ++i) sums[i] = add_products(sums[i], a.lines[i / 2], b.lines[i % 2]);
}

#endif
