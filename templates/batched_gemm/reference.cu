// C[i] = A[i] * B[i] in double precision, a thread per element.
extern "C" __global__ void batched_gemm_reference(const float* a, const float* b, double* c, int batch, int m, int n,
                                                  int k) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<long long>(batch) * m * n) return;
  const long long product = index / (m * n);
  const int row = static_cast<int>(index % (m * n)) / n;
  const int column = static_cast<int>(index % n);
  const float* left = a + product * m * k + static_cast<long long>(row) * k;
  const float* right = b + product * k * n + column;
  double sum = 0.0;
  for (int i = 0; i < k; ++i)
    sum += static_cast<double>(left[i]) * static_cast<double>(right[static_cast<long long>(i) * n]);
  c[index] = sum;
}
