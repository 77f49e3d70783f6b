// C = alpha * A * B + beta * C in double precision, a thread per element of C.
extern "C" __global__ void gemm_reference(const float* a, const float* b, double* c, int m, int n, int k, float alpha,
                                          float beta) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<long long>(m) * n) return;
  const long long row = index / n;
  const long long column = index % n;
  double sum = 0.0;
  for (long long i = 0; i < k; ++i) sum += static_cast<double>(a[row * k + i]) * static_cast<double>(b[i * n + column]);
  c[index] = static_cast<double>(alpha) * sum + static_cast<double>(beta) * c[index];
}
