// One step in double precision, a thread a point.
extern "C" __global__ void stencil3d_reference(const float* input, double* output, float centre, float side, int depth,
                                               int height, int width) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long plane = static_cast<long long>(height) * width;
  if (i >= depth * plane) return;
  const long long z = i / plane;
  const long long y = i / width % height;
  const long long x = i % width;
  if (z == 0 || z == depth - 1 || y == 0 || y == height - 1 || x == 0 || x == width - 1) {
    output[i] = input[i];
    return;
  }
  const double sum = static_cast<double>(input[i - plane]) + input[i + plane] + input[i - width] + input[i + width] +
                     input[i - 1] + input[i + 1];
  output[i] = static_cast<double>(centre) * input[i] + static_cast<double>(side) * sum;
}
