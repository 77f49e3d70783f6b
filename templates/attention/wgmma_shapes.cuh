// A warpgroup's multiplications, for each number of columns: sums (+)= a * b with 64 rows, N columns and a depth of 16.
// Thread t holds of the rows 16 * (t / 32) + t % 32 / 4 and eight below, of each eight columns, numbers 2 * (t % 4)
// and the next: sums[4 * i + 2 * h + j] is row h's, column 8 * i + 2 * (t % 4) + j. Text and operands of an instruction
// that has so many registers for its result cannot come from a function: hence the macros.
#pragma once

// clang-format off
#define TEN(a) "%" #a "0, %" #a "1, %" #a "2, %" #a "3, %" #a "4, %" #a "5, %" #a "6, %" #a "7, %" #a "8, %" #a "9"
#define NAMES_30 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, " TEN(1) ", " TEN(2)
#define NAMES_32 NAMES_30 ", %30, %31"
#define NAMES_40 NAMES_30 ", " TEN(3)
#define NAMES_48 NAMES_40 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define NAMES_60 NAMES_40 ", " TEN(4) ", " TEN(5)
#define NAMES_64 NAMES_60 ", %60, %61, %62, %63"
#define NAMES_80 NAMES_60 ", " TEN(6) ", " TEN(7)
#define NAMES_88 NAMES_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define NAMES_96 NAMES_80 ", " TEN(8) ", %90, %91, %92, %93, %94, %95"
#define NAMES_112 NAMES_80 ", " TEN(8) ", " TEN(9) ", " TEN(10) ", %110, %111"
#define SUMS_8(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), \
  "+f"(sums[i + 4]), "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define SUMS_16(i) SUMS_8(i), SUMS_8(i + 8)
#define SUMS_32(i) SUMS_16(i), SUMS_16(i + 16)
#define SUMS_64(i) SUMS_32(i), SUMS_32(i + 32)
#define SUMS_40 SUMS_32(0), SUMS_8(32)
#define SUMS_48 SUMS_32(0), SUMS_16(32)
#define SUMS_80 SUMS_64(0), SUMS_16(64)
#define SUMS_88 SUMS_80, SUMS_8(80)
#define SUMS_96 SUMS_64(0), SUMS_32(64)
#define SUMS_112 SUMS_96, SUMS_16(96)
#define MULTIPLY(n, type, names, rest, add_name, ...)                                                           \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " add_name ", 0;\n"                                            \
               "wgmma.mma_async.sync.aligned.m64n" n "k16.f32." type "." type " {" names "}, " rest ";\n}"      \
               : __VA_ARGS__ : "memory")
// Both operands are in shared memory, in lines along the depth (the two zeros at the end).
#define FROM_SHARED(count, n, names, a, b, add_name, sums_of_thread)                                              \
  template <NumberFormat format>                                                                                  \
  __device__ inline void multiply(Pending&, float (&sums)[count], unsigned long long left,                        \
                                  unsigned long long right, bool add) {                                           \
    if constexpr (format == NumberFormat::half) {                                                                 \
      MULTIPLY(n, "f16", names, a ", " b ", p, 1, 1, 0, 0", add_name, sums_of_thread                              \
               : "l"(left), "l"(right), "r"(static_cast<int>(add)));                                              \
    } else {                                                                                                      \
      MULTIPLY(n, "bf16", names, a ", " b ", p, 1, 1, 0, 0", add_name, sums_of_thread                             \
               : "l"(left), "l"(right), "r"(static_cast<int>(add)));                                              \
    }                                                                                                             \
  }
// The left operand is in registers, as a warp's 16 rows of mma.sync's; the right one's lines are along its columns.
#define FROM_REGISTERS(count, n, names, words, b, add_name, sums_of_thread)                                       \
  template <NumberFormat format>                                                                                  \
  __device__ inline void multiply(Pending&, float (&sums)[count], const unsigned (&left)[4],                      \
                                  unsigned long long right, bool add) {                                           \
    if constexpr (format == NumberFormat::half) {                                                                 \
      MULTIPLY(n, "f16", names, "{" words "}, " b ", p, 1, 1, 1", add_name, sums_of_thread                        \
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right),                              \
                 "r"(static_cast<int>(add)));                                                                     \
    } else {                                                                                                      \
      MULTIPLY(n, "bf16", names, "{" words "}, " b ", p, 1, 1, 1", add_name, sums_of_thread                       \
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right),                              \
                 "r"(static_cast<int>(add)));                                                                     \
    }                                                                                                             \
  }

FROM_SHARED(32, "64", NAMES_32, "%32", "%33", "%34", SUMS_32(0))
FROM_SHARED(40, "80", NAMES_40, "%40", "%41", "%42", SUMS_40)
FROM_SHARED(48, "96", NAMES_48, "%48", "%49", "%50", SUMS_48)
FROM_SHARED(64, "128", NAMES_64, "%64", "%65", "%66", SUMS_64(0))
FROM_SHARED(80, "160", NAMES_80, "%80", "%81", "%82", SUMS_80)
FROM_SHARED(88, "176", NAMES_88, "%88", "%89", "%90", SUMS_88)
FROM_SHARED(96, "192", NAMES_96, "%96", "%97", "%98", SUMS_96)
FROM_SHARED(112, "224", NAMES_112, "%112", "%113", "%114", SUMS_112)
FROM_REGISTERS(32, "64", NAMES_32, "%32, %33, %34, %35", "%36", "%37", SUMS_32(0))
FROM_REGISTERS(64, "128", NAMES_64, "%64, %65, %66, %67", "%68", "%69", SUMS_64(0))
// clang-format on

#undef TEN
#undef NAMES_30
#undef NAMES_32
#undef NAMES_40
#undef NAMES_48
#undef NAMES_60
#undef NAMES_64
#undef NAMES_80
#undef NAMES_88
#undef NAMES_96
#undef NAMES_112
#undef SUMS_8
#undef SUMS_16
#undef SUMS_32
#undef SUMS_64
#undef SUMS_40
#undef SUMS_48
#undef SUMS_80
#undef SUMS_88
#undef SUMS_96
#undef SUMS_112
#undef MULTIPLY
#undef FROM_SHARED
#undef FROM_REGISTERS
