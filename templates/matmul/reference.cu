// C = A * B in double precision, a thread per element of C.
extern "C" __global__ void matmul_reference(const float* A, const float* B, double* C, int M, int N, int K) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<long long>(M) * N) return;
  const long long row = index / N;
  const long long column = index % N;
  double sum = 0.0;
  for (long long k = 0; k < K; ++k) {
    sum += static_cast<double>(A[row * K + k]) * static_cast<double>(B[k * N + column]);
  }
  C[index] = sum;
}
