// C = alpha * A * B + beta * C in double precision, from the operands as they are stored, a thread per element of C.
#include "formats.cuh"

__device__ inline double value_of(const float* data, long long i, Format) {
  return data[i];
}
__device__ inline double value_of(const unsigned short* data, long long i, Format format) {
  return format == Format::half ? half_to_float(data[i]) : bfloat16_to_float(data[i]);
}

template <Format format, class Element>
__device__ void multiply_in_double(const Element* a, const Element* b, double* c, int m, int n, int k, float alpha,
                                   float beta) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<long long>(m) * n) return;
  const long long row = index / n;
  const long long column = index % n;
  double sum = 0.0;
  for (long long i = 0; i < k; ++i) sum += value_of(a, row * k + i, format) * value_of(b, i * n + column, format);
  c[index] = static_cast<double>(alpha) * sum + static_cast<double>(beta) * c[index];
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
