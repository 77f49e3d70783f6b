// The rows: uniform numbers, or a few values that are all there very often, with infinities and NaNs among them.
#include <cmath>
#include <cstring>

// splitmix64's output function (Steele et al. 2014): a hash of a counter.
static unsigned long long hashed(unsigned long long i) {
  unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

static float uniform(unsigned long long i) {
  return static_cast<float>(hashed(i) >> 40) * (8.0f / 16777216.0f) - 4.0f;
}

static float one_of_few(unsigned long long i) {
  static const float values[] = {-1.0f, -0.0f, 0.0f, 0.5f, 1.0f, 1.0f, 1.0f, -2.0f};
  if (i % 997 == 5) return i % 2 == 0 ? NAN : -NAN;
  if (i % 1009 == 7) return i % 2 == 0 ? INFINITY : -INFINITY;
  return values[hashed(i) % 8];
}

// Truncated, which is as good as rounded for data of one's own.
static unsigned short half_of(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  const unsigned sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<unsigned short>(sign | 0x7e00u);
  if (magnitude == 0x7f800000u) return static_cast<unsigned short>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) return static_cast<unsigned short>(sign);
  return static_cast<unsigned short>(sign | (magnitude - 0x38000000u) >> 13);
}

static unsigned short bfloat_of(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<unsigned short>(bits >> 16);
}

// precision: 0: float, 1: half, 2: bfloat16; only its matrix is filled.
extern "C" void make_elements(float* floats, unsigned short* halves, unsigned short* bfloats, long long count,
                              int precision, int few) {
  floats[0] = 0.0f;
  halves[0] = bfloats[0] = 0;
#pragma omp parallel for
  for (long long i = 0; i < count; ++i) {
    const auto number = static_cast<unsigned long long>(i);
    const float value = few != 0 ? one_of_few(number) : uniform(number);
    if (precision == 0) floats[i] = value;
    if (precision == 1) halves[i] = half_of(value);
    if (precision == 2) bfloats[i] = bfloat_of(value);
  }
}
