// Computes covariances with AVX2, eight rows at a time, where the processor has it, and with Eigen elsewhere.
#include "search/models/gaussian/covariances.h"

#include <cmath>
#include <limits>

#include "search/models/gaussian/covariance_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WARPTUNE_AVX2 __attribute__((target("avx2")))
#endif

namespace warptune::search {

namespace {

#ifdef WARPTUNE_AVX2

constexpr std::size_t width = 8, most_registers = 4;

WARPTUNE_AVX2 inline __m256 all(float value) {
  return _mm256_set1_ps(value);
}

// Returns a * b + c, rounded twice.
WARPTUNE_AVX2 inline __m256 multiply_add(__m256 a, __m256 b, __m256 c) {
  return _mm256_add_ps(_mm256_mul_ps(a, b), c);
}

// Computes the square root as Eigen does, from the approximation of its reciprocal and one step of Newton's method. It
// returns 0 for what is below the least normal number.
WARPTUNE_AVX2 inline __m256 square_root(__m256 x) {
  const __m256 half = _mm256_mul_ps(x, all(-0.5f)), guess = _mm256_rsqrt_ps(x);
  const __m256 better = _mm256_mul_ps(guess, multiply_add(half, _mm256_mul_ps(guess, guess), all(1.5f)));
  const __m256 tiny = _mm256_cmp_ps(x, all(std::numeric_limits<float>::min()), _CMP_LT_OQ);
  return _mm256_andnot_ps(tiny, _mm256_mul_ps(x, better));
}

WARPTUNE_AVX2 inline __m256 power_of_two(__m256i exponent) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(exponent, _mm256_set1_epi32(127)), 23));
}

// Computes the exponential as Cephes' expf does, in Eigen's order of operations.
WARPTUNE_AVX2 inline __m256 exponential(__m256 given) {
  const __m256 x = _mm256_max_ps(_mm256_min_ps(given, all(88.723f)), all(-88.723f));
  const __m256 whole = _mm256_floor_ps(multiply_add(x, all(1.44269504088896341f), all(0.5f)));
  __m256 r = multiply_add(whole, all(-0.693359375f), x);
  r = multiply_add(whole, all(2.12194440e-4f), r);
  const __m256 r2 = _mm256_mul_ps(r, r), r3 = _mm256_mul_ps(r2, r);
  __m256 y = multiply_add(all(1.9875691500E-4f), r, all(1.3981999507E-3f));
  __m256 low = multiply_add(all(4.1665795894E-2f), r, all(1.6666665459E-1f));
  y = multiply_add(y, r, all(8.3334519073E-3f));
  low = multiply_add(low, r, all(5.0000001201E-1f));
  y = multiply_add(y, r3, low);
  y = multiply_add(y, r2, _mm256_add_ps(r, all(1)));
  // The power of two is multiplied in two steps, because its exponent may be below that of a normal number.
  const __m256i exponent = _mm256_cvtps_epi32(whole), half = _mm256_srai_epi32(exponent, 1);
  return _mm256_mul_ps(_mm256_mul_ps(y, power_of_two(half)), power_of_two(_mm256_sub_epi32(exponent, half)));
}

// Computes the covariances of as many rows as several registers hold, so that what a column needs is read once for all
// of them.
template <std::size_t registers>
WARPTUNE_AVX2 void covariances_of(const ColumnFactors& kernel, const float* points, Eigen::Index stride,
                                  const float* row, float* result) {
  __m256 distance[registers], differing[registers];
  for (std::size_t i = 0; i < registers; ++i) distance[i] = differing[i] = _mm256_setzero_ps();
  for (Eigen::Index c = 0; c < kernel.factors.size(); ++c) {
    const float* const column = points + c * stride;
    const __m256 other = all(row[c]), factor = all(kernel.factors(c));
    if (kernel.categorical[static_cast<std::size_t>(c)]) {
      for (std::size_t i = 0; i < registers; ++i) {
        const __m256 differs = _mm256_cmp_ps(_mm256_loadu_ps(column + i * width), other, _CMP_NEQ_UQ);
        differing[i] = _mm256_add_ps(differing[i], _mm256_and_ps(differs, factor));
      }
    } else {
      for (std::size_t i = 0; i < registers; ++i) {
        const __m256 difference = _mm256_sub_ps(_mm256_loadu_ps(column + i * width), other);
        distance[i] = multiply_add(factor, _mm256_mul_ps(difference, difference), distance[i]);
      }
    }
  }
  for (std::size_t i = 0; i < registers; ++i) {
    const __m256 d = square_root(distance[i]);
    const __m256 exponent = kernel.any_categorical ? _mm256_add_ps(differing[i], d) : d;
    const __m256 polynomial =
        _mm256_add_ps(_mm256_add_ps(all(1), d), _mm256_mul_ps(_mm256_mul_ps(d, d), all(1.0f / 3)));
    const __m256 decay = exponential(_mm256_xor_ps(exponent, all(-0.0f)));
    _mm256_storeu_ps(result + i * width, _mm256_mul_ps(_mm256_mul_ps(all(kernel.variance), polynomial), decay));
  }
}

// Computes the covariances of the first rows of `points`, as many as are a multiple of eight, or of none where the
// processor lacks AVX2. Returns how many.
Eigen::Index wide(const ColumnFactors& kernel, const Eigen::Ref<const Eigen::MatrixXf>& points,
                  const Eigen::RowVectorXf& row, Eigen::ArrayXf& result) {
  static const bool able = __builtin_cpu_supports("avx2");
  if (!able) return 0;
  constexpr Eigen::Index one = width, most = most_registers * width;
  const Eigen::Index count = points.rows() / one * one;
  Eigen::Index i = 0;
  for (; i + most <= count; i += most)
    covariances_of<most_registers>(kernel, points.data() + i, points.outerStride(), row.data(), result.data() + i);
  for (; i < count; i += one)
    covariances_of<1>(kernel, points.data() + i, points.outerStride(), row.data(), result.data() + i);
  return count;
}

#else

Eigen::Index wide(const ColumnFactors&, const Eigen::Ref<const Eigen::MatrixXf>&, const Eigen::RowVectorXf&,
                  Eigen::ArrayXf&) {
  return 0;
}

#endif

Eigen::ArrayXf narrow(const ColumnFactors& kernel, const Eigen::Ref<const Eigen::MatrixXf>& points,
                      const Eigen::RowVectorXf& row) {
  Eigen::ArrayXf distance = Eigen::ArrayXf::Zero(points.rows()), differing = distance;
  for (Eigen::Index c = 0; c < points.cols(); ++c) {
    if (kernel.categorical[static_cast<std::size_t>(c)])
      differing += kernel.factors(c) * (points.col(c).array() != row(c)).cast<float>();
    else
      distance += kernel.factors(c) * (points.col(c).array() - row(c)).square();
  }
  distance = distance.sqrt();
  if (kernel.any_categorical) differing += distance;
  return kernel.variance * (1 + distance + distance.square() * (1.0f / 3)) *
         (kernel.any_categorical ? -differing : -distance).exp();
}

}  // namespace

Covariances::Covariances(const CovarianceKernel& kernel)
    : kernel_{Eigen::ArrayXf(kernel.log_scale.size()),
              {kernel.categorical.begin(), kernel.categorical.end()},
              false,
              static_cast<float>(kernel.variance())} {
  for (Eigen::Index c = 0; c < kernel.log_scale.size(); ++c) {
    const bool categorical = kernel.categorical[static_cast<std::size_t>(c)];
    const double log_scale = kernel.log_scale(c);
    kernel_.any_categorical |= categorical;
    kernel_.factors(c) = static_cast<float>(categorical ? std::exp(log_scale) : 5 * std::exp(-2 * log_scale));
  }
}

Eigen::ArrayXf Covariances::with(const Eigen::Ref<const Eigen::MatrixXf>& points, const Eigen::RowVectorXf& row) const {
  Eigen::ArrayXf result(points.rows());
  const Eigen::Index done = wide(kernel_, points, row, result), left = points.rows() - done;
  if (left > 0) result.tail(left) = narrow(kernel_, points.bottomRows(left), row);
  return result;
}

}  // namespace warptune::search
