// The layer in double precision, a thread an output.
extern "C" __global__ void conv_layer_reference(const float* input, const float* filters, double* output, int channels,
                                                int height, int width, int filter_count, int out_height, int out_width,
                                                int taps_y, int taps_x, int stride, int pad_y, int pad_x,
                                                long long outputs) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= outputs) return;
  const int q = static_cast<int>(i % out_width);
  const int p = static_cast<int>(i / out_width % out_height);
  const long long filter = i / out_width / out_height % filter_count;
  const long long image = i / out_width / out_height / filter_count;
  double sum = 0.0;
  for (int c = 0; c < channels; ++c) {
    for (int r = 0; r < taps_y; ++r) {
      const int y = p * stride - pad_y + r;
      if (y < 0 || y >= height) continue;
      for (int s = 0; s < taps_x; ++s) {
        const int x = q * stride - pad_x + s;
        if (x < 0 || x >= width) continue;
        sum += static_cast<double>(filters[((filter * channels + c) * taps_y + r) * taps_x + s]) *
               input[((image * channels + c) * height + y) * width + x];
      }
    }
  }
  output[i] = sum;
}
