// C = alpha * A * B + beta * C, or what a variant makes of alpha * A * B, in double precision, from the operands as
// they are stored, a thread per element of C.
#include "formats.cuh"

enum class Fusion { none, bias, bias_relu, bias_gelu, swiglu, residual, row_scale };

constexpr Fusion fusion = Fusion::FUSION;

__device__ inline double value_of(const float* data, long long i, Format) {
  return data[i];
}
__device__ inline double value_of(const unsigned short* data, long long i, Format format) {
  return format == Format::half ? half_to_float(data[i]) : bfloat16_to_float(data[i]);
}

template <Format format, class Element>
__device__ double product(const Element* a, const Element* b, int n, int k, long long row, long long column) {
  double sum = 0.0;
  for (long long i = 0; i < k; ++i) sum += value_of(a, row * k + i, format) * value_of(b, i * n + column, format);
  return sum;
}

template <Format format, class Element>
__device__ void multiply_in_double(const Element* a, const Element* b, double* c, int m, int n, int k, float alpha,
                                   float beta) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<long long>(m) * n) return;
  const double sum = product<format>(a, b, n, k, index / n, index % n);
  c[index] = static_cast<double>(alpha) * sum + static_cast<double>(beta) * c[index];
}

__device__ inline double gelu(double x) {
  const double two_over_pi = 0.63661977236758134308;
  return 0.5 * x * (1.0 + tanh(sqrt(two_over_pi) * (x + 0.044715 * x * x * x)));
}

template <Format format, class Element>
__device__ void fuse_in_double(const Element* a, const Element* b, double* d, const float* vector,
                               const Element* residual, int m, int n, int k, float alpha) {
  const long long columns = fusion == Fusion::swiglu ? n / 2 : n;
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= m * columns) return;
  const long long row = index / columns;
  const long long column = index % columns;
  if (fusion == Fusion::swiglu) {
    const double gate = alpha * product<format>(a, b, n, k, row, 2 * column);
    d[index] = gate / (1.0 + exp(-gate)) * alpha * product<format>(a, b, n, k, row, 2 * column + 1);
    return;
  }
  const double x = alpha * product<format>(a, b, n, k, row, column);
  if (fusion == Fusion::bias) d[index] = x + vector[column];
  if (fusion == Fusion::bias_relu) d[index] = fmax(x + vector[column], 0.0);
  if (fusion == Fusion::bias_gelu) d[index] = gelu(x + vector[column]);
  if (fusion == Fusion::residual) d[index] = x + value_of(residual, index, format);
  if (fusion == Fusion::row_scale) d[index] = x * vector[row];
}

extern "C" __global__ void reference_of_floats(const float* a, const float* b, double* c, int m, int n, int k,
                                               float alpha, float beta) {
  multiply_in_double<Format::tf32>(a, b, c, m, n, k, alpha, beta);
}

extern "C" __global__ void reference_of_halves(const unsigned short* a, const unsigned short* b, double* c, int m,
                                               int n, int k, float alpha, float beta) {
  multiply_in_double<Format::half>(a, b, c, m, n, k, alpha, beta);
}

extern "C" __global__ void reference_of_bfloats(const unsigned short* a, const unsigned short* b, double* c, int m,
                                                int n, int k, float alpha, float beta) {
  multiply_in_double<Format::bfloat16>(a, b, c, m, n, k, alpha, beta);
}

extern "C" __global__ void fused_reference_of_floats(const float* a, const float* b, double* d, const float* vector,
                                                     const float* residual, int m, int n, int k, float alpha) {
  fuse_in_double<Format::tf32>(a, b, d, vector, residual, m, n, k, alpha);
}

extern "C" __global__ void fused_reference_of_halves(const unsigned short* a, const unsigned short* b, double* d,
                                                     const float* vector, const unsigned short* residual, int m, int n,
                                                     int k, float alpha) {
  fuse_in_double<Format::half>(a, b, d, vector, residual, m, n, k, alpha);
}

extern "C" __global__ void fused_reference_of_bfloats(const unsigned short* a, const unsigned short* b, double* d,
                                                      const float* vector, const unsigned short* residual, int m, int n,
                                                      int k, float alpha) {
  fuse_in_double<Format::bfloat16>(a, b, d, vector, residual, m, n, k, alpha);
}
