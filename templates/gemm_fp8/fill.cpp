// 8-bit floats (e4m3), the nearest to random numbers that are uniform in [-1, 1].
#include <cmath>

// splitmix64's output function (Steele et al. 2014): a hash of a counter.
static unsigned long long hashed(unsigned long long i) {
  unsigned long long x = i * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// `magnitude` is at most 1. Below 2^-6 numbers are multiples of 2^-9.
static unsigned char e4m3(double magnitude, bool negative) {
  int exponent = magnitude > 0 ? std::ilogb(magnitude) : -6;
  if (exponent < -6) exponent = -6;
  const int eighths = static_cast<int>(std::rint(std::ldexp(magnitude, 3 - exponent)));  // of 2^exponent, up to 16
  const int code = (exponent + 6) * 8 + eighths;  // a fraction of 16 eighths is the next exponent's first number
  return static_cast<unsigned char>(code | (negative ? 0x80 : 0));
}

static void fill(unsigned char* bytes, long long size, unsigned long long seed) {
#pragma omp parallel for
  for (long long i = 0; i < size; ++i) {
    const unsigned long long bits = hashed(static_cast<unsigned long long>(i) + (seed << 40));
    bytes[i] = e4m3(static_cast<double>(bits >> 40) / 16777216.0, (bits & 1) != 0);
  }
}

extern "C" void random_bytes(unsigned char* a, unsigned char* b, int m, int n, int k) {
  fill(a, static_cast<long long>(m) * k, 1);
  fill(b, static_cast<long long>(n) * k, 2);
}
