// Rotations in double precision, from the elements as they are stored and angles by double functions; a thread per
// pair.
#include <warptune/device/numbers16.cuh>

using warptune::device::NumberFormat;
using warptune::device::StoredNumber;
using warptune::device::to_float;

enum class ReferencePairs { adjacent, halves };

// In place, y holds the elements.
template <NumberFormat format>
__device__ void rope_in_double(const typename StoredNumber<format>::type* x, double* y, const int* positions,
                               int tokens, int heads, int elements, double base) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int threads_per_head = (elements + 1) / 2;
  if (i >= static_cast<long long>(tokens) * heads * threads_per_head) return;
  const int pair = static_cast<int>(i % threads_per_head);
  const long long begin = i / threads_per_head * elements;
  const auto element = [&](long long at) { return IN_PLACE ? y[at] : static_cast<double>(to_float<format>(x[at])); };
  if (pair == elements / 2) {  // the last one of an odd number
    y[begin + elements - 1] = element(begin + elements - 1);
    return;
  }
  const bool halves = ReferencePairs::PAIRS == ReferencePairs::halves;
  const long long first = begin + (halves ? pair : 2 * pair), second = first + (halves ? elements / 2 : 1);
  const double angle = positions[i / threads_per_head / heads] * pow(base, -2.0 * pair / elements);
  const double a = element(first), b = element(second);
  y[first] = a * cos(angle) - b * sin(angle);
  y[second] = b * cos(angle) + a * sin(angle);
}

extern "C" __global__ void reference_of_floats(const float* x, double* y, const int* positions, int tokens, int heads,
                                               int elements, double base) {
  rope_in_double<NumberFormat::float32>(x, y, positions, tokens, heads, elements, base);
}

extern "C" __global__ void reference_of_halves(const unsigned short* x, double* y, const int* positions, int tokens,
                                               int heads, int elements, double base) {
  rope_in_double<NumberFormat::half>(x, y, positions, tokens, heads, elements, base);
}

extern "C" __global__ void reference_of_bfloats(const unsigned short* x, double* y, const int* positions, int tokens,
                                                int heads, int elements, double base) {
  rope_in_double<NumberFormat::bfloat16>(x, y, positions, tokens, heads, elements, base);
}
