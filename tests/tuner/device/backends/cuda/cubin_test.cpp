#include <gmock/gmock.h>

#include <string>

#include "tests/support/cubin_resources.h"
#include "tests/tuner/device/backends/cuda/nvrtc_fixture.h"

namespace warptune::tuner::cuda {
namespace {

// plain: static shared memory; dynamic: only dynamic shared memory; stack: an array in local memory; spilly: more live
// values than its launch bounds leave registers for; calls: a function that is not inlined, with a stack of its own.
constexpr const char* source = R"(
__constant__ float c[16];
extern "C" __global__ void plain(float* x) {
  __shared__ float s[256];
  int i = threadIdx.x;
  s[i] = x[i];
  __syncthreads();
  x[i] = s[255 - i] + c[i & 15];
}
extern "C" __global__ void dynamic(float* x) {
  extern __shared__ float t[];
  t[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = t[threadIdx.x ^ 1];
}
extern "C" __global__ void stack(float* x, const int* at) {
  float a[64];
  for (int i = 0; i < 64; ++i) a[i] = x[i];
  for (int i = 0; i < 64; ++i) x[i] = a[at[i]];
}
extern "C" __global__ void __launch_bounds__(1024) spilly(float* x, const float* y) {
  float a[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) a[i] = y[i * threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i) x[i * 1024 + threadIdx.x] = a[i] * a[(i * 7 + 1) % 96];
}
__device__ __noinline__ float picked(const float* x, int at) {
  float a[32];
  for (int i = 0; i < 32; ++i) a[i] = x[i] * i;
  return a[at & 31];
}
extern "C" __global__ void calls(float* x, int at) { x[0] = picked(x, at); }
)";

const std::vector<std::string> kernels = {"plain", "dynamic", "stack", "spilly", "calls"};

class CubinResources : public WithNvrtc {
 protected:
  CompileResult compiled(const char* architecture, std::vector<std::string> options = {}) {
    auto result = compile(
        {.name = "cubin_test.cu", .source = source, .options = std::move(options), .kernels = kernels}, architecture);
    EXPECT_TRUE(result.code) << result.log;
    return result;
  }
};

class CubinResourcesFor : public CubinResources, public testing::WithParamInterface<const char*> {};

// The number before `unit` in ptxas's words about a kernel; 0 if they do not mention it.
std::int64_t number_before(const std::string& text, const std::string& unit) {
  const auto end = text.find(" " + unit);
  if (end == std::string::npos) return 0;
  return std::stoll(text.substr(text.find_last_not_of("0123456789", end - 1) + 1));
}

// What `ptxas -v` says about one kernel: from its "Compiling entry function" to the next one's.
std::string ptxas_words(const std::string& log, const std::string& kernel) {
  const auto begin = log.find("Compiling entry function '" + kernel + "'");
  if (begin == std::string::npos) return {};
  return log.substr(begin, log.find("Compiling entry function", begin + 1) - begin);
}

void expect_what_ptxas_says(const search::ResourceUse& use, const std::string& words) {
  EXPECT_EQ(use.registers_per_thread, number_before(words, "registers")) << words;
  EXPECT_EQ(use.local_bytes_per_thread, number_before(words, "bytes cumulative stack size")) << words;
  EXPECT_EQ(use.static_shared_bytes, number_before(words, "bytes smem")) << words;
}

TEST_P(CubinResourcesFor, EveryArchitectureAreWhatPtxasPrints) {
  const auto result = compiled(GetParam(), {"--ptxas-options=-v"});
  const auto all = cubin_resources(result.code->bytes);
  ASSERT_EQ(all.size(), kernels.size());
  for (const auto& kernel : kernels) {
    const auto words = ptxas_words(result.log, kernel);
    ASSERT_FALSE(words.empty()) << result.log;
    expect_what_ptxas_says(all.at(kernel), words);
  }
  EXPECT_EQ(all.at("plain").static_shared_bytes, 1024);
  EXPECT_EQ(all.at("plain").local_bytes_per_thread, 0);
  EXPECT_EQ(all.at("dynamic").static_shared_bytes, 0);
  EXPECT_EQ(all.at("stack").local_bytes_per_thread, 256);
  EXPECT_EQ(all.at("spilly").registers_per_thread, 64);
  EXPECT_GT(all.at("spilly").local_bytes_per_thread, 0);
  EXPECT_GE(all.at("calls").local_bytes_per_thread, 128);
}

INSTANTIATE_TEST_SUITE_P(Architectures, CubinResourcesFor, testing::Values("sm_75", "sm_80", "sm_90", "sm_100"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(CubinResourcesFor, EveryArchitectureTellTheSizesOfParameters) {
  const auto result = compile({.name = "parameters.cu",
                               .source = R"(
struct Box { double corners[6]; char inside; };
extern "C" __global__ void mixed(int n, const float* x, double a, char c, Box box, float* y) {
  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x] * a + c + box.corners[0];
}
extern "C" __global__ void unused(short a, long long b) {}
extern "C" __global__ void none() {}
template <class T> __global__ void typed(T* x, T a) { x[0] = a; }
)",
                               .kernels = {"mixed", "unused", "none", "typed<float>"}},
                              GetParam());
  ASSERT_TRUE(result.code) << result.log;
  const auto all = cubin_parameters(result.code->bytes);
  EXPECT_THAT(all.at("mixed"), testing::ElementsAre(4, 8, 8, 1, 56, 8));
  EXPECT_THAT(all.at("unused"), testing::ElementsAre(2, 8));
  EXPECT_THAT(all.at(result.code->linkage_names.at("typed<float>")), testing::ElementsAre(8, 4));
  EXPECT_FALSE(all.contains("none"));
}

TEST_F(CubinResources, FollowARegisterLimit) {
  const auto all = cubin_resources(compiled("sm_90", {"--maxrregcount=24"}).code->bytes);
  EXPECT_LE(all.at("stack").registers_per_thread, 24);
}

TEST_F(CubinResources, OfACutOffCubinAreRefused) {
  const auto bytes = compiled("sm_90").code->bytes;
  for (std::size_t n = 0; n < bytes.size(); n += 97)
    EXPECT_THROW(cubin_resources(std::span(bytes).first(n)), std::invalid_argument) << n;
  for (std::size_t n = 0; n < bytes.size(); n += 97)
    EXPECT_THROW(cubin_parameters(std::span(bytes).first(n)), std::invalid_argument) << n;
}

TEST(CubinResourcesOfNoCubin, AreRefused) {
  const std::string text =
      "\177ELF but nothing that follows is the header of a file for CUDA, although long enough for one";
  EXPECT_THROW(cubin_resources(std::as_bytes(std::span(text))), std::invalid_argument);
}

}  // namespace
}  // namespace warptune::tuner::cuda
