// Each token's row times the matrix of its expert in double precision, from the operands as they are stored, a thread
// per element of D.
#include "formats.cuh"

extern "C" __global__ void reference_products(const unsigned short* a, const unsigned short* b, double* d,
                                              const int* offsets, int tokens, int n, int k) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<long long>(tokens) * n) return;
  const long long row = index / n, column = index % n;
  long long expert = 0;
  while (offsets[expert + 1] <= row) ++expert;
  double sum = 0.0;
  for (long long i = 0; i < k; ++i)
    sum += static_cast<double>(value_of_bits<Format::PRECISION>(a[row * k + i])) *
           value_of_bits<Format::PRECISION>(b[(expert * k + i) * n + column]);
  d[index] = sum;
}
