// Special functions that C's library lacks, in double: those of float are rounded from them.

#if WARPTUNE_SELDOM_FUNCTIONS

// exp(x * x) * erfc(x): by Lentz's continued fraction where the product would be 0 * infinity.
inline double erfcx(double x) {
  if (x < 2) return exp(x * x) * erfc(x);
  double fraction = 0;
  for (int k = 120; k > 0; --k) fraction = 0.5 * k / (x + fraction);
  return 0.56418958354775628695 / (x + fraction);  // 1 / sqrt(pi)
}

// The root of erfc(y) = x on the side where erfc is small, by Newton's method on its logarithm, which is almost a
// parabola there.
inline double erfcinv(double x) {
  if (!(x >= 0 && x <= 2)) return NAN;
  if (x == 0) return INFINITY;
  if (x > 1) return x == 2 ? -INFINITY : -erfcinv(2 - x);
  const double wanted = log(x);
  double y = sqrt(wanted < -1 ? -wanted : 0.0) * 0.9;
  for (int i = 0; i < 40; ++i) {
    const double scaled = erfcx(y);
    const double step = (log(scaled) - y * y - wanted) * scaled / 1.1283791670955125739;  // 2 / sqrt(pi)
    y += step;
    if (fabs(step) < 1e-16 * y) break;
  }
  return y;
}
inline double erfinv(double x) {
  if (fabs(x) >= 0.5) return x > 0 ? erfcinv(1 - x) : -erfcinv(1 + x);
  double y = x * 0.88622692545275801365;  // sqrt(pi) / 2
  for (int i = 0; i < 8; ++i) y -= (erf(y) - x) * 0.88622692545275801365 * exp(y * y);
  return y;
}
inline double normcdf(double x) {
  return 0.5 * erfc(-x * M_SQRT1_2);
}
inline double normcdfinv(double p) {
  return -M_SQRT2 * erfcinv(2 * p);
}

namespace warptune_host {

// The modified Bessel functions' series; `order` 0 or 1.
inline double bessel_i(int order, double x) {
  double term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; k < 2000 && fabs(term) > 1e-17 * fabs(sum); ++k) {
    term *= x * x / 4 / k / (k + order);
    sum += term;
  }
  return sum;
}

}  // namespace warptune_host

inline double cyl_bessel_i0(double x) {
  return warptune_host::bessel_i(0, x);
}
inline double cyl_bessel_i1(double x) {
  return warptune_host::bessel_i(1, x);
}
#define WARPTUNE_FLOAT(name)                                 \
  inline float name##f(float x) {                            \
    return static_cast<float>(name(static_cast<double>(x))); \
  }                                                          \
  inline float name(float x) {                               \
    return name##f(x);                                       \
  }
WARPTUNE_FLOAT(erfcx)
WARPTUNE_FLOAT(erfinv)
WARPTUNE_FLOAT(erfcinv)
WARPTUNE_FLOAT(normcdf)
WARPTUNE_FLOAT(normcdfinv)
WARPTUNE_FLOAT(cyl_bessel_i0)
WARPTUNE_FLOAT(cyl_bessel_i1)
#undef WARPTUNE_FLOAT

#endif
