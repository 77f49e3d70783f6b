// C = alpha * A * B + beta * C in double precision, a thread per element of C; transposed operands lie as k x m, n x k.
template <class Element>
__device__ void gemm_in_double(const Element* a, const Element* b, double* c, int m, int n, int k, Element alpha,
                               Element beta, int a_transposed, int b_transposed) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<long long>(m) * n) return;
  const long long row = index / n;
  const long long column = index % n;
  double sum = 0.0;
  for (long long i = 0; i < k; ++i) {
    const Element left = a[a_transposed ? i * m + row : row * k + i];
    const Element right = b[b_transposed ? column * k + i : i * n + column];
    sum += static_cast<double>(left) * static_cast<double>(right);
  }
  c[index] = static_cast<double>(alpha) * sum + static_cast<double>(beta) * c[index];
}

extern "C" __global__ void gemm_reference(const float* a, const float* b, double* c, int m, int n, int k, float alpha,
                                          float beta, int a_transposed, int b_transposed) {
  gemm_in_double(a, b, c, m, n, k, alpha, beta, a_transposed, b_transposed);
}

extern "C" __global__ void gemm_reference_of_doubles(const double* a, const double* b, double* c, int m, int n, int k,
                                                     double alpha, double beta, int a_transposed, int b_transposed) {
  gemm_in_double(a, b, c, m, n, k, alpha, beta, a_transposed, b_transposed);
}
