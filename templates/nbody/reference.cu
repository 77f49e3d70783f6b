// Softened gravitational accelerations in double precision, a thread per body.
extern "C" __global__ void nbody_reference(const float* bodies, double* accelerations, int size) {
  const int body = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (body >= size) return;
  const float* own = bodies + 4 * static_cast<long long>(body);
  double sums[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < size; ++i) {
    const float* source = bodies + 4 * static_cast<long long>(i);
    double to[3];
    double distance2 = static_cast<double>(0.01f);
    for (int d = 0; d < 3; ++d) {
      to[d] = static_cast<double>(source[d]) - static_cast<double>(own[d]);
      distance2 += to[d] * to[d];
    }
    const double strength = static_cast<double>(source[3]) / (distance2 * sqrt(distance2));
    for (int d = 0; d < 3; ++d) sums[d] += strength * to[d];
  }
  for (int d = 0; d < 3; ++d) accelerations[3 * static_cast<long long>(body) + d] = sums[d];
}
