// The whole window for each output, one thread per output.
extern "C" __global__ void window_max1d_reference(const float* input, float* output, long long size, int window,
                                                  int before) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float maximum = input[i];
  for (long long j = i - before; j < i - before + window; ++j)
    if (j >= 0 && j < size) maximum = max(maximum, input[j]);
  output[i] = maximum;
}
