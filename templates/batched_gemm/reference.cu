// The products in double precision; a thread per element.
extern "C" __global__ void batched_gemm_reference(const float* a, const float* b, double* c, int batch, int m, int n,
                                                  int k) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(batch) * m * n) return;
  const long long matrix = i / (m * n);
  const int row = static_cast<int>(i / n % m), column = static_cast<int>(i % n);
  a += matrix * m * k + row * k;
  b += matrix * k * n + column;
  double sum = 0.0;
  for (int depth = 0; depth < k; ++depth) sum += static_cast<double>(a[depth]) * b[depth * n];
  c[i] = sum;
}
