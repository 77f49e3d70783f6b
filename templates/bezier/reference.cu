// Each curve's points in double precision, one thread per curve.
extern "C" __global__ void tessellate_reference(const int* corners, const int* shifts, double* points, int* counts,
                                                long long curves, int most, long long quality) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= curves) return;
  long long x[3], y[3];
  for (int i = 0; i < 3; ++i) {
    x[i] = corners[index * 6 + 2 * i] >> shifts[index];
    y[i] = corners[index * 6 + 2 * i + 1] >> shifts[index];
  }
  const long long dx = x[0] - 2 * x[1] + x[2], dy = y[0] - 2 * y[1] + y[2];
  const long long bound = (dx * dx + dy * dy) * quality * quality;
  long long n = 1;
  while (16 * n * n * n * n < bound) ++n;
  counts[index] = static_cast<int>(n) + 1;
  for (long long i = 0; i <= n; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(n), s = 1 - t;
    points[(index * most + i) * 2] = s * s * x[0] + 2 * s * t * x[1] + t * t * x[2];
    points[(index * most + i) * 2 + 1] = s * s * y[0] + 2 * s * t * y[1] + t * t * y[2];
  }
}
