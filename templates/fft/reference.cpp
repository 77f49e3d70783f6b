// The transforms in double, unscaled, by recursion over even and odd elements (Cooley & Tukey, 1965), and of an odd
// length by the sums that define them. Roots of unity are the library's sine and cosine.
#include <cmath>
#include <vector>

namespace {

struct Number {
  double re;
  double im;
};

Number product(Number a, Number b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Of a row: its numbers are `stride` apart, and roots are those of the whole row's length, length * stride.
void transform_directly(const float* input, Number* output, const std::vector<Number>& roots, long long length,
                        long long stride) {
  for (long long k = 0; k < length; ++k) {
    Number sum{0, 0};
    for (long long j = 0; j < length; ++j) {
      const Number term = product({input[2 * j * stride], input[2 * j * stride + 1]},
                                  roots[static_cast<std::size_t>(j * k % length * stride)]);
      sum = {sum.re + term.re, sum.im + term.im};
    }
    output[k] = sum;
  }
}

void transform(const float* input, Number* output, const std::vector<Number>& roots, long long length,
               long long stride) {
  if (length % 2 == 1) return transform_directly(input, output, roots, length, stride);
  const long long half = length / 2;
  transform(input, output, roots, half, 2 * stride);
  transform(input + 2 * stride, output + half, roots, half, 2 * stride);
  for (long long i = 0; i < half; ++i) {
    const Number turned = product(roots[static_cast<std::size_t>(i * stride)], output[half + i]);
    output[half + i] = {output[i].re - turned.re, output[i].im - turned.im};
    output[i] = {output[i].re + turned.re, output[i].im + turned.im};
  }
}

}  // namespace

// input, output: batch rows of `length` complex numbers.
extern "C" void fft_reference(const float* input, double* output, int length, int batch, int inverse) {
  const double turn = (inverse ? 2.0 : -2.0) * std::acos(-1.0) / length;
  std::vector<Number> roots(static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const double angle = turn * static_cast<double>(i);
    roots[i] = {std::cos(angle), std::sin(angle)};
  }
  const long long row = length;
#pragma omp parallel for
  for (int i = 0; i < batch; ++i) {
    transform(input + 2 * row * i, reinterpret_cast<Number*>(output) + row * i, roots, row, 1);
  }
}
