// One of `steps` steps in double precision, one thread per point. The first reads the input, the last writes the
// output.
extern "C" __global__ void stencil3d_reference(const float* input, double* output, double* other, float centre,
                                               float side, int depth, int height, int width, int steps, int number) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long plane = static_cast<long long>(height) * width;
  if (i >= depth * plane) return;
  const bool to_output = (steps - 1 - number) % 2 == 0;
  const double* before = to_output ? other : output;
  double* after = to_output ? output : other;
  const auto at = [&](long long j) { return number == 0 ? static_cast<double>(input[j]) : before[j]; };
  const long long z = i / plane;
  const long long y = i / width % height;
  const long long x = i % width;
  if (z == 0 || z == depth - 1 || y == 0 || y == height - 1 || x == 0 || x == width - 1) {
    after[i] = at(i);
    return;
  }
  const double sum = at(i - plane) + at(i + plane) + at(i - width) + at(i + width) + at(i - 1) + at(i + 1);
  after[i] = static_cast<double>(centre) * at(i) + static_cast<double>(side) * sum;
}
