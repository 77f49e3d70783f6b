// The language around the execution model: vector types, mathematics, intrinsics, headers. The device code checks
// itself and reports the number of the first line that does not hold.
#include "tests/tuner/device/backends/host/host_fixture.h"

namespace warptune::tuner::host {
namespace {

// Runs `body`, in which CHECK(condition) may be used; 0 or the body's line whose check failed.
int first_failed_line(const std::string& declarations, const std::string& body) {
  auto module = build(request(declarations +
                                  "\n#define CHECK(c) if (!(c)) { *out = __LINE__; return; }\n"
                                  "__global__ void check(int* out) {\n#line 1\n" +
                                  body + "}\n",
                              {"check"}));
  Buffer<int> out(1);
  launch(*module, "check", {}, out.get());
  return out.read()[0];
}

TEST(HostLanguage, VectorTypesHaveCudasSizesAndAlignment) {
  EXPECT_EQ(first_failed_line("", R"(CHECK(sizeof(float3) == 12 && alignof(float3) == 4)
    CHECK(sizeof(float4) == 16 && alignof(float4) == 16 && alignof(float2) == 8)
    CHECK(sizeof(double2) == 16 && alignof(double2) == 16 && sizeof(double4) == 32)
    CHECK(alignof(char4) == 4 && alignof(uchar2) == 2 && alignof(short4) == 8 && alignof(ushort2) == 4)
    CHECK(alignof(int4) == 16 && sizeof(uint3) == 12 && alignof(uint4) == 16 && sizeof(longlong3) == 24)
    CHECK(sizeof(ulonglong2) == 16 && sizeof(char3) == 3 && sizeof(int1) == 4)
    const float4 v = make_float4(1, 2, 3, 4); CHECK(v.x + v.y + v.z + v.w == 10)
    const uint2 u = make_uint2(1, 2); const uint3 w = make_uint3(1, 2, 3); CHECK(u.y + w.z == 5)
    const dim3 d(4, 5); CHECK(d.x * d.y * d.z == 20) const dim3 e = threadIdx; CHECK(e.x == 0)
    float data[8] = {0, 1, 2, 3, 4, 5, 6, 7}; float4 q; __builtin_memcpy(&q, data + 4, 16); CHECK(q.w == 7)
    const int2 i = {7, 8}; CHECK(i.x == 7) CHECK(make_double3(1, 2, 3).z == 3 && make_longlong4(1, 2, 3, 4).w == 4)
  )"),
            0);
}

const char* const kMathematics = R"(
    const float x = 0.5f; const double y = 0.5;
    CHECK(sizeof(sin(x)) == 4 && sizeof(sin(y)) == 8 && sizeof(pow(x, x)) == 4 && sizeof(sqrt(2)) == 8)
    CHECK(sqrtf(4) == 2 && sqrt(9.0) == 3 && rsqrtf(4) == 0.5f && rsqrt(4.0) == 0.5 && cbrtf(8) == 2)
    CHECK(fabsf(sinf(x) * sinf(x) + cosf(x) * cosf(x) - 1) < 1e-6f && fabs(tanh(y) - 0.46211715726) < 1e-9)
    CHECK(fmaf(2, 3, 4) == 10 && fma(2.0, 3.0, 4.0) == 10 && fma(x, x, x) == 0.75f)
    CHECK(fminf(1, NAN) == 1 && fmaxf(NAN, 2) == 2 && fmin(1.0, 2.0) == 1 && max(1.0f, NAN) == 1)
    CHECK(max(3, 4u) == 4 && sizeof(max(1, 2ll)) == 8 && min(-1, 1) == -1 && max(2.5f, 1) == 2.5f && min(1.5, 2.0f) == 1.5)
    CHECK(max(-1, 0u) == 0xffffffffu && min(2ul, 3ul) == 2 && max((short)1, (short)2) == 2)
    CHECK(abs(-3) == 3 && abs(-2.5f) == 2.5f && abs(-2.5) == 2.5 && abs(-3ll) == 3 && fabs(-x) == x)
    CHECK(floorf(-1.5f) == -2 && ceil(1.2) == 2 && truncf(-1.7f) == -1 && roundf(2.5f) == 3 && rintf(2.5f) == 2)
    CHECK(isinf(INFINITY) && isnan(NAN) && isfinite(1.0f) && !isnan(1.0) && signbit(-1.0f) && copysignf(2, -1) == -2)
    CHECK(fmodf(7, 4) == 3 && ldexpf(1, 4) == 16 && exp2f(3) == 8 && log2f(8) == 3 && exp10f(2) > 99.99f && hypotf(3, 4) == 5)
    float s, c; sincosf(x, &s, &c); CHECK(s == sinf(x) && c == cosf(x)) CHECK(fabsf(erff(x) - 0.5204999f) < 1e-6f)
    int n; CHECK(frexpf(8, &n) == 0.5f && n == 4) CHECK(lroundf(2.5f) == 3 && llrint(3.5) == 4 && atan2f(0, 1) == 0)
    CHECK(M_PI > 3.14 && M_PI < 3.15 && norm3df(2, 3, 6) == 7 && fabsf(sinpif(0.5f) - 1) < 1e-6f && fdimf(3, 1) == 2)
)";

TEST(HostLanguage, MathematicsHasCudasOverloads) {
  EXPECT_EQ(first_failed_line("", kMathematics), 0);
}

TEST(HostLanguage, MathematicsAgreesWithTheStandardLibrarysHeaders) {
  EXPECT_EQ(first_failed_line(
                R"(
    #include <cuda_runtime.h>
    #include <cmath>
    #include <algorithm>
    #include <chrono>
    #include <cstdlib>
    #include <ctime>
    #include <type_traits>
    __device__ float twice(float x) { return std::max(x, std::sqrt(x * x)) * 2; }
  )",
                std::string("const clock_t t = clock(); CHECK(twice(2) == 4 && clock() - t >= 0)") + kMathematics),
            0);
}

TEST(HostLanguage, LightHeadersAndConstantsNeedNoStandardMathematics) {
  EXPECT_EQ(first_failed_line(R"(
    #include <cuda_runtime.h>
    #include <cstdint>
    #include <cstddef>
    #include <type_traits>
    #include <limits>
    #include <cassert>
    static_assert(std::is_same<std::int32_t, int>::value, "");
  )",
                              R"(CHECK(std::numeric_limits<float>::max() == FLT_MAX && INT_MAX == 2147483647)
    CHECK(DBL_EPSILON < FLT_EPSILON && UINT_MAX == 0xffffffffu && LLONG_MAX > INT_MAX && FLT_MIN > 0)
    CHECK(sizeof(uint8_t) == 1 && sizeof(size_t) == 8 && int64_t(1) << 40 > 0)
    assert(out != nullptr);
    if (*out == 12345) printf("never %d\n", *out);
  )"),
            0);
}

TEST(HostLanguage, IntrinsicsComputeWhatTheGpuDoes) {
  EXPECT_EQ(first_failed_line("", R"(
    CHECK(__popc(0xf0) == 4 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63)
    CHECK(__ffs(8) == 4 && __ffs(0) == 0 && __ffsll(1ll << 40) == 41 && __brev(1) == 0x80000000u && __brevll(2) == 1ull << 62)
    CHECK(__mul24(-3, 5) == -15 && __umul24(0x1000003, 2) == 6 && __umulhi(1u << 31, 4) == 2 && __mulhi(-1, 1) == -1)
    CHECK(__umul64hi(1ull << 63, 4) == 2 && __mul64hi(-1, 1) == -1 && __byte_perm(0x33221100, 0x77665544, 0x7410) == 0x77441100)
    CHECK(__funnelshift_l(0x80000000u, 1, 1) == 3 && __funnelshift_r(0x80000000u, 1, 31) == 3 && __funnelshift_l(1, 2, 0) == 2)
    CHECK(__sad(-2, 3, 1) == 6u && __hadd(3, 4) == 3 && __rhadd(3, 4) == 4 && __dp4a(0x01020304, 0x01010101, 5) == 15)
    CHECK(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2 && __float_as_uint(-0.0f) == 0x80000000u)
    CHECK(__double_as_longlong(1.0) == 0x3ff0000000000000ll && __hiloint2double(0x3ff00000, 0) == 1.0)
    CHECK(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.7f) == -2 && __float2int_rd(-2.1f) == -3 && __float2int_ru(2.1f) == 3)
    CHECK(__float2int_rz(1e20f) == INT_MAX && __float2int_rz(NAN) == 0 && __float2uint_rz(-5.0f) == 0 && __double2ll_rn(1e9) == 1000000000)
    CHECK(__int2float_rn(7) == 7.0f && __uint2double_rn(~0u) == 4294967295.0 && __double2float_rn(0.5) == 0.5f)
    CHECK(__expf(0) == 1 && __logf(1) == 0 && __sinf(0) == 0 && __cosf(0) == 1 && __powf(2, 3) == 8 && __fdividef(1, 4) == 0.25f)
    CHECK(__frcp_rn(4) == 0.25f && __fmaf_rn(2, 3, 1) == 7 && __fsqrt_rn(16) == 4 && __fadd_rn(1, 2) == 3 && __fmul_rn(2, 3) == 6)
    CHECK(__saturatef(2) == 1 && __saturatef(-1) == 0 && __saturatef(NAN) == 0 && __dadd_rn(1, 2) == 3 && __frsqrt_rn(4) == 0.5f)
    const float a = 1 + FLT_EPSILON; CHECK(__fsub_rn(__fmul_rn(a, a), 1 + 2 * FLT_EPSILON) == 0)
    float store[4] = {1, 2, 3, 4}; CHECK(__ldg(store + 1) == 2 && __ldcs(store) == 1 && __ldcg(store + 2) == 3)
    float4 v = make_float4(0, 0, 0, 9); float4 w; __stcs(&w, v); CHECK(__ldg(&w).w == 9) __stcg(store, 5); CHECK(store[0] == 5)
    const long long t = clock64(); CHECK(clock64() >= t) __threadfence(); __threadfence_block(); __threadfence_system();
  )"),
            0);
}

TEST(HostLanguage, SimdIntrinsicsComputeLaneByLane) {
  EXPECT_EQ(first_failed_line("", R"(
    CHECK(__vadd4(0xff01ff01, 0x01010101) == 0x00020002 && __vadd2(0xffff0001, 0x00010001) == 0x00000002 && __vsub4(0, 0x01020304) == 0xfffefdfc)
    CHECK(__vaddss4(0x7f80007f, 0x01ff0101) == 0x7f80017f && __vaddus2(0xffff0001, 0x00020001) == 0xffff0002 && __vsubus4(0x01020304, 0x02020202) == 0x00000102)
    CHECK(__vsubss2(0x80000000, 0x00010001) == 0x8000ffff && __vavgu4(0x01020304, 0x02020202) == 0x02020303 && __vhaddu4(0x01020304, 0x02020202) == 0x01020203)
    CHECK(__vavgs4(0x01fffe7f, 0x0200017f) == 0x02ffff7f && __vavgs2(0xfffffffd, 0x0000fffe) == 0xfffffffd)
    CHECK(__vmaxs4(0xff01807f, 0x00ff7f80) == 0x00017f7f && __vmaxu4(0xff01807f, 0x00ff7f80) == 0xffff8080 && __vmins2(0xffff0001, 0x00010000) == 0xffff0000)
    CHECK(__vminu2(0xffff0001, 0x00010000) == 0x00010000 && __vneg4(0x0001ff80) == 0x00ff0180 && __vnegss4(0x0001ff80) == 0x00ff017f && __vabs2(0x8000ffff) == 0x80000001)
    CHECK(__vabsss2(0x8000ffff) == 0x7fff0001 && __vabsdiffs4(0xff000000, 0x01000000) == 0x02000000 && __vabsdiffu4(0xff000000, 0x01000000) == 0xfe000000)
    CHECK(__vsadu4(0x01020304, 0x04030201) == 8 && __vsads4(0xff000000, 0x01000001) == 3 && __vsadu2(0x00050001, 0x00010002) == 5 && __vsads2(0xffff0000, 0x00010000) == 2)
    CHECK(__vcmpeq4(0x01020304, 0x01000300) == 0xff00ff00 && __vcmpne2(0x00010002, 0x00010003) == 0xffff && __vcmplts4(0xff000000, 0) == 0xff000000 && __vcmpltu4(0xff000000, 0) == 0)
    CHECK(__vsetges2(0xffff0001, 0) == 1 && __vsetgeu2(0xffff0001, 0) == 0x00010001 && __vsetgtu4(0x02000200, 0x01010101) == 0x01000100 && __vcmpleu2(1, 1) == ~0u)
    CHECK(__dp4a(0xff000000u, 0x02000000u, 1u) == 511 && __dp4a((int)0xff000000, 0x02000000, 1) == -1 && __dp4a(char4{1, -2, 3, 4}, char4{1, 1, 1, 2}, 0) == 10)
    CHECK(__dp2a_lo(0x0002ffff, 0x01020304, 0) == -4 + 2 * 3 && __dp2a_hi(0x00020001, 0x01020304, 0) == 2 + 2 && __dp2a_lo(0x0001ffffu, 0x00000201u, 0u) == 65537u)
    CHECK(__funnelshift_lc(1, 2, 40) == 1 && __funnelshift_rc(1, 2, 32) == 2 && __funnelshift_lc(0x80000000u, 1, 1) == 3 && __uhadd(~0u, 1) == 0x80000000u && __urhadd(~0u, 0) == 0x80000000u)
    CHECK(__fns(0x36, 0, 1) == 1 && __fns(0x36, 0, 3) == 4 && __fns(0x36, 4, -2) == 2 && __fns(0x36, 3, 0) == ~0u && __fns(0x36, 5, 2) == ~0u)
  )"),
            0);
}

// Each result lies beside the exact one on the side that its name says; where it is exact, all four are one.
TEST(HostLanguage, RoundedIntrinsicsRoundAsTheirNamesSay) {
  EXPECT_EQ(first_failed_line("", R"(
    const float third = 1.0f / 3, tiny = 1e-30f, one = 1.0f; const double dtiny = 1e-30, done = 1.0;
    CHECK(__fadd_rd(one, -tiny) == 0x1.fffffep-1f && __fadd_ru(one, -tiny) == 1 && __fadd_rz(one, -tiny) == 0x1.fffffep-1f && __fadd_rn(one, -tiny) == 1)
    CHECK(__fadd_rd(-one, -tiny) == -0x1.000002p+0f && __fadd_ru(-one, -tiny) == -1 && __fadd_rz(-one, -tiny) == -1 && __fsub_ru(one, -tiny) == 0x1.000002p+0f)
    CHECK(__fmul_rd(third, 3) < __fmul_ru(third, 3) && __fmul_rd(2, 3) == 6 && __fmul_ru(2, 3) == 6 && __fmul_rz(-third, 3) == -__fmul_rd(third, 3))
    CHECK(__fdiv_rd(1, 3) < __fdiv_ru(1, 3) && __fdiv_rz(-1, 3) == -__fdiv_rd(1, 3) && __frcp_ru(3) == __fdiv_ru(1, 3) && __frcp_rz(4) == 0.25f)
    CHECK(__fsqrt_rd(2) < __fsqrt_ru(2) && __fsqrt_rz(2) == __fsqrt_rd(2) && __fsqrt_ru(9) == 3 && __fmaf_rd(one, one, -tiny) < 1 && __fmaf_ru(one, one, tiny) > 1)
    CHECK(__fmaf_ieee_rz(one, one, -tiny) < 1 && __fadd_rz(FLT_MAX, FLT_MAX) == FLT_MAX && __fadd_ru(FLT_MAX, FLT_MAX) == INFINITY && __fadd_rd(-FLT_MAX, -FLT_MAX) == -INFINITY)
    CHECK(__dadd_rd(done, -dtiny) < 1 && __dadd_ru(done, -dtiny) == 1 && __dsub_rz(done, dtiny) < 1 && __dmul_ru(0.1, 10) > __dmul_rd(0.1, 10) && __ddiv_rd(1, 3) < __ddiv_ru(1, 3))
    CHECK(__dsqrt_rd(2) < __dsqrt_ru(2) && __drcp_rz(3) == __ddiv_rd(1, 3) && __fma_ru(done, done, dtiny) > 1 && __fma_rd(done, done, dtiny) == 1 && __fma_rz(done, done, -dtiny) < 1)
    CHECK(__double2float_rd(0.1) < __double2float_ru(0.1) && __double2float_rz(-0.1) == __double2float_ru(-0.1) && __int2float_rd(16777217) == 16777216 && __int2float_ru(16777217) == 16777218)
    CHECK(__uint2float_rz(0xffffffffu) == 4294967040.0f && __ll2float_ru(-16777217) == -16777216 && __ull2float_rd(~0ull) == 0x1.fffffep+63f && __ull2double_ru(~0ull) == 0x1p+64)
    CHECK(__ll2double_rz((1ll << 53) + 1) == 0x1p+53 && __ll2double_ru((1ll << 53) + 1) == 0x1p+53 + 2 && __fadd_rn(one, -tiny) == 1 && one / 3 == third)
    CHECK(__float2ll_rd(-1.5f) == -2 && __float2ll_ru(-1.5f) == -1 && __float2ull_rn(2.5f) == 2 && __double2ull_rz(1e30) == ~0ull && __double2ull_ru(0.1) == 1 && __double2ll_rd(-0.1) == -1)
    CHECK(__float2ll_rz(NAN) == LLONG_MIN && __double2int_rz(NAN) == INT_MIN && __float2int_rz(NAN) == 0 && __float2ull_rz(NAN) == 1ull << 63)
    for (int i = 1; i < 200; ++i) { const float x = 0.37f * i; const double exact = 1 / sqrt((double)x); CHECK(fabs(__frsqrt_rn(x) - exact) <= 0x1p-24 * exact) }
  )"),
            0);
}

// Values from tables (Abramowitz and Stegun; the standard normal distribution's).
TEST(HostLanguage, SpecialFunctionsAndScopedAtomicsAreThere) {
  EXPECT_EQ(first_failed_line("__device__ bool near(double a, double b) { return fabs(a - b) <= 2e-14 * fabs(b); }", R"(
    CHECK(near(erfinv(0.5), 0.47693627620446987338) && near(erfcinv(0.1), 1.1630871536766740867) && near(erfcinv(1e-100), 15.065574702592645) && near(erfinv(-0.99), -1.8213863677184494))
    CHECK(near(normcdf(1.0), 0.84134474606854292578) && near(normcdfinv(0.975), 1.9599639845400542355) && near(erfcx(0.5), 0.61569034419292587487) && near(erfcx(30.0), 0.018795888861416751))
    CHECK(near(cyl_bessel_i0(1.0), 1.2660658777520083356) && near(cyl_bessel_i1(1.0), 0.56515910399248502721) && near(j0(1.0), 0.76519768655796655145) && erfinv(1.0) == INFINITY && isnan(erfcinv(3.0)))
    CHECK(fabsf(erfcinvf(0.1f) - 1.1630871f) < 2e-7f && normcdff(0) == 0.5f && norm4df(1, 1, 1, 1) == 2 && rnorm3df(2, 3, 6) == 1.0f / 7 && scalbnf(1, 3) == 8 && umax(1u, 2u) == 2)
    for (double x = 0.001; x < 2; x += 0.0371) CHECK(fabs(erfc(erfcinv(x)) - x) < 2e-15 && fabs(normcdfinv(normcdf(x)) - x) < 2e-14)
    __shared__ int n[1]; __shared__ float2 v[1]; n[0] = 1; v[0] = make_float2(1, 2);
    CHECK(atomicAdd_block(n, 2) == 1 && atomicMax_system(n, 9) == 3 && atomicCAS_block(n, 9, 5) == 9 && n[0] == 5 && atomicAdd(v, make_float2(3, 4)).y == 2 && v[0].y == 6)
    __builtin_assume(n[0] > 0); __prof_trigger(1); CHECK(*(int*)__cvta_shared_to_generic(__cvta_generic_to_shared(n)) == 5)
  )"),
            0);
}

TEST(HostLanguage, ComplexNumbersAreThere) {
  EXPECT_EQ(first_failed_line("#include <cuComplex.h>", R"(const cuFloatComplex a = make_cuComplex(1, 2);
    const cuFloatComplex b = make_cuFloatComplex(3, -1), p = cuCmulf(a, b), q = cuCdivf(p, b);
    CHECK(cuCrealf(p) == 5 && cuCimagf(p) == 5 && fabsf(q.x - 1) < 1e-6f && fabsf(q.y - 2) < 1e-6f)
    CHECK(cuCaddf(a, b).x == 4 && cuCsubf(a, b).y == 3 && cuConjf(a).y == -2 && cuCfmaf(a, b, a).y == 7)
    const cuDoubleComplex d = cuComplexFloatToDouble(a), e = make_cuDoubleComplex(3e300, 4e300);
    CHECK(cuCabs(e) > 4.99e300 && cuCabs(e) < 5.01e300 && cuCabs(make_cuDoubleComplex(0, 0)) == 0)
    CHECK(cuCreal(cuCmul(d, d)) == -3 && cuCimag(cuCadd(d, d)) == 4 && cuComplexDoubleToFloat(d).y == 2)
    CHECK(cuCabsf(make_cuFloatComplex(INFINITY, 1)) == INFINITY)
  )"),
            0);
}

// libstdc++ and others write __attribute__((__noinline__)).
TEST(HostLanguage, NoinlineIsAQualifierAndAnAttribute) {
  auto module = build(request(R"(
    #include <memory>
    #include <regex>
    __device__ __noinline__ int qualified(int x) { return x + 1; }
    __attribute__((__noinline__)) static int attributed(int x) { return x + 2; }
    __attribute__((__noinline__, unused)) static int listed(int x) { return x + 3; }
    __global__ void both(int* out) { *out = qualified(attributed(listed(0))); }
  )",
                              {"both"}));
  Buffer<int> out(1);
  launch(*module, "both", {}, out.get());
  EXPECT_EQ(out.read()[0], 6);
}

TEST(HostLanguage, KernelsAllocateWithoutAHeader) {
  EXPECT_EQ(first_failed_line("", R"(int* p = (int*)malloc(16); CHECK(p) p[3] = 5; CHECK(p[3] == 5) free(p);
    int* q = new int(7); CHECK(*q == 7) delete q;
  )"),
            0);
}

TEST(HostLanguage, QualifiersAndPragmasCompileWithoutAWord) {
  CompileRequest wanted = request(R"(
    #ifdef __CUDA_ARCH__
    #error not a GPU
    #endif
    #if !WARPTUNE_HOST
    #error the host says so
    #endif
    struct __align__(16) Packet { float v[4]; };
    static __device__ __forceinline__ float twice(float x) { return x * 2; }
    __host__ __device__ __noinline__ float thrice(const float& x) { return x * 3; }
    template <typename F> __device__ void each(int n, F f) {
      #pragma unroll 4
      for (int i = 0; i < n; ++i) f(i);
      #pragma unroll
      for (int i = 0; i < 2; ++i) f(i);
    }
    extern "C" __global__ void __launch_bounds__(256, 2) plain(float* __restrict__ out, const float* __restrict__ in);
    extern "C" __global__ void __launch_bounds__(256, 2) plain(float* __restrict__ out, const float* __restrict__ in) {
      __shared__ Packet packets[2];
      static_assert(alignof(Packet) == 16, "");
      each(2, [=] __device__(int i) { out[i] = twice(in[i]) + thrice(in[i]); });
      packets[1].v[3] = out[0];
      out[0] = packets[1].v[3];
    }
  )",
                                  {"plain"});
  wanted.options.push_back("-Wall");
  const CompileResult result = shared_compiler().compile(wanted);
  ASSERT_TRUE(result.code.has_value()) << result.log;
  EXPECT_EQ(result.log, "");
  auto module = shared_device().load(*result.code);
  Buffer<float> in(std::vector<float>{1, 2}), out(2);
  launch(*module, "plain", {}, out.get(), in.get());
  EXPECT_EQ(out.read(), (std::vector<float>{5, 10}));
}

}  // namespace
}  // namespace warptune::tuner::host
