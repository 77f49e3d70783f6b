// Multiplications of tensor cores by warps, with half or bfloat16 operands and sums of floats (mma.sync.m16n8k16), and
// matrices from shared memory to registers (ldmatrix).
//
//   unsigned words[4];
//   load_matrices<false>(words, tile + place);         // a 16 x 16 fragment; each lane points to a row of 16 bytes
//   constexpr NumberFormat format = NumberFormat::half;
//   const LeftOperand<format> a = left_operand<format>(words);
//   multiply_add<format>(sums, a, right_operand<format>(upper, lower));
//
// All lanes of a warp call together. With g = lane / 4 and t = lane % 4 a lane has
//
//   of the left operand, 16 x 16: two neighbours from column 2t on, of rows g and g + 8 in words 0 and 1, and eight
//   columns to the right in words 2 and 3;
//   of the right one, 16 x 8: of column g the rows 2t and 2t + 1 in one word, and those eight below in the other;
//   of the sums, 16 x 8: those of row g, columns 2t and 2t + 1, and of row g + 8.
//
// So the sums of two products side by side are, rounded, the left operand of another product. On the host, and where an
// architecture lacks them (bfloat16 below compute capability 8.0, half below 7.5), mma16_emulation.cuh computes the
// same by shuffles. Source: PTX ISA, "Matrix Fragments for mma.m16n8k16" and "ldmatrix".
#pragma once

#include <warptune/device/mma16_emulation.cuh>
#include <warptune/device/numbers16.cuh>

namespace warptune::device {

// The compute capability that this is compiled for, times 100; 0 on the host.
#if defined(__CUDA_ARCH__)
constexpr int mma_architecture = __CUDA_ARCH__;
#else
constexpr int mma_architecture = 0;
#endif

// Whether tensor cores multiply this format.
template <NumberFormat Format>
constexpr bool has_mma16 = mma_architecture >= (Format == NumberFormat::half ? 750 : 800);

// What a lane gives to a multiplication: its words of a fragment, or what an emulated one collects from other lanes.
template <int Count, bool Native>
struct Mma16Operand {
  unsigned words[Count];
};
template <int Count>
struct Mma16Operand<Count, false> : emulated_mma16::Operand {};

template <NumberFormat Format>
using LeftOperand = Mma16Operand<4, has_mma16<Format>>;
template <NumberFormat Format>
using RightOperand = Mma16Operand<2, has_mma16<Format>>;

template <NumberFormat Format>
__device__ inline LeftOperand<Format> left_operand(const unsigned (&words)[4]) {
  if constexpr (has_mma16<Format>) {
    return {{words[0], words[1], words[2], words[3]}};
  } else {
    return {emulated_mma16::left_operand<Format>(words)};
  }
}

template <NumberFormat Format>
__device__ inline RightOperand<Format> right_operand(unsigned upper, unsigned lower) {
  if constexpr (has_mma16<Format>) {
    return {{upper, lower}};
  } else {
    return {emulated_mma16::right_operand<Format>(upper, lower)};
  }
}

// sums[0] to sums[3] += a * b.
template <NumberFormat Format>
__device__ inline void multiply_add(float* sums, const LeftOperand<Format>& a, const RightOperand<Format>& b) {
  if constexpr (!has_mma16<Format>) {
    emulated_mma16::add_all_products(sums, a, b);
    return;
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (Format == NumberFormat::half) {
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
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
  if constexpr (has_mma16<Format>) {  // half the depth
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
          : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
          : "r"(a.words[2 * i]), "r"(a.words[2 * i + 1]), "r"(b.words[i]));
    }
  }
#endif
}

// Four 8 x 8 matrices of 16-bit elements from shared memory: lane 8 * i + r gives the address of row r of matrix i, a
// multiple of 16, and each lane gets in words[i] the elements 2t and 2t + 1 of row g of matrix i; transposed, of its
// column g.
template <bool Transposed>
__device__ inline void load_matrices(unsigned (&words)[4], const void* row) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
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
  emulated_mma16::load_matrices<Transposed>(words, row);
#endif
}

// Two numbers, rounded to the nearest, in one word; `low` in its lower half.
template <NumberFormat Format>
__device__ inline unsigned rounded_pair(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned word;
  if constexpr (Format == NumberFormat::half) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  }
  return word;
#else
  return from_float<Format>(low) | static_cast<unsigned>(from_float<Format>(high)) << 16;
#endif
}

}  // namespace warptune::device
