// The multiplication of a warpgroup, for each number of columns: sums (+)= a * b with 64 rows, N columns and 32 bytes
// along K. Thread t holds of the rows 16 * (t / 32) + t % 32 / 4 and eight below, of each eight columns, numbers 2 * (t
// % 4) and the next: sums[4 * i + 2 * h + j] is row h's, column 8 * i + 2 * (t % 4) + j. Text and operands of an
// instruction that has up to 128 registers for its result cannot come from a function: hence the macros. TF32's left
// operand comes from registers: of both rows, words t % 4 and t % 4 + 4 of the eight along K.
#pragma once

// clang-format off
#define NAMES_10(a) "%" #a "0, %" #a "1, %" #a "2, %" #a "3, %" #a "4, %" #a "5, %" #a "6, %" #a "7, %" #a "8, %" #a "9"
#define NAMES_32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, " NAMES_10(1) ", " NAMES_10(2) ", %30, %31"
#define NAMES_64 NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, " NAMES_10(4) ", " NAMES_10(5) ", %60, %61, %62, %63"
#define NAMES_128 NAMES_64 ", %64, %65, %66, %67, %68, %69, " NAMES_10(7) ", " NAMES_10(8) ", " NAMES_10(9) ", " \
  NAMES_10(10) ", " NAMES_10(11) ", %120, %121, %122, %123, %124, %125, %126, %127"
#define NAMES_96 NAMES_64 ", %64, %65, %66, %67, %68, %69, " NAMES_10(7) ", " NAMES_10(8) ", %90, %91, %92, %93, %94, %95"
#define SUMS_8(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), \
  "+f"(sums[i + 4]), "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define SUMS_64(i) SUMS_32(i), SUMS_32(i + 32)
#define SUMS_96(i) SUMS_64(i), SUMS_32(i + 64)
#define SUMS_128(i) SUMS_64(i), SUMS_64(i + 64)
#define MULTIPLY_AS(n, types, flags, names, a_name, b_name, add_name, ...)                            \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " add_name ", 0;\n"                                \
               "wgmma.mma_async.sync.aligned.m64n" n types " {" names "}, " a_name ", " b_name ", p" flags ";\n}" \
               : __VA_ARGS__ : "l"(a), "l"(b), "r"(static_cast<int>(add)) : "memory")
#define FROM_REGISTERS(n, names, a_names, b_name, add_name, ...)                                      \
  static_assert(format == Format::tf32, "wgmma of these operands");                                   \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " add_name ", 0;\n"                                \
               "wgmma.mma_async.sync.aligned.m64n" n "k8.f32.tf32.tf32 {" names "}, {" a_names "}, " b_name ", p, 1, 1;\n}" \
               : __VA_ARGS__ : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(add)) : "memory");
// The last 1 says that B's lines lie along N, which only 16-bit operands may; those of FP8 lie along K.
#define MULTIPLY(...)                                                       \
  if constexpr (format == Format::half) {                                   \
    MULTIPLY_WITH("k16.f32.f16.f16", ", 1, 1, 0, 1", __VA_ARGS__);          \
  } else if constexpr (format == Format::bfloat16) {                        \
    MULTIPLY_WITH("k16.f32.bf16.bf16", ", 1, 1, 0, 1", __VA_ARGS__);        \
  } else {                                                                  \
    static_assert(format == Format::float8_e4m3, "wgmma of these operands"); \
    MULTIPLY_WITH("k32.f32.e4m3.e4m3", ", 1, 1", __VA_ARGS__);              \
  }
#define MULTIPLY_WITH(types, flags, n, ...) MULTIPLY_AS(n, types, flags, __VA_ARGS__)
// clang-format on

// To `sums` if `add`, else instead of them. a, b: descriptors.
template <Format format>
__device__ inline void multiply(Pending&, float (&sums)[32], unsigned long long a, unsigned long long b, bool add) {
  MULTIPLY("64", NAMES_32, "%32", "%33", "%34", SUMS_32(0))
}
template <Format format>
__device__ inline void multiply(Pending&, float (&sums)[64], unsigned long long a, unsigned long long b, bool add) {
  MULTIPLY("128", NAMES_64, "%64", "%65", "%66", SUMS_64(0))
}
template <Format format>
__device__ inline void multiply(Pending&, float (&sums)[96], unsigned long long a, unsigned long long b, bool add) {
  MULTIPLY("192", NAMES_96, "%96", "%97", "%98", SUMS_96(0))
}
template <Format format>
__device__ inline void multiply(Pending&, float (&sums)[128], unsigned long long a, unsigned long long b, bool add) {
  MULTIPLY("256", NAMES_128, "%128", "%129", "%130", SUMS_128(0))
}

template <Format format>
__device__ inline void multiply(Pending&, float (&sums)[32], const unsigned (&a)[4], unsigned long long b, bool add) {
  FROM_REGISTERS("64", NAMES_32, "%32, %33, %34, %35", "%36", "%37", SUMS_32(0))
}
template <Format format>
__device__ inline void multiply(Pending&, float (&sums)[64], const unsigned (&a)[4], unsigned long long b, bool add) {
  FROM_REGISTERS("128", NAMES_64, "%64, %65, %66, %67", "%68", "%69", SUMS_64(0))
}
template <Format format>
__device__ inline void multiply(Pending&, float (&sums)[128], const unsigned (&a)[4], unsigned long long b, bool add) {
  FROM_REGISTERS("256", NAMES_128, "%128, %129, %130, %131", "%132", "%133", SUMS_128(0))
}

#undef NAMES_10
#undef NAMES_32
#undef NAMES_64
#undef NAMES_96
#undef NAMES_128
#undef SUMS_8
#undef SUMS_32
#undef SUMS_64
#undef SUMS_96
#undef SUMS_128
#undef MULTIPLY
#undef MULTIPLY_AS
#undef MULTIPLY_WITH
#undef FROM_REGISTERS
