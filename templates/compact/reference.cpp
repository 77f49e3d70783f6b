// The positive elements in their order; what lies behind them stays as it is.
extern "C" void compact_reference(const float* input, float* output, long long* count, long long size) {
  *count = 0;
  for (long long i = 0; i < size; ++i) {
    if (input[i] > 0.0f) output[(*count)++] = input[i];
  }
}
