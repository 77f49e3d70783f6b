// y = A * x in double precision, a warp per row. The products of two floats are exact there.
extern "C" __global__ void gemv_reference(const float* a, const float* x, double* y, int m, int n) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= m) return;
  double sum = 0.0;
  for (int column = lane; column < n; column += 32) {
    sum += static_cast<double>(a[static_cast<long long>(row) * n + column]) * x[column];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}
