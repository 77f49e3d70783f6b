// The instructions that C++ has no word for, each as a function: asynchronous copies, matrices from shared memory,
// TF32's rounding, and the multiplication. Where an architecture lacks one, or on the host, emulation.cuh takes its
// place.
#pragma once

#include <warptune/device/async_copy.cuh>

#include "emulation.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HAS_AMPERE 1
#else
#define HAS_AMPERE 0
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
#define HAS_TURING 1
#else
#define HAS_TURING 0
#endif

// Shared memory is addressed by 32-bit numbers of its own, half as many registers and additions as pointers.
#if HAS_TURING
using SharedAddress = unsigned;
__device__ inline SharedAddress shared_address(void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ inline void* shared_pointer(SharedAddress address) {
  return __cvta_shared_to_generic(address);
}
#else
using SharedAddress = char*;
__device__ inline SharedAddress shared_address(void* pointer) {
  return static_cast<char*>(pointer);
}
__device__ inline void* shared_pointer(SharedAddress address) {
  return address;
}
#endif

using warptune::device::commit_copies;
using warptune::device::wait_for_copies;

__device__ inline unsigned load_shared(SharedAddress address) {
  return *static_cast<const unsigned*>(shared_pointer(address));
}

template <int Bytes>
__device__ inline void copy_now(SharedAddress target, const void* source, bool inside) {
  using Unit = typename warptune::device::WordOf<Bytes>::type;
  *static_cast<Unit*>(shared_pointer(target)) = inside ? *static_cast<const Unit*>(source) : Unit{};
}

// Starts copying 2, 4, 8 or 16 aligned bytes to shared memory, or zeros if they lie outside the matrix. Only copies of
// 16 bypass the L1 cache, and none is asynchronous for 2.
template <int Bytes>
__device__ inline void copy_async(SharedAddress target, const void* source, bool inside) {
#if HAS_AMPERE
  const int bytes = inside ? Bytes : 0;
  if constexpr (Bytes == 16 && L2_PREFETCH == 128) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes)
                 : "memory");
  } else if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes) : "memory");
  } else if constexpr (Bytes >= 4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(source), "n"(Bytes), "r"(bytes)
                 : "memory");
  } else {
    copy_now<Bytes>(target, source, inside);
  }
#else
  copy_now<Bytes>(target, source, inside);
#endif
}

// Four 8 x 8 matrices of 16-bit elements: lane 8 * i + r gives the address of row r of matrix i, and lane l gets in
// words[i] the elements 2 * (l % 4) and the next of row l / 4 of matrix i; transposed, of its column l / 4.
template <bool Transposed>
__device__ inline void load_matrices(unsigned (&words)[4], SharedAddress row) {
#if HAS_TURING
  if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(row)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(row)
                 : "memory");
  }
#else
  emulation::load_matrices<Transposed>(words, row);
#endif
}

// To the nearest TF32, ties away from zero.
__device__ inline unsigned round_to_tf32(unsigned bits) {
#if HAS_AMPERE
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
  return rounded;
#else
  return emulation::round_to_tf32(bits);
#endif
}

// Two floats, each rounded to the format's 16 bits; the first is the word's lower half. Rectified: zero instead of
// less.
template <Format format, bool Rectified = false>
__device__ inline unsigned packed(float first, float second) {
#if HAS_AMPERE
  unsigned word;
  if constexpr (Rectified && format == Format::half) {
    asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
  } else if constexpr (Rectified) {
    asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
  } else if constexpr (format == Format::half) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
  }
  return word;
#else
  if (Rectified) first = fmaxf(first, 0.0f), second = fmaxf(second, 0.0f);
  return bits_of_value<format>(first) | static_cast<unsigned>(bits_of_value<format>(second)) << 16;
#endif
}

// Whether the architecture multiplies this format.
template <Format format>
constexpr bool multiplies = HAS_AMPERE || (HAS_TURING && format == Format::half);

// What a lane gives to a multiplication: its words of a fragment, or what an emulated one collects from other lanes.
template <int Count, bool Native>
struct OperandOf {
  struct type {
    unsigned words[Count];
  };
};
template <int Count>
struct OperandOf<Count, false> {
  using type = emulation::Operand;
};
template <Format format>
using LeftOperand = typename OperandOf<4, multiplies<format>>::type;
template <Format format>
using RightOperand = typename OperandOf<2, multiplies<format>>::type;

// Of a 16 x 32-byte fragment of A. Lane l holds, with g = l / 4 and t = l % 4, in words 0 and 1 four bytes of rows g
// and g + 8, from byte 4t on, in words 2 and 3 those from byte 16 + 4t on.
template <Format format>
__device__ inline LeftOperand<format> left_operand(const unsigned (&words)[4]) {
  if constexpr (multiplies<format>) {
    return {{words[0], words[1], words[2], words[3]}};
  } else {
    return emulation::left_operand(words);
  }
}

// Of a 32-byte x 8 fragment of B: of column g the bytes from 4t and from 16 + 4t on.
template <Format format>
__device__ inline RightOperand<format> right_operand(const unsigned (&words)[2]) {
  if constexpr (multiplies<format>) {
    return {{words[0], words[1]}};
  } else {
    return emulation::right_operand(words);
  }
}

// sums += a * b for a 16 x 8 tile of sums: lane l holds those of row g, columns 2t and 2t + 1, and of row g + 8.
template <Format format>
__device__ inline void multiply_add(float (&sums)[4], const LeftOperand<format>& a, const RightOperand<format>& b) {
  if constexpr (!multiplies<format>) {
    emulation::add_all_products<format>(sums, a, b);
    return;
  }
#if HAS_AMPERE
  if constexpr (format == Format::half) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]), "r"(b.words[1]));
  } else if constexpr (format == Format::bfloat16) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]), "r"(b.words[1]));
  } else {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b.words[0]), "r"(b.words[1]));
  }
#elif HAS_TURING
  if constexpr (multiplies<format>) {  // half the depth
    for (int i = 0; i < 2; ++i) {
      asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
          : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
          : "r"(a.words[2 * i]), "r"(a.words[2 * i + 1]), "r"(b.words[i]));
    }
  }
#endif
}
