// The convolution in double precision, one thread per output. A separable filter is its column, then its row.
extern "C" __global__ void convolution2d_reference(const float* input, double* output, const float* filter, int height,
                                                   int width, int radius, int separable) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(height) * width) return;
  const int row = static_cast<int>(i / width);
  const int column = static_cast<int>(i % width);
  const int taps = 2 * radius + 1;
  double sum = 0.0;
  for (int y = 0; y < taps; ++y) {
    for (int x = 0; x < taps; ++x) {
      const int r = row + y - radius;
      const int c = column + x - radius;
      if (r < 0 || r >= height || c < 0 || c >= width) continue;
      const double weight = separable ? static_cast<double>(filter[y]) * filter[taps + x] : filter[y * taps + x];
      sum += weight * input[static_cast<long long>(r) * width + c];
    }
  }
  output[i] = sum;
}
