// cuBLASLt: matrix products whose epilogue adds a bias, activates or adds a residual, and products of FP8. Data and
// shapes are those of the templates gemm_tensor (FUSION) and gemm_fp8; the fastest of the library's own first proposals
// counts.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <cmath>

#include "harness.h"

namespace vendor {

namespace {

constexpr int proposals = 4;
constexpr std::size_t workspace_bytes = std::size_t{64} << 20;

// A description of a product of column-major matrices: D' = epilogue(alpha * B' A' + beta * C'), which is the row-major
// D = epilogue(alpha * A B + beta * C). All three have n columns of m or k elements.
struct Operands {
  cudaDataType inputs, result;
  bool transposed;  // B as n rows of k elements, which FP8 demands
  cublasLtEpilogue_t epilogue;
  const void* bias;
  float alpha, beta;
};

class Product {
 public:
  Product(const Operands& of, int n) : of_(of) {
    check(cublasLtCreate(&handle_), "cublasLtCreate");
    check(cublasLtMatmulDescCreate(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    set(CUBLASLT_MATMUL_DESC_TRANSA, of.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, of.epilogue);
    if (of.bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, of.bias);
    check(cublasLtMatrixLayoutCreate(&inputs_, of.inputs, n, n, n), "cublasLtMatrixLayoutCreate");
    check(cublasLtMatrixLayoutCreate(&result_, of.result, n, n, n), "cublasLtMatrixLayoutCreate");
  }
  ~Product() {
    cublasLtMatrixLayoutDestroy(result_);
    cublasLtMatrixLayoutDestroy(inputs_);
    cublasLtMatmulDescDestroy(product_);
    cublasLtDestroy(handle_);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  template <class T>
  void set(cublasLtMatmulDescAttributes_t what, const T& value) {
    check(cublasLtMatmulDescSetAttribute(product_, what, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
  }

  // A proposal may turn out not to be supported.
  template <class T>
  double best_ms(const Array<T>& a, const Array<T>& b, const void* c, const Output& d) {
    double best = 0;
    int status = 0;
    for (const cublasLtMatmulHeuristicResult_t& proposal : proposed()) {
      const auto run = [&] {
        return cublasLtMatmul(handle_, product_, &of_.alpha, b.get(), inputs_, a.get(), inputs_, &of_.beta, c, result_,
                              d.to, result_, &proposal.algo, workspace_.get(), workspace_bytes, stream());
      };
      status = run();
      if (status == CUBLAS_STATUS_NOT_SUPPORTED) continue;
      const double ms = median_ms([&] { check(run(), "cublasLtMatmul"); }, {d});
      if (best == 0 || ms < best) best = ms;
    }
    if (best == 0) check(status != 0 ? status : CUBLAS_STATUS_NOT_SUPPORTED, "cublasLtMatmul with every proposal");
    return best;
  }

 private:
  std::vector<cublasLtMatmulHeuristicResult_t> proposed() {
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                               sizeof workspace_bytes),
          "cublasLtMatmulPreferenceSetAttribute");
    std::vector<cublasLtMatmulHeuristicResult_t> results(proposals);
    int found = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle_, product_, inputs_, inputs_, result_, result_, preference, proposals,
                                         results.data(), &found),
          "cublasLtMatmulAlgoGetHeuristic");
    cublasLtMatmulPreferenceDestroy(preference);
    results.resize(std::size_t(found));
    return results;
  }

  Operands of_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t inputs_ = nullptr, result_ = nullptr;
  Array<char> workspace_{workspace_bytes};
};

struct UniformBf16 {
  unsigned seed;
  __device__ __nv_bfloat16 operator()(std::size_t i) const { return __float2bfloat16(UniformFloat{seed}(i)); }
};

struct UniformFp8 {
  unsigned seed;
  __device__ __nv_fp8_e4m3 operator()(std::size_t i) const { return __nv_fp8_e4m3(UniformFloat{seed}(i)); }
};

double gflops(int n, double ms) {
  return 2.0 * n * n * n / ms / 1e6;
}

Figure fused(int n, cublasLtEpilogue_t epilogue, float beta) {
  const std::size_t elements = std::size_t(n) * n;
  Array<__nv_bfloat16> a(elements), b(elements), c(elements), d(elements), bias(n);
  fill(a, UniformBf16{1}), fill(b, UniformBf16{2}), fill(c, UniformBf16{5}), fill(bias, UniformBf16{4});
  const bool biased = epilogue != CUBLASLT_EPILOGUE_DEFAULT;
  const float alpha = 2 / std::sqrt(float(n));
  Product product({CUDA_R_16BF, CUDA_R_16BF, false, epilogue, biased ? bias.get() : nullptr, alpha, beta}, n);
  return {gflops(n, product.best_ms(a, b, c.get(), d.output())), "GFLOP/s"};
}

// A and B have a scale each. fast: whole sums stay in the tensor core.
Figure fp8(int n, bool fast) {
  const std::size_t elements = std::size_t(n) * n;
  Array<__nv_fp8_e4m3> a(elements), b(elements);
  Array<__nv_bfloat16> d(elements);
  Array<float> of_a(std::vector<float>{1.5f}), of_b(std::vector<float>{0.5f});  // aligned to 16 bytes each
  fill(a, UniformFp8{1}), fill(b, UniformFp8{2});
  Product product({CUDA_R_8F_E4M3, CUDA_R_16BF, true, CUBLASLT_EPILOGUE_DEFAULT, nullptr, 1, 0}, n);
  product.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, of_b.get());
  product.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, of_a.get());
  product.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<signed char>(fast));
  return {gflops(n, product.best_ms(a, b, d.get(), d.output())), "GFLOP/s"};
}

}  // namespace

void add_fused_dense(Cases& cases) {
  cases.push_back({"cublaslt_bias_8192", [] { return fused(8192, CUBLASLT_EPILOGUE_BIAS, 0); }});
  cases.push_back({"cublaslt_bias_relu_8192", [] { return fused(8192, CUBLASLT_EPILOGUE_RELU_BIAS, 0); }});
  cases.push_back({"cublaslt_bias_gelu_8192", [] { return fused(8192, CUBLASLT_EPILOGUE_GELU_BIAS, 0); }});
  cases.push_back({"cublaslt_residual_8192", [] { return fused(8192, CUBLASLT_EPILOGUE_DEFAULT, 1); }});
  cases.push_back({"cublaslt_fp8_8192", [] { return fp8(8192, false); }});
  cases.push_back({"cublaslt_fp8_fast_8192", [] { return fp8(8192, true); }});
}

}  // namespace vendor
