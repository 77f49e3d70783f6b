// The largest elements of each row by std::partial_sort of their places: NaNs first, equal elements from left to right.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

static double half_value(unsigned short bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                           : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                            : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 != 0 ? -magnitude : magnitude;
}

static double bfloat_value(unsigned short bits) {
  const unsigned wide = static_cast<unsigned>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

// precision: 0: float, 1: half, 2: bfloat16; top: elements to find, no more than a row has.
extern "C" void top_k_reference(const float* floats, const unsigned short* halves, const unsigned short* bfloats,
                                double* values, double* half_values, double* bfloat_values, int* indices, int rows,
                                int columns, int top, int precision) {
  double* results = precision == 0 ? values : precision == 1 ? half_values : bfloat_values;
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const long long begin = static_cast<long long>(row) * columns;
    std::vector<double> elements(static_cast<std::size_t>(columns));
    for (int i = 0; i < columns; ++i)
      elements[i] = precision == 0   ? floats[begin + i]
                    : precision == 1 ? half_value(halves[begin + i])
                                     : bfloat_value(bfloats[begin + i]);
    std::vector<int> places(static_cast<std::size_t>(columns));
    std::iota(places.begin(), places.end(), 0);
    const auto before = [&elements](int a, int b) {
      const bool a_is_nan = std::isnan(elements[a]), b_is_nan = std::isnan(elements[b]);
      if (a_is_nan != b_is_nan) return a_is_nan;
      if (!a_is_nan && elements[a] != elements[b]) return elements[a] > elements[b];
      return a < b;
    };
    std::partial_sort(places.begin(), places.begin() + top, places.end(), before);
    for (int i = 0; i < top; ++i) {
      results[static_cast<long long>(row) * top + i] = elements[places[i]];
      indices[static_cast<long long>(row) * top + i] = places[i];
    }
  }
}
