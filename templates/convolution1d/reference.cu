// The convolution in double precision, one thread per output.
extern "C" __global__ void convolution1d_reference(const float* input, double* output, const float* filter,
                                                   long long size, int radius) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  double sum = 0.0;
  for (long long t = -radius; t <= radius; ++t) {
    if (i + t >= 0 && i + t < size) sum += static_cast<double>(filter[t + radius]) * input[i + t];
  }
  output[i] = sum;
}
