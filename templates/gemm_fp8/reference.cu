// D = A * transposed(B) in double precision, from what the bytes and their scales stand for, a thread per element of D.
#include "formats.cuh"

enum class Scales { tensor, blockwise };

constexpr Scales scales = Scales::SCALES;

extern "C" __global__ void reference_product(const unsigned char* a, const unsigned char* b, double* d,
                                             const float* of_a, const float* of_b, int m, int n, int k) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<long long>(m) * n) return;
  const long long row = index / n, column = index % n;
  const int blocks = (k + 127) / 128;
  double sum = 0.0;
  for (int block = 0; block < blocks; ++block) {
    double part = 0.0;
    for (int i = block * 128; i < k && i < block * 128 + 128; ++i)
      part += static_cast<double>(e4m3_to_float(a[row * k + i])) * e4m3_to_float(b[column * k + i]);
    const double scale = scales == Scales::tensor ? static_cast<double>(of_a[0]) * of_b[0]
                                                  : static_cast<double>(of_a[static_cast<long long>(block) * m + row]) *
                                                        of_b[column / 128 * blocks + block];
    sum += part * scale;
  }
  d[index] = sum;
}
