// One step in double precision, one thread per point.
extern "C" __global__ void stencil2d_reference(const float* input, double* output, float centre, float side, int height,
                                               int width) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(height) * width) return;
  const long long row = i / width;
  const long long column = i % width;
  if (row == 0 || row == height - 1 || column == 0 || column == width - 1) {
    output[i] = input[i];
    return;
  }
  const double sum = static_cast<double>(input[i - width]) + input[i + width] + input[i - 1] + input[i + 1];
  output[i] = static_cast<double>(centre) * input[i] + static_cast<double>(side) * sum;
}
