// cuBLAS: matrix products and transposition; and the device-to-device copy that bounds everything that moves data.
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include "harness.h"

namespace vendor {

namespace {

class Blas {
 public:
  Blas() { check(cublasCreate(&handle_), "cublasCreate"); }
  ~Blas() { cublasDestroy(handle_); }
  operator cublasHandle_t() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

std::string shape(int m, int n, int k) {
  if (m == n && n == k) return std::to_string(m);
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

// Row-major C = 1.5 A B + 0.5 C, which is column-major C' = B' A'.
void sgemm(const Blas& blas, int m, int n, int k, cublasComputeType_t type, const char* name) {
  Array<float> a(std::size_t(m) * k), b(std::size_t(k) * n), c(std::size_t(m) * n);
  fill_uniform(a, 1), fill_uniform(b, 2), fill_uniform(c, 3);
  const float alpha = 1.5f, beta = 0.5f;
  const double ms = median_ms([&] {
    check(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b.get(), CUDA_R_32F, n, a.get(), CUDA_R_32F, k,
                       &beta, c.get(), CUDA_R_32F, n, type, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  });
  report(name + ("_" + shape(m, n, k)), 2.0 * m * n * k / ms / 1e6, "GFLOP/s");
}

struct UniformBf16 {
  __device__ __nv_bfloat16 operator()(unsigned bits) const { return __float2bfloat16(UniformFloat{}(bits)); }
};

void bf16_gemm(const Blas& blas, int n) {
  Array<__nv_bfloat16> a(std::size_t(n) * n), b(std::size_t(n) * n);
  Array<float> c(std::size_t(n) * n);
  fill(a, 1, UniformBf16{}), fill(b, 2, UniformBf16{}), fill_uniform(c, 3);
  const float alpha = 1, beta = 0;
  const double ms = median_ms([&] {
    check(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, b.get(), CUDA_R_16BF, n, a.get(), CUDA_R_16BF,
                       n, &beta, c.get(), CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  });
  report("cublas_bf16_" + std::to_string(n), 2.0 * n * n * n / ms / 1e6, "GFLOP/s");
}

void transpose(const Blas& blas, int n) {
  Array<float> a(std::size_t(n) * n), b(std::size_t(n) * n);
  fill_uniform(a, 1);
  const float one = 1, zero = 0;
  const double ms = median_ms([&] {
    check(cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, a.get(), n, &zero, b.get(), n, b.get(), n),
          "cublasSgeam");
  });
  report("cublas_geam_" + std::to_string(n), 8.0 * n * n / ms / 1e6, "GB/s");
}

void gemv(const Blas& blas, int n) {
  Array<float> a(std::size_t(n) * n), x(n), y(n);
  fill_uniform(a, 1), fill_uniform(x, 2), fill_uniform(y, 3);
  const float alpha = 1, beta = 0;
  const double ms = median_ms([&] {
    check(cublasSgemv(blas, CUBLAS_OP_T, n, n, &alpha, a.get(), n, x.get(), 1, &beta, y.get(), 1), "cublasSgemv");
  });
  report("cublas_gemv_" + std::to_string(n), 4.0 * n * n / ms / 1e6, "GB/s");
}

void copy(std::size_t elements) {
  Array<float> from(elements), to(elements);
  fill_uniform(from, 1);
  const double ms = median_ms([&] { cudaMemcpyAsync(to.get(), from.get(), elements * 4, cudaMemcpyDeviceToDevice); });
  report("copy_" + std::to_string(elements), 8.0 * elements / ms / 1e6, "GB/s");
}

}  // namespace

void run_dense() {
  const Blas blas;
  copy(std::size_t{1} << 28);
  for (const int n : {1024, 2048, 4096, 8192}) sgemm(blas, n, n, n, CUBLAS_COMPUTE_32F_PEDANTIC, "cublas_sgemm");
  sgemm(blas, 256, 256, 65536, CUBLAS_COMPUTE_32F_PEDANTIC, "cublas_sgemm");
  sgemm(blas, 8192, 64, 8192, CUBLAS_COMPUTE_32F_PEDANTIC, "cublas_sgemm");
  sgemm(blas, 4096, 4096, 4096, CUBLAS_COMPUTE_32F_FAST_TF32, "cublas_tf32");
  bf16_gemm(blas, 8192);
  for (const int n : {4096, 8192, 16384}) transpose(blas, n);
  gemv(blas, 16384);
}

}  // namespace vendor
