// The whole cube for each output, one thread per output.
extern "C" __global__ void window_max3d_reference(const float* input, float* output, int depth, int height, int width,
                                                  int window, int before) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long plane = static_cast<long long>(height) * width;
  if (i >= depth * plane) return;
  const int z = static_cast<int>(i / plane);
  const int y = static_cast<int>(i / width % height);
  const int x = static_cast<int>(i % width);
  float maximum = input[i];
  for (int c = max(z - before, 0); c < min(z - before + window, depth); ++c) {
    for (int b = max(y - before, 0); b < min(y - before + window, height); ++b) {
      for (int a = max(x - before, 0); a < min(x - before + window, width); ++a)
        maximum = max(maximum, input[c * plane + static_cast<long long>(b) * width + a]);
    }
  }
  output[i] = maximum;
}
