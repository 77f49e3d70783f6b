// The elements greater than a threshold in their order, each as one output or as several, which a function may change;
// what lies behind them stays as it is.
#include <cstring>

static unsigned bits_of(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float function_of(float value) {
  unsigned bits = bits_of(value);
  for (int round = 0; round < 64; ++round) {
    bits ^= bits >> 15;
    bits = bits * 1664525u + 1013904223u;
  }
  return static_cast<float>(bits / 256) / 16777216.0f;
}

extern "C" void compact_reference(const float* input, float* output, long long* count, long long size, float threshold,
                                  int several, int map) {
  *count = 0;
  for (long long i = 0; i < size; ++i) {
    if (!(input[i] > threshold)) continue;
    const unsigned outputs = several ? 1 + bits_of(input[i]) % 3 : 1;
    float part = input[i];
    for (unsigned k = 0; k < outputs; ++k) {
      output[(*count)++] = map ? function_of(part) : part;
      part /= 2;
    }
  }
}
