// The transpose, a thread per element. No arithmetic, so double holds every float exactly.
extern "C" __global__ void transpose_reference(const float* input, double* output, int height, int width) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(height) * width) return;
  const long long row = i / width;
  const long long column = i % width;
  output[column * height + row] = input[i];
}
