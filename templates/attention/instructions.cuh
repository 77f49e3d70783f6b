// Matrices from shared memory to registers, and their multiplication, as functions. Where an architecture lacks the
// instruction (bfloat16 below compute capability 8.0), or on the host, emulation.cuh takes its place. Source: the PTX
// ISA manual, "ldmatrix" and "Matrix Fragments for mma.m16n8k16".
#pragma once

#include "emulation.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HAS_AMPERE 1
#else
#define HAS_AMPERE 0
#endif

// Four 8 x 8 matrices of 16-bit elements: lane 8 * i + r gives the address of row r of matrix i, and lane l gets in
// words[i] the elements 2 * (l % 4) and the next of row l / 4 of matrix i; transposed, of its column l / 4.
template <bool Transposed>
__device__ inline void load_matrices(unsigned (&words)[4], const unsigned char* row) {
#if HAS_AMPERE
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address)
                 : "memory");
  }
#else
  emulation::load_matrices<Transposed>(words, row);
#endif
}

// What a lane gives to a multiplication: its words of a fragment, or what an emulated one collects from other lanes.
#if HAS_AMPERE
struct LeftOperand {
  unsigned words[4];
};
struct RightOperand {
  unsigned words[2];
};
#else
using LeftOperand = emulation::Operand;
using RightOperand = emulation::Operand;
#endif

// Of a 16 x 16 fragment. Lane l holds, with g = l / 4 and t = l % 4, two neighbours from column 2t on: of rows g and
// g + 8 in words 0 and 1, and eight columns to the right in words 2 and 3.
__device__ inline LeftOperand left_operand(const unsigned (&words)[4]) {
#if HAS_AMPERE
  return {{words[0], words[1], words[2], words[3]}};
#else
  return emulation::left_operand(words);
#endif
}

// Of a 16 x 8 fragment: of column g the rows 2t and 2t + 1, and those eight below.
__device__ inline RightOperand right_operand(unsigned upper, unsigned lower) {
#if HAS_AMPERE
  return {{upper, lower}};
#else
  return emulation::right_operand(upper, lower);
#endif
}

// sums += a * b for a 16 x 8 tile of sums: the lane's four are those of row g, columns 2t and 2t + 1, and of row g + 8.
template <NumberFormat format>
__device__ inline void multiply_add(float* sums, const LeftOperand& a, const RightOperand& b) {
#if HAS_AMPERE
  if constexpr (format == NumberFormat::half) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]), "r"(b.words[1]));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]), "r"(b.words[1]));
  }
#else
  emulation::add_all_products<format>(sums, a, b);
#endif
}
