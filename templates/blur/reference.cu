// Sum and number of the pixels around each one, one thread per pixel: exact in integers.
extern "C" __global__ void blur_reference(const unsigned char* input, unsigned char* output, int height, int width,
                                          int radius) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(height) * width) return;
  const int row = static_cast<int>(i / width);
  const int column = static_cast<int>(i % width);
  long long sum = 0;
  long long count = 0;
  for (int r = row - radius; r <= row + radius; ++r) {
    for (int c = column - radius; c <= column + radius; ++c) {
      if (r < 0 || r >= height || c < 0 || c >= width) continue;
      sum += input[static_cast<long long>(r) * width + c];
      ++count;
    }
  }
  output[i] = static_cast<unsigned char>((2 * sum + count) / (2 * count));
}
