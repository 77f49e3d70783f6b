// The transforms in double, unscaled, by recursion over even and odd elements (Cooley & Tukey, 1965): roots from a
// table of the library's sine and cosine, errors of about 1e-16 times the logarithm of the length.
#include <cmath>
#include <complex>
#include <vector>

namespace {

using Number = std::complex<double>;

// output[0 .. length) from input[0], input[stride], ...; roots: of the whole length, `stride` times this one's.
void transform(const float* input, Number* output, const Number* roots, long long length, long long stride) {
  if (length == 1) {
    output[0] = Number(input[0], input[1]);
    return;
  }
  const long long half = length / 2;
  transform(input, output, roots, half, 2 * stride);
  transform(input + 2 * stride, output + half, roots, half, 2 * stride);
  for (long long i = 0; i < half; ++i) {
    const Number root = roots[i * stride], right = output[half + i];
    const Number turned(root.real() * right.real() - root.imag() * right.imag(),
                        root.real() * right.imag() + root.imag() * right.real());
    output[half + i] = output[i] - turned;
    output[i] += turned;
  }
}

}  // namespace

// input, output: batch rows of 2^log2_length complex numbers.
extern "C" void fft_reference(const float* input, double* output, int log2_length, int batch, int inverse) {
  const long long length = 1ll << log2_length;
  const double turn = (inverse ? 2.0 : -2.0) * std::acos(-1.0) / static_cast<double>(length);
  std::vector<Number> roots(static_cast<std::size_t>(length / 2 + 1));
  for (std::size_t i = 0; i < roots.size(); ++i) roots[i] = std::polar(1.0, turn * static_cast<double>(i));
#pragma omp parallel for
  for (int row = 0; row < batch; ++row) {
    transform(input + 2 * length * row, reinterpret_cast<Number*>(output) + length * row, roots.data(), length, 1);
  }
}
