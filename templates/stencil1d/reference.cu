// The weighted sums in double precision, one thread per output.
extern "C" __global__ void stencil1d_reference(const float* input, double* output, const float* weights, long long size,
                                               int radius) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  double sum = 0.0;
  for (int tap = -radius; tap <= radius; ++tap) {
    if (i + tap >= 0 && i + tap < size) sum += static_cast<double>(weights[tap + radius]) * input[i + tap];
  }
  output[i] = sum;
}
