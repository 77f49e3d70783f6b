// cuBLAS: matrix products, matrix times vector and transposition; and the device-to-device copy that bounds everything
// that moves data. Data, shapes, alpha and beta are those of the templates gemm, gemm_tensor, gemv, transpose and copy.
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include "harness.h"

namespace vendor {

namespace {

class Blas {
 public:
  Blas() {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, stream()), "cublasSetStream");
  }
  ~Blas() { cublasDestroy(handle_); }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  operator cublasHandle_t() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

struct Shape {
  int m, n, k;

  std::string text() const {
    if (m == n && n == k) return std::to_string(m);
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  }
  double operations() const { return 2.0 * m * n * k; }
};

// Row-major C = 1.5 A B + 0.5 C with C of floats, which is column-major C' = B' A'.
template <class T>
double product_ms(const Shape& shape, const Array<T>& a, const Array<T>& b, cudaDataType type,
                  cublasComputeType_t compute) {
  const Blas blas;
  const int m = shape.m, n = shape.n, k = shape.k;
  Array<float> c(std::size_t(m) * n), first(c.size());
  fill_uniform(first, 3);
  const float alpha = 1.5f, beta = 0.5f;
  const auto work = [&] {
    check(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b.get(), type, n, a.get(), type, k, &beta,
                       c.get(), CUDA_R_32F, n, compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  };
  return median_ms(work, {c.output_from(first)});
}

Figure float_product(const Shape& shape, cublasComputeType_t compute, const char* note) {
  Array<float> a(std::size_t(shape.m) * shape.k), b(std::size_t(shape.k) * shape.n);
  fill_uniform(a, 1), fill_uniform(b, 2);
  return {shape.operations() / product_ms(shape, a, b, CUDA_R_32F, compute) / 1e6, "GFLOP/s", note};
}

// Neither way of asking for FP32 uses tensor cores; the faster one counts.
Figure sgemm(const Shape& shape) {
  const Figure usual = float_product(shape, CUBLAS_COMPUTE_32F, "default");
  const Figure pedantic = float_product(shape, CUBLAS_COMPUTE_32F_PEDANTIC, "pedantic");
  return usual.value > pedantic.value ? usual : pedantic;
}

struct UniformBf16 {
  unsigned seed;
  __device__ __nv_bfloat16 operator()(std::size_t i) const { return __float2bfloat16(UniformFloat{seed}(i)); }
};

Figure bf16_product(const Shape& shape) {
  Array<__nv_bfloat16> a(std::size_t(shape.m) * shape.k), b(std::size_t(shape.k) * shape.n);
  fill(a, UniformBf16{1}), fill(b, UniformBf16{2});
  return {shape.operations() / product_ms(shape, a, b, CUDA_R_16BF, CUBLAS_COMPUTE_32F) / 1e6, "GFLOP/s"};
}

Figure transpose(int n) {
  const Blas blas;
  Array<float> a(std::size_t(n) * n), b(std::size_t(n) * n);
  fill_uniform(a, 1);
  const float one = 1, zero = 0;
  const auto work = [&] {
    check(cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, a.get(), n, &zero, b.get(), n, b.get(), n),
          "cublasSgeam");
  };
  const double ms = median_ms(work, {b.output()});
  return {8.0 * n * n / ms / 1e6, "GB/s"};
}

Figure gemv(int n) {
  const Blas blas;
  Array<float> a(std::size_t(n) * n), x(n), y(n);
  fill_uniform(a, 1), fill_uniform(x, 2), fill_uniform(y, 3);
  const float alpha = 1, beta = 0;
  const auto work = [&] {
    check(cublasSgemv(blas, CUBLAS_OP_T, n, n, &alpha, a.get(), n, x.get(), 1, &beta, y.get(), 1), "cublasSgemv");
  };
  const double ms = median_ms(work, {y.output()});
  return {4.0 * (double(n) * n + 2 * n) / ms / 1e6, "GB/s"};
}

}  // namespace

void add_dense(Cases& cases) {
  for (const Shape& shape : {Shape{1024, 1024, 1024}, Shape{2048, 2048, 2048}, Shape{4096, 4096, 4096},
                             Shape{8192, 8192, 8192}, Shape{256, 256, 65536}, Shape{8192, 64, 8192}})
    cases.push_back({"cublas_sgemm_" + shape.text(), [=] { return sgemm(shape); }});
  for (const int n : {4096, 8192}) {
    const auto tf32 = [=] { return float_product({n, n, n}, CUBLAS_COMPUTE_32F_FAST_TF32, "tf32"); };
    cases.push_back({"cublas_tf32_" + std::to_string(n), tf32});
  }
  cases.push_back({"cublas_bf16_8192", [] { return bf16_product({8192, 8192, 8192}); }});
  for (const int n : {4096, 8192, 16384})
    cases.push_back({"cublas_geam_" + std::to_string(n), [=] { return transpose(n); }});
  cases.push_back({"cublas_gemv_16384", [] { return gemv(16384); }});
}

}  // namespace vendor
