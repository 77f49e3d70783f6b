// exp(-2 pi i * k / length), in double and rounded once, for the kernel's table (twiddles.cuh): `coarse` of them,
// evenly spaced, then those of the first `fine` k.
#include <cmath>

extern "C" void roots_of_unity(float* roots, int coarse, int fine) {
  const double turn = -2.0 * std::acos(-1.0);
  const double length = static_cast<double>(coarse) * fine;
  for (int k = 0; k < coarse + fine; ++k) {
    const double angle = k < coarse ? turn * k / coarse : turn * (k - coarse) / length;
    roots[2 * k] = static_cast<float>(std::cos(angle));
    roots[2 * k + 1] = static_cast<float>(std::sin(angle));
  }
}
