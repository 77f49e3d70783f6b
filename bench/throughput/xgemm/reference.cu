// One sum per thread, in double precision.
extern "C" __global__ void xgemm_reference(const float* a, const float* b, double* c, int m, int n, int k,
                                           float alpha) {
  const int element = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (element >= m * n) return;
  const int row = element % m;
  const int column = element / m;
  double sum = 0;
  for (int step = 0; step < k; ++step) {
    sum +=
        static_cast<double>(a[static_cast<long long>(step) * m + row]) * b[static_cast<long long>(step) * n + column];
  }
  c[element] = static_cast<double>(alpha) * sum;
}
