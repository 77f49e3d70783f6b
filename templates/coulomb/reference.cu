// The potential in double precision, a thread per grid point.
extern "C" __global__ void coulomb_reference(const float* atoms, double* potential, int nx, int ny, int nz, int count) {
  const long long point = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (point >= static_cast<long long>(nx) * ny * nz) return;
  const double x = 0.5 * static_cast<double>(point % nx);
  const double y = 0.5 * static_cast<double>(point / nx % ny);
  const double z = 0.5 * static_cast<double>(point / nx / ny);
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    const float* atom = atoms + 4 * static_cast<long long>(i);
    const double dx = x - static_cast<double>(atom[0]);
    const double dy = y - static_cast<double>(atom[1]);
    const double dz = z - static_cast<double>(atom[2]);
    sum += static_cast<double>(atom[3]) / sqrt(dx * dx + dy * dy + dz * dz);
  }
  potential[point] = sum;
}
