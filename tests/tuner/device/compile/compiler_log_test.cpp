// The logs are real ones, of NVRTC 13.0, g++ 12.2 and clang++ 14, and shortened.
#include "tuner/device/compile/compiler_log.h"

#include <gtest/gtest.h>

namespace warptune::tuner {
namespace {

TEST(FirstError, IsNvrtcsBehindItsWarnings) {
  EXPECT_EQ(first_error(R"log(kernel.cu(5): warning #177-D: variable "unused" was declared but never referenced
    int unused;
        ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

helper.cuh(2): error: expression must have class type but it has type "const float"
    static __device__ T load(const T* p, int i) { return p[i].x; }
                                                         ^
          detected during instantiation of "T Tile<T>::load(const T *, int) [with T=float]" at line 6 of kernel.cu

1 error detected in the compilation of "kernel.cu".
)log"),
            "helper.cuh:2: expression must have class type but it has type \"const float\"");
}

TEST(FirstError, SaysWhichArgumentsNvrtcFound) {
  EXPECT_EQ(
      first_error(R"log(shimuse.cu(5): error: no instance of overloaded function "atomicAdd" matches the argument list
            argument types are: (float *, const float *)
    atomicAdd(out, in);
    ^
Note #3326-D: function "atomicAdd(int *, int)" does not match because argument #1 does not match parameter

1 error detected in the compilation of "shimuse.cu".
)log"),
      "shimuse.cu:5: no instance of overloaded function \"atomicAdd\" matches the argument list; argument types "
      "are: (float *, const float *)");
}

TEST(FirstError, OfAHeaderOfTheToolkitIsInTheLineThatLedThere) {
  EXPECT_EQ(first_error(R"log(__nv_nvrtc_builtin_header.h(433): error: identifier "missing" is undefined
    missing();
    ^
          detected during instantiation of "T wrapper(T) [with T=float]" at line 6 of kernel.cu

1 error detected in the compilation of "kernel.cu".
)log"),
            "kernel.cu:6: identifier \"missing\" is undefined");
}

TEST(FirstError, NamesAKernelThatTheSourceLacks) {
  EXPECT_EQ(first_error(R"log(__nv_name_map(2): error: identifier "nothere" is undefined
  #pragma nv_mangled_name nothere
                          ^
)log"),
            "no such name in the source: identifier \"nothere\" is undefined");
  EXPECT_EQ(first_error("kernel name nothere: In function ‘void warptune_run_0(void**)’:\n"
                        "kernel name nothere:1:68: error: ‘nothere’ was not declared in this scope\n"),
            "no such name in the source: ‘nothere’ was not declared in this scope");
}

TEST(FirstError, IsThatOfTheUsersOwnSourceIfThereIsOne) {
  EXPECT_EQ(first_error(R"log(__nv_name_map(2): error: identifier "doubling" is undefined
  #pragma nv_mangled_name doubling
                          ^

plain.cu(3): error: identifier "undeclared_thing" is undefined
    if (i < n) out[i] = 2 * in[i] + undeclared_thing
                                    ^
)log"),
            "plain.cu:3: identifier \"undeclared_thing\" is undefined");
}

TEST(FirstError, OfGccIsNotItsWayThroughTemplates) {
  EXPECT_EQ(first_error(R"log(In file included from kernel.cu:1:
helper.cuh: In instantiation of ‘static T Tile<T>::load(const T*, int) [with T = float]’:
kernel.cu:6:46:   required from here
helper.cuh:2:61: error: request for member ‘x’ in ‘p[i]’, which is of non-class type ‘const float’
    2 |   static __device__ T load(const T* p, int i) { return p[i].x; }
      |                                                        ~~~~~^
)log"),
            "helper.cuh:2: request for member ‘x’ in ‘p[i]’, which is of non-class type ‘const float’");
}

TEST(FirstError, InTheShimIsInTheLineThatCallsIt) {
  EXPECT_EQ(
      first_error(
          R"log(warptune/math.h: In substitution of ‘template<class A, class B> max(A, B) [with A = Pair; B = int]’:
wrongcall.cu:6:16:   required from here
warptune/math.h:240:54: error: no type named ‘type’ in ‘struct warptune_host::Common<Pair, int, false>’
warptune/math.h:247:14: note: candidate: ‘float max(float, float)’
)log"),
      "wrongcall.cu:6: no type named ‘type’ in ‘struct warptune_host::Common<Pair, int, false>’");
  EXPECT_EQ(first_error(R"log(warptune/math.h:240:49: error: no type named 'type' in 'warptune_host::Common<Pair, int>'
constexpr typename warptune_host::Common<A, B>::type max(A a, B b) {
                                                ~~~~ ^
wrongcall.cu:6:13: note: in instantiation of function template specialization 'max<Pair, int>' requested here
  out[i] += max(p, 3);
            ^
)log"),
            "wrongcall.cu:6: no type named 'type' in 'warptune_host::Common<Pair, int>'");
}

TEST(FirstError, OfClangIsAfterWhatIsIncluded) {
  EXPECT_EQ(first_error(R"log(In file included from kernel.cu:1:
./helper.cuh:2:60: error: member reference base type 'const float' is not a structure or union
  static __device__ T load(const T* p, int i) { return p[i].x; }
                                                       ~~~~^~
kernel.cu:6:42: note: in instantiation of member function 'Tile<float>::load' requested here
2 errors generated.
)log"),
            "helper.cuh:2: member reference base type 'const float' is not a structure or union");
}

TEST(FirstError, MayHaveNoPlace) {
  EXPECT_EQ(first_error("ptxas error   : Entry function 'k' uses too much shared data (0x20000 bytes)\n"),
            "Entry function 'k' uses too much shared data (0x20000 bytes)");
  EXPECT_EQ(first_error("nvrtc: error: invalid value for --gpu-architecture (-arch)\n"),
            "invalid value for --gpu-architecture (-arch)");
  EXPECT_EQ(first_error("kernel.cu:2:10: fatal error: cub/cub.cuh: No such file or directory\ncompilation "
                        "terminated.\n"),
            "kernel.cu:2: cub/cub.cuh: No such file or directory");
}

TEST(FirstError, OfATextWithoutErrorsIsItsFirstLine) {
  EXPECT_EQ(first_error("\n  the compiler was killed\nmore\n"), "the compiler was killed");
  EXPECT_EQ(first_error(""), "");
  EXPECT_EQ(first_error("C:3: errors happen\n"), "C:3: errors happen");
}

TEST(MissingHeader, IsNamedOfEachCompiler) {
  EXPECT_EQ(
      missing_header("a.cu(1): catastrophic error: cannot open source file \"helper.h\"\n  #include \"helper.h\"\n"),
      "helper.h");
  EXPECT_EQ(missing_header("k/a.cu:2:10: fatal error: cub/cub.cuh: No such file or directory\n    2 | #include\n"),
            "cub/cub.cuh");
  EXPECT_EQ(missing_header("k/a.cu:2:10: fatal error: 'helper.h' file not found\n#include \"helper.h\"\n"), "helper.h");
  EXPECT_EQ(missing_header("k/a.cu:2:10: error: 'helper' was not declared in this scope\n"), "");
}

}  // namespace
}  // namespace warptune::tuner
