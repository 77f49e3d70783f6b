// A user's macro may have any name that CUDA does not have: none of the shim's own may be among what is read behind it.
#include <gmock/gmock.h>

#include <set>

#include "tests/tuner/device/backends/host/host_fixture.h"
#include "tuner/device/backends/host/compile/shim_text.h"
#include "tuner/device/compile/source_tokens.h"

namespace warptune::tuner::host {
namespace {

// Words of C++ and of preprocessors, and what CUDA's own headers and C's declare: no macro may have these names
// anywhere.
constexpr std::string_view known_words = R"(
alignas alignof and asm auto bool break case catch char class const constexpr continue decltype default defined delete
do double elif else endif enum error explicit extern false float for friend goto if ifdef ifndef include inline int
long mutable namespace new noexcept not nullptr operator or pragma private protected public reinterpret_cast return
short signed sizeof static static_assert static_cast const_cast struct switch template this thread_local throw true
try typedef typename undef define union unsigned using virtual void volatile while

NDEBUG assert abs acos acosh asin asinh atan atan2 atanh cbrt cbrtf ceil clock clock64 clock_t copysign cos cosf cosh
cospi cospif cospi erf erfc erfcinv erfcx erfinv exp exp10 exp10f exp2 exp2f expf expm1 fabs fabsf fdim fdivide
fdividef fesetround floor fma fmaf fmax fmaxf fmin fminf fmod free frexp frexpf hypot hypotf ilogb ilogbf isfinite
isinf isnan j0 j1 jn jnf labs ldexp ldexpf lgamma llabs llmax llmin llrint llrintf llround llroundf log log10 log10f
log1p log2 log2f logb logf lrint lrintf lround lroundf malloc max memcpy memmove memset min modf modff nan nanf
nearbyint nextafter norm norm3d norm3df norm4d norm4df normcdf normcdfinv normf pow powf printf rcbrt rcbrtf remainder
remquo remquof rhypot rhypotf rint rnorm rnorm3d rnorm3df rnorm4d rnorm4df rnormf round rsqrt rsqrtf scalbln scalblnf
scalbn scalbnf signbit sin sincos sincosf sincospi sincospif sinf sinh sinpi sinpif size_t sqrt sqrtf tan tanf tanh
tanhf tgamma trunc ullmax ullmin umax umin y0 y1 yn ynf cyl_bessel_i0 cyl_bessel_i1

CUtensorMap atomicAdd atomicAnd atomicCAS atomicDec atomicExch atomicInc atomicMax atomicMin atomicOr atomicSub
atomicXor blockDim blockIdx cudaGridDependencySynchronize cudaTriggerProgrammaticLaunchCompletion dim3 float2 float4
double2 char4 uchar4 short2 ushort2 gridDim longlong threadIdx uchar uint uint3 ulong ulonglong ushort warpSize w x y z

cuda details cooperative_groups aligned_size_t all any arrival_token ballot barrier_arrive barrier_wait
binary_partition bit_and bit_or bit_xor block_index block_rank coalesced_group coalesced_threads dim_blocks
dim_threads exclusive_scan greater grid_group group_dim group_index group_size inclusive_scan is_valid
labeled_partition less match_all match_any memcpy_async meta_group_rank meta_group_size num_blocks num_threads plus
reduce shfl shfl_down shfl_up shfl_xor size sync this_grid this_thread this_thread_block thread_block
thread_block_tile thread_group thread_index thread_rank tiled_partition wait wait_prior

half half2 nv_half nv_half2 make_half2 nv_bfloat16 nv_bfloat162 make_bfloat162 h2ceil h2cos h2exp h2exp10 h2exp2
h2floor h2log h2log10 h2log2 h2rcp h2rint h2rsqrt h2sin h2sqrt h2tanh h2tanh_approx h2trunc hceil hcos hexp hexp10
hexp2 hfloor hlog hlog10 hlog2 hrcp hrint hrsqrt hsin hsqrt htanh htanh_approx htrunc cuCabs cuCadd cuCdiv cuCfma
cuCimag cuCmul cuComplex cuComplexDoubleToFloat cuComplexFloatToDouble cuConj cuCreal cuCsub cuDoubleComplex
cuFloatComplex make_cuComplex
)";

// Macros that C and CUDA define: INT_MAX, M_PI, CUDART_INF.
bool is_constant(const std::string& word) {
  return std::ranges::all_of(word, [](char c) { return c == '_' || std::isupper(c) || std::isdigit(c); }) &&
         (word.ends_with("_MAX") || word.ends_with("_MIN") || word.starts_with("M_") || word.starts_with("CUDART_") ||
          word.starts_with("HUGE_VAL") || word == "INFINITY" || word == "NAN");
}

bool is_reserved(const std::string& word) {
  return word.starts_with('_') || word.starts_with("warptune") || word.starts_with("WARPTUNE_");
}

// Names that headers include are no macros' business.
std::string without_includes(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!text.starts_with("#include") && !text.starts_with("#line")) kept += text.substr(0, end);
    text.remove_prefix(end);
  }
  return kept;
}

std::set<std::string> words_of_the_shim() {
  std::string text = without_includes(kShimText);
  for (const CudaHeader& header : cuda_headers()) text += without_includes(header.text);
  std::set<std::string> known, found;
  for (const SourceToken& token : source_tokens(known_words)) known.insert(token.text);
  for (const SourceToken& token : source_tokens(text))
    if (token.kind == SourceToken::Kind::word && !known.contains(token.text) && !is_reserved(token.text) &&
        !is_constant(token.text))
      found.insert(token.text);
  return found;
}

// All headers, and what of the shim is a macro that kernels expand.
constexpr std::string_view wordy_kernel = R"(#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>
__constant__ float table_[4];
extern "C" __global__ __launch_bounds__(64) void k_(float* p_) {
  __shared__ float s_[64];
  __align__(16) float v_[4] = {1, 2, 3, 4};
  assert(blockDim.x > 0);
  __assume(gridDim.x > 0);
  s_[threadIdx.x] = v_[threadIdx.x % 4] + __half2float(__float2half(p_[blockIdx.x])) + float(__uint2bfloat16_ru(3));
  const auto t_ = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  p_[threadIdx.x] = s_[threadIdx.x] + cooperative_groups::reduce(t_, 1.0f, cooperative_groups::plus<float>()) + table_[0];
}
)";

CompileRequest kernel_request(std::string source) {
  CompileRequest made = request(std::move(source), {"k_"});
  made.symbols = {"table_"};
  return made;
}

TEST(HostShim, NoMacroOfAUserReachesIntoWhatIsReadBehindIt) {
  const std::set<std::string> words = words_of_the_shim();
  EXPECT_THAT(words, testing::IsSupersetOf({"context", "block_size", "value", "kRead", "T"}));
  std::string macros;
  for (const std::string& word : words) macros += "#define " + word + " )hit(\n";
  for (const bool tracked : {false, true}) {
    CompileRequest made = kernel_request(macros + std::string(wordy_kernel));
    made.tracked = tracked;
    const CompileResult result = shared_compiler().compile(made);
    EXPECT_TRUE(result.code) << result.log.substr(0, 2000);
  }
}

TEST(HostShim, MacrosOfOptionsDoNotReachIntoIt) {
  CompileRequest made = kernel_request(std::string(wordy_kernel));
  for (const std::string& word : words_of_the_shim()) made.options.push_back("-D" + word + "=)hit(");
  made.options.insert(made.options.end(), {"-D", "two_=2", "-Dflag_", "-D_OWN=1"});
  made.source += "static_assert(two_ == 2 && flag_ == 1 && _OWN == 1, \"\");\n";
  const CompileResult result = shared_compiler().compile(made);
  EXPECT_TRUE(result.code) << result.log.substr(0, 2000);
}

}  // namespace
}  // namespace warptune::tuner::host
