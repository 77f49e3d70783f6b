// half and bfloat16 of <cuda_fp16.h> and <cuda_bf16.h>, to the bit: against the definition of rounding, which looks for
// the two neighbours of the exact result in the list of all numbers of the format.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <regex>

#include "tests/tuner/device/backends/host/host_fixture.h"
#include "tuner/device/backends/host/compile/shim_text.h"

namespace warptune::tuner::host {
namespace {

using Bits = std::uint16_t;

enum class Rounding { nearest, toward_zero, down, up };

// x + y without rounding, as two numbers (Knuth).
std::pair<double, double> exact_sum(double x, double y) {
  volatile double sum = x + y;
  volatile double part = sum - x;
  volatile double rest = sum - part;
  return {sum, (x - rest) + (y - part)};
}

// A real number that is known by comparing it: a * b + c, or a / b. Products of two 16-bit numbers are exact in double.
struct Exact {
  double a = 0, b = 1, c = 0;
  bool quotient = false;

  int compared_with(double x) const {
    if (quotient) return (a > x * b ? 1 : a < x * b ? -1 : 0) * (b < 0 ? -1 : 1);
    const auto [high, low] = exact_sum(x, -c);
    const double product = a * b;
    if (product != high) return product > high ? 1 : -1;
    return low < 0 ? 1 : low > 0 ? -1 : 0;
  }
  // What double makes of it: its kind (NaN, infinite, zero) and sign are right.
  double about() const { return quotient ? a / b : a * b + c; }
};

class Format {
 public:
  Format(int fraction_bits, int largest_exponent) : fraction_bits_(fraction_bits), largest_exponent_(largest_exponent) {
    for (Bits bits = 0; bits <= infinity(); ++bits) magnitudes_.push_back(magnitude(bits));
  }

  Bits infinity() const { return static_cast<Bits>((2 * largest_exponent_ + 1) << fraction_bits_); }
  double value(Bits bits) const {
    const Bits absolute = bits & 0x7fff;
    const double unsigned_value = absolute > infinity()    ? std::numeric_limits<double>::quiet_NaN()
                                  : absolute == infinity() ? std::numeric_limits<double>::infinity()
                                                           : magnitude(absolute);
    return (bits & 0x8000) != 0 ? -unsigned_value : unsigned_value;
  }
  Bits rounded(Exact exact, Rounding how) const {
    const double about = exact.about();
    if (std::isnan(about)) return 0x7fff;
    const Bits sign = std::signbit(about) ? 0x8000 : 0;
    if (std::isinf(about)) return sign | infinity();
    if (exact.compared_with(0) == 0) return sign;
    if (sign != 0) exact.a = -exact.a, exact.c = -exact.c;
    // The number beyond the largest counts as infinity's, as IEEE 754 has it.
    const auto above = std::partition_point(magnitudes_.begin(), magnitudes_.end(),
                                            [&](double x) { return exact.compared_with(x) >= 0; });
    if (above == magnitudes_.end()) return sign | limit(how, sign != 0);
    const auto high = static_cast<Bits>(above - magnitudes_.begin()), low = static_cast<Bits>(high - 1);
    const int place = exact.compared_with((magnitudes_[low] + magnitudes_[high]) / 2);
    const bool on_it = exact.compared_with(magnitudes_[low]) == 0;
    const bool to_high = how == Rounding::nearest ? place > 0 || (place == 0 && low % 2 == 1)
                                                  : !on_it && how == (sign != 0 ? Rounding::down : Rounding::up);
    return sign | (to_high ? high : low);
  }

 private:
  double magnitude(Bits bits) const {
    const int exponent = bits >> fraction_bits_, fraction = bits & ((1 << fraction_bits_) - 1);
    const int hidden = exponent > 0 ? 1 << fraction_bits_ : 0;
    return std::ldexp(fraction + hidden, std::max(exponent, 1) - largest_exponent_ - fraction_bits_);
  }
  Bits limit(Rounding how, bool negative) const {
    const bool finite = how == Rounding::toward_zero || how == (negative ? Rounding::up : Rounding::down);
    return static_cast<Bits>(infinity() - finite);
  }

  int fraction_bits_;
  int largest_exponent_;
  std::vector<double> magnitudes_;
};

const char* const kKernels = R"(
  #include <NAME.h>
  __global__ void decode(const NUMBER* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __NAMED2float(in[i]);
  }
  __global__ void encode(const float* in, NUMBER* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[i];
    out[n + i] = __float2NAMED_rz(in[i]);
    out[2 * n + i] = __float2NAMED_rd(in[i]);
    out[3 * n + i] = __float2NAMED_ru(in[i]);
  }
  __global__ void encode_doubles(const double* in, NUMBER* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __double2NAMED(in[i]);
  }
  __global__ void encode_integers(const long long* in, NUMBER* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = __ll2NAMED_rn(in[i]);
    out[n + i] = __ll2NAMED_rz(in[i]);
    out[2 * n + i] = __ll2NAMED_rd(in[i]);
    out[3 * n + i] = __ll2NAMED_ru(in[i]);
  }
  __global__ void compute(const PAIR* a, const PAIR* b, const PAIR* c, PAIR* out, int pairs) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    out[i] = a[i] + b[i];
    out[pairs + i] = __hsub2(a[i], b[i]);
    out[2 * pairs + i] = PAIR(a[i].x * b[i].x, __hmul(a[i].y, b[i].y));
    out[3 * pairs + i] = __h2div(a[i], b[i]);
    out[4 * pairs + i] = __hfma2(a[i], b[i], c[i]);
  }
)";

struct Case {
  std::string header, number, pair, named;
  Format format;
};

class SixteenBitNumbers : public testing::TestWithParam<const char*> {
 protected:
  SixteenBitNumbers()
      : case_(GetParam() != std::string("bfloat16")
                  ? Case{"cuda_fp16", "__half", "__half2", "half", Format(10, 15)}
                  : Case{"cuda_bf16", "__nv_bfloat16", "__nv_bfloat162", "bfloat16", Format(7, 127)}) {
    std::string source = kKernels;
    for (const auto& [word, by] : {std::pair<std::string, std::string>{"NAMED", case_.named},
                                   {"NAME", case_.header},
                                   {"NUMBER", case_.number},
                                   {"PAIR", case_.pair}})
      for (auto at = source.find(word); at != source.npos; at = source.find(word)) source.replace(at, word.size(), by);
    static std::map<std::string, std::unique_ptr<Module>> modules;
    std::unique_ptr<Module>& module = modules[GetParam()];
    CompileRequest wanted = request(source, {"decode", "encode", "encode_doubles", "encode_integers", "compute"});
    if (GetParam() == std::string("half_in_software")) wanted.options.push_back("-U__F16C__");
    if (!module) module = build(wanted);
    module_ = module.get();
  }

  static LaunchGeometry over(std::size_t count) { return {{static_cast<std::int64_t>((count + 255) / 256)}, {256}}; }

  // What the kernel makes of each number, in the four roundings.
  template <class T>
  void expect_rounded(const std::string& kernel, const std::vector<T>& values, int roundings) {
    const Buffer<T> in(values);
    const Buffer<Bits> out(values.size() * static_cast<std::size_t>(roundings));
    launch(*module_, kernel, over(values.size()), static_cast<const T*>(in.get()), out.get(),
           static_cast<int>(values.size()));
    const std::vector<Bits> result = out.read();
    for (int how = 0; how < roundings; ++how)
      for (std::size_t i = 0; i < values.size(); ++i)
        expect_bits(result[static_cast<std::size_t>(how) * values.size() + i], exactly(values[i]),
                    static_cast<Rounding>(how));
  }
  static Exact exactly(double value) { return {value, 1, std::copysign(0.0, value)}; }
  static Exact exactly(long long value) {
    const auto low = value % (1 << 20);
    return {static_cast<double>(value - low), 1, static_cast<double>(low)};
  }
  void expect_bits(Bits result, const Exact& exact, Rounding how) {
    const Bits wanted = case_.format.rounded(exact, how);
    if (result == wanted) return;
    ADD_FAILURE() << std::hexfloat << exact.a << (exact.quotient ? " / " : " * ") << exact.b << " + " << exact.c
                  << " rounded " << static_cast<int>(how) << ": " << std::hex << result << ", not " << wanted;
  }

  // Any bits, and numbers that are near to each other in size, so that sums and products meet ties and subnormals.
  std::vector<Bits> operands(std::size_t count, const std::vector<Bits>& near = {}) {
    std::vector<Bits> bits;
    for (std::size_t i = 0; i < count; ++i) {
      const auto drawn = static_cast<Bits>(random_());
      const bool close = !near.empty() && random_() % 2 == 0;
      bits.push_back(close ? static_cast<Bits>(near[i] ^ (drawn & 0x803f)) : drawn);
    }
    return bits;
  }

  Case case_;
  Module* module_;
  std::mt19937 random_{16};
};

TEST_P(SixteenBitNumbers, EachOfThemIsReadExactly) {
  std::vector<Bits> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Bits>(i);
  const Buffer<Bits> in(all);
  const Buffer<float> out(all.size());
  launch(*module_, "decode", over(all.size()), static_cast<const Bits*>(in.get()), out.get());
  const std::vector<float> result = out.read();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double wanted = case_.format.value(all[i]);
    const bool same = std::isnan(wanted) ? std::isnan(result[i])
                                         : result[i] == wanted && std::signbit(result[i]) == std::signbit(wanted);
    if (!same) ADD_FAILURE() << i << " is read as " << result[i];
  }
}

TEST_P(SixteenBitNumbers, FloatsAreRoundedAsEachFunctionSays) {
  std::vector<float> values;
  for (unsigned i = 0; i < 65536; i += 7) {
    const auto low = static_cast<float>(case_.format.value(static_cast<Bits>(i)));
    const auto high = static_cast<float>(case_.format.value(static_cast<Bits>(i + 1)));
    const float middle = low / 2 + high / 2;  // a tie, unless it is itself too small for a float
    for (const float value : {low, middle, std::nextafter(middle, low), std::nextafter(middle, high)})
      values.push_back(value);
  }
  for (int i = 0; i < 10000; ++i) values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random_())));
  for (const float value : {0.0f, -0.0f, 65519.0f, 65520.0f, -65536.0f, 3.4e38f, 2.9e-8f, 3.0e-8f, 1e-45f, -1e-45f})
    values.push_back(value);
  expect_rounded("encode", values, 4);
}

// By way of float, doubles just beside a tie would be rounded twice, and integers by way of double.
TEST_P(SixteenBitNumbers, DoublesAndIntegersAreRoundedOnce) {
  std::vector<double> doubles{1e300, -1e-300, 5e-324, 65519.999999999};
  std::vector<long long> integers{0, 65519, 65520, -65521, (1LL << 62) + (1LL << 53), (1LL << 62) + (1LL << 54) + 1};
  for (int i = 0; i < 6000; ++i) {
    const auto bits = static_cast<Bits>(random_() % case_.format.infinity());
    const double low = case_.format.value(bits), high = case_.format.value(static_cast<Bits>(bits + 1));
    const double middle = std::isinf(high) ? low : (low + high) / 2;
    doubles.push_back(i % 3 == 0 ? middle : std::nextafter(middle, i % 3 == 1 ? 0 : 1e300));
    const auto wide = static_cast<long long>(random_()) << 31 ^ static_cast<long long>(random_());
    integers.push_back((i % 2 == 0 ? wide : -wide) >> random_() % 63);
    integers.push_back(((256LL + i % 256) << 54 | 1LL << 54) + i % 3 - 1);  // beside a tie of bfloat16
  }
  expect_rounded("encode_doubles", doubles, 1);
  expect_rounded("encode_integers", integers, 4);
}

TEST_P(SixteenBitNumbers, ArithmeticIsTheExactResultRoundedOnce) {
  constexpr std::size_t count = 24000;
  std::vector<Bits> a = operands(count), b = operands(count, a), c = operands(count, a);
  const Format& format = case_.format;
  for (std::size_t i = 0; i < count / 3; ++i) {  // of the size of the product, and far below a product that is a tie
    const double product = format.value(a[i]) * format.value(b[i]);
    const double factor = i % 3 == 0 ? 1e-3 : i % 3 == 1 ? -1.001 : 1e-30;
    c[i] = format.rounded({product * factor, 1, 0}, Rounding::nearest);
  }
  const Buffer<Bits> in_a(a), in_b(b), in_c(c), out(5 * count);
  launch(*module_, "compute", over(count / 2), static_cast<const Bits*>(in_a.get()),
         static_cast<const Bits*>(in_b.get()), static_cast<const Bits*>(in_c.get()), out.get(),
         static_cast<int>(count / 2));
  const std::vector<Bits> result = out.read();
  for (std::size_t i = 0; i < count; ++i) {
    const double x = format.value(a[i]), y = format.value(b[i]), z = format.value(c[i]);
    const Exact wanted[] = {{x, 1, y}, {x, 1, -y}, {x, y, std::copysign(0.0, x * y)}, {x, y, 0, true}, {x, y, z}};
    for (std::size_t operation = 0; operation < 5; ++operation)
      expect_bits(result[operation * count + i], wanted[operation], Rounding::nearest);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, SixteenBitNumbers, testing::Values("half", "half_in_software", "bfloat16"),
                         [](const auto& chosen) { return std::string(chosen.param); });

// The rest of both headers, on values that a reader can check.
const char* const kChecks = R"(
  __device__ bool is(TYPE a, float b) { return (float)a == b; }
  __device__ bool is(PAIR a, float b, float c) { return is(a.x, b) && is(a.y, c); }
  __global__ void check_NAMED(int* out) {
#line 1
    static_assert(sizeof(TYPE) == 2 && alignof(TYPE) == 2 && sizeof(PAIR) == 4 && alignof(PAIR) == 4, "");
    const TYPE one = 1, two = 2.0f, three = 3.0, nan = __ushort_as_NAMED(0xffffu), minus_zero = __short_as_NAMED((short)0x8000);
    const TYPE infinity = one / TYPE(0); const PAIR v = __floats2NAMED2_rn(1.5f, -2.5f), w(two, three);
    CHECK(is(v, 1.5f, -2.5f) && is(__float22NAMED2_rn(make_float2(1, 2)), 1, 2) && is(__float2NAMED2_rn(4), 4, 4))
    CHECK(__NAMED22float2(v).y == -2.5f && __low2float(v) == 1.5f && __high2float(v) == -2.5f && is(__low2NAMED(v), 1.5f))
    CHECK(is(__high2NAMED(v), -2.5f) && is(__halves2NAMED2(one, two), 1, 2) && is(__NAMED2NAMED2(three), 3, 3))
    CHECK(is(__low2NAMED2(v), 1.5f, 1.5f) && is(__high2NAMED2(v), -2.5f, -2.5f) && is(__lows2NAMED2(v, w), 1.5f, 2))
    CHECK(is(__highs2NAMED2(v, w), -2.5f, 3) && is(__lowhigh2highlow(v), -2.5f, 1.5f) && is(make_NAMED2(one, two), 1, 2))
    CHECK(is(v + w, 3.5f, 0.5f) && is(v - w, -0.5f, -5.5f) && is(v * w, 3, -7.5f) && is(w / w, 1, 1))
    CHECK(is(-v, -1.5f, 2.5f) && is(__habs2(v), 1.5f, 2.5f) && v == v && v != w && is(__hneg(minus_zero), 0))
    TYPE x = one; x += two; x *= three; x -= one; x /= two; CHECK(is(x, 4) && is(x++, 4) && is(--x, 4) && is(-x, -4))
    CHECK(one < two && two <= two && three > two && one >= one && one == one && one != two && !(nan == nan) && nan != nan)
    CHECK(__hlt(one, two) && __hle(one, one) && !__hgt(nan, one) && __hgtu(nan, one) && !__hne(nan, one) && __hneu(nan, one))
    CHECK(__hequ(nan, one) && !__heq(nan, nan) && __hltu(one, nan) && __hgeu(one, one) && !__hge(one, two))
    CHECK(is(__hgt2(v, w), 0, 0) && is(__hlt2(v, w), 1, 1) && __hlt2_mask(v, w) == ~0u && __heq2_mask(PAIR(one, two), w) == 0)
    CHECK(__hbgt2(w, v) && !__hbeq2(v, w) && __hbne2(v, w) && __hbleu2(PAIR(nan, nan), w) && __hge2_mask(PAIR(three, one), w) == 0xffffu)
    CHECK(__hisnan(nan) && !__hisnan(infinity) && __hisinf(infinity) == 1 && __hisinf(-infinity) == -1 && is(__hisnan2(PAIR(nan, one)), 1, 0))
    CHECK(is(__hmax(nan, one), 1) && is(__hmin(two, nan), 2) && __hisnan(__hmax_nan(nan, one)) && __hisnan(__hmin_nan(one, nan)))
    CHECK(__NAMED_as_ushort(__hmax(minus_zero, TYPE(0))) == 0 && __NAMED_as_ushort(__hmin(TYPE(0), minus_zero)) == 0x8000)
    CHECK(is(__hmax2(v, w), 2, 3) && is(__hmin2(v, w), 1.5f, -2.5f) && __NAMED_as_ushort(__hmax(nan, nan)) == 0x7fff)
    CHECK(is(__hadd_sat(two, two), 1) && is(__hsub_sat(one, two), 0) && is(__hmul_sat(nan, one), 0) && is(__hfma2_relu(v, w, v), 4.5f, 0))
    CHECK(is(__hfma(two, three, one), 7) && is(__hfma_sat(one, one, one), 1) && is(__hadd_rn(one, two), 3) && is(__hcmadd(w, w, v), -3.5f, 9.5f))
    CHECK(is(hsqrt(TYPE(16)), 4) && is(hrsqrt(TYPE(16)), 0.25f) && is(hrcp(two), 0.5f) && is(hexp(TYPE(0)), 1) && is(hexp2(three), 8))
    CHECK(is(hexp10(two), 100) && is(hlog(one), 0) && is(hlog2(TYPE(8)), 3) && is(hlog10(TYPE(100)), 2) && is(hsin(TYPE(0)), 0))
    CHECK(is(hcos(TYPE(0)), 1) && is(htanh(TYPE(0)), 0) && is(hceil(v.x), 2) && is(hfloor(v.y), -3) && is(htrunc(v.y), -2) && is(hrint(v.y), -2))
    CHECK(is(h2sqrt(PAIR(TYPE(4), TYPE(9))), 2, 3) && is(h2exp(PAIR(TYPE(0), TYPE(0))), 1, 1) && is(h2rcp(PAIR(two, TYPE(4))), 0.5f, 0.25f))
    CHECK(__NAMED2int_rn(v.y) == -2 && __NAMED2int_rd(v.y) == -3 && __NAMED2uint_ru(v.x) == 2 && __NAMED2short_rz(v.y) == -2)
    CHECK(__NAMED2int_rz(infinity) == INT_MAX && __NAMED2int_rz(nan) == 0 && __NAMED2ushort_rn(v.y) == 0 && __NAMED2uchar_rz(TYPE(300)) == 255)
    CHECK(__NAMED2ll_rz(nan) == LLONG_MIN && __NAMED2ull_rn(two) == 2 && __NAMED2char_rz(TYPE(-200)) == -128)
    CHECK(is(__int2NAMED_rn(-7), -7) && is(__uint2NAMED_rz(7u), 7) && is(__short2NAMED_rd((short)-3), -3) && is(__ull2NAMED_ru(5ull), 5))
    const int whole = v.y; const float real = v.x; const bool yes = one; CHECK(whole == -2 && real == 1.5f && yes && !(bool)minus_zero)
    __shared__ TYPE tile[4]; __shared__ PAIR sums[1]; tile[1] = one; sums[0] = w;
    CHECK(is(atomicAdd(tile + 1, two), 1) && is(tile[1], 3) && is(atomicAdd(sums, v), 2, 3) && is(sums[0], 3.5f, 0.5f))
    CHECK(is(__ldg(tile + 1), 3) && is(__ldcs(&w), 2, 3) && is(__shfl_xor_sync(1u, v, 1), 1.5f, -2.5f) && is(__shfl_sync(1u, two, 0), 2))
  }
)";

// A parameter's macro reaches into headers that are included behind it; parameters are in capitals by custom.
TEST(CudaHeaders, HaveNoNameThatAParameterMightHave) {
  const std::regex comment(R"re(//[^\n]*|"[^"\n]*")re"),
      capitals("\\b(?!(?:WARPTUNE|CUDART|__CUDA)_|[A-Z]+_(?:MIN|MAX)\\b|__F16C__)_*[A-Z][A-Z0-9_]*\\b");
  ASSERT_GE(cuda_headers().size(), 5u);
  for (const CudaHeader& header : cuda_headers()) {
    const std::string code = std::regex_replace(std::string(header.text), comment, "");
    std::smatch found;
    EXPECT_FALSE(std::regex_search(code, found, capitals)) << header.name << ": " << found.str();
  }
}

TEST(SixteenBitHeaders, HaveCudasTypesFunctionsAndOperators) {
  std::string source =
      "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <math_constants.h>\n"
      "#define CHECK(c) if (!(c)) { *out = __LINE__; return; }\n";
  for (const auto& [type, pair, named] : {std::tuple<std::string, std::string, std::string>{"half", "half2", "half"},
                                          {"nv_bfloat16", "nv_bfloat162", "bfloat16"}}) {
    std::string text = kChecks;
    for (const auto& [word, by] : {std::pair(std::string("NAMED"), named), {"TYPE", type}, {"PAIR", pair}})
      for (auto at = text.find(word); at != text.npos; at = text.find(word)) text.replace(at, word.size(), by);
    source += text;
  }
  source += R"(
  __global__ void constants(int* out) {
#line 1
    CHECK(CUDART_INF_F > FLT_MAX && __hisinf(CUDART_INF_FP16) && (float)CUDART_MAX_NORMAL_FP16 == 65504.0f)
    CHECK((float)CUDART_ONE_BF16 == 1 && CUDART_PI_F == 3.14159274f && CUDART_PI == 3.14159265358979312)
  })";
  CompileRequest wanted = request(source, {"check_half", "check_bfloat16", "constants"});
  wanted.options.insert(wanted.options.end(), {"-O0", "-Wall", "-Wextra"});
  const CompileResult compiled = shared_compiler().compile(wanted);
  ASSERT_TRUE(compiled.code) << compiled.log;
  EXPECT_EQ(compiled.log, "");
  const auto module = shared_device().load(*compiled.code);
  for (const char* kernel : {"check_half", "check_bfloat16", "constants"}) {
    const Buffer<int> out(1);
    launch(*module, kernel, {}, out.get());
    EXPECT_EQ(out.read()[0], 0) << "the line of " << kernel << " that does not hold";
  }
}

}  // namespace
}  // namespace warptune::tuner::host
