// A warpgroup's multiplications, for each number of columns: sums (+)= a * b with 64 rows, N columns and a depth of 16;
// a comes from registers, as a warp's 16 rows of mma.sync's, b from shared memory, in lines along the depth. Thread t
// holds of the rows 16 * (t / 32) + t % 32 / 4 and eight below, of each eight columns, numbers 2 * (t % 4) and the
// next: sums[4 * i + 2 * h + j] is row h's, column 8 * i + 2 * (t % 4) + j. Text and operands of an instruction that
// has so many registers for its result cannot come from a function: hence the macros.
#pragma once

// clang-format off
#define NAMES_10(a) "%" #a "0, %" #a "1, %" #a "2, %" #a "3, %" #a "4, %" #a "5, %" #a "6, %" #a "7, %" #a "8, %" #a "9"
#define NAMES_32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, " NAMES_10(1) ", " NAMES_10(2) ", %30, %31"
#define NAMES_64 NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, " NAMES_10(4) ", " NAMES_10(5) ", %60, %61, %62, %63"
#define NAMES_128 NAMES_64 ", %64, %65, %66, %67, %68, %69, " NAMES_10(7) ", " NAMES_10(8) ", " NAMES_10(9) ", " \
  NAMES_10(10) ", " NAMES_10(11) ", %120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS_8(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), \
  "+f"(sums[i + 4]), "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define SUMS_64(i) SUMS_32(i), SUMS_32(i + 32)
#define SUMS_128(i) SUMS_64(i), SUMS_64(i + 64)
#define MULTIPLY_AS(n, type, names, words, b_name, add_name, ...)                                                  \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " add_name ", 0;\n"                                               \
               "wgmma.mma_async.sync.aligned.m64n" n "k16.f32." type "." type " {" names "}, {" words "}, " b_name \
               ", p, 1, 1, 0;\n}"                                                                                  \
               : __VA_ARGS__                                                                                       \
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right), "r"(static_cast<int>(add))    \
               : "memory")
#define MULTIPLY(...)                            \
  if constexpr (format == NumberFormat::half) {  \
    MULTIPLY_WITH("f16", __VA_ARGS__);           \
  } else {                                       \
    MULTIPLY_WITH("bf16", __VA_ARGS__);          \
  }
#define MULTIPLY_WITH(type, n, ...) MULTIPLY_AS(n, type, __VA_ARGS__)
// clang-format on

// To `sums` if `add`, else instead of them. right: a descriptor.
__device__ inline void multiply(Pending&, float (&sums)[32], const unsigned (&left)[4], unsigned long long right,
                                bool add){
    MULTIPLY("64", NAMES_32, "%32, %33, %34, %35", "%36", "%37", SUMS_32(0))} __device__
    inline void multiply(Pending&, float (&sums)[64], const unsigned (&left)[4], unsigned long long right,
                         bool add){MULTIPLY("128", NAMES_64, "%64, %65, %66, %67", "%68", "%69", SUMS_64(0))} __device__
    inline void multiply(Pending&, float (&sums)[128], const unsigned (&left)[4], unsigned long long right, bool add) {
  MULTIPLY("256", NAMES_128, "%128, %129, %130, %131", "%132", "%133", SUMS_128(0))
}

#undef NAMES_10
#undef NAMES_32
#undef NAMES_64
#undef NAMES_128
#undef SUMS_8
#undef SUMS_32
#undef SUMS_64
#undef SUMS_128
#undef MULTIPLY
#undef MULTIPLY_AS
#undef MULTIPLY_WITH
