// Chooses the slopes of the interpolation at its points, and evaluates its pieces.
#include "search/compare/pchip.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace warptune::search::compare {

namespace {

// Returns the slope at an end from its two nearest pieces (widths h0, h1 and secants d0, d1). The slope is held back so
// that the curve keeps its shape.
double end_slope(double h0, double h1, double d0, double d1) {
  const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0) return 0;
  if (d0 * d1 <= 0 && std::abs(slope) > 3 * std::abs(d0)) return 3 * d0;
  return slope;
}

// Returns the weighted harmonic mean of the secants on both sides, or 0 where they disagree in sign.
double inner_slope(double h0, double h1, double d0, double d1) {
  if (d0 * d1 <= 0) return 0;
  const double w0 = 2 * h1 + h0;
  const double w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / d0 + w1 / d1);
}

}  // namespace

MonotoneCubic::MonotoneCubic(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)) {
  const std::size_t n = x_.size();
  if (n < 2 || y_.size() != n) throw std::invalid_argument("interpolation needs two points or more, as many x as y");
  std::vector<double> h(n - 1), d(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i] = x_[i + 1] - x_[i];
    if (!(h[i] > 0)) throw std::invalid_argument("interpolation needs strictly ascending x");
    d[i] = (y_[i + 1] - y_[i]) / h[i];
  }
  slope_.assign(n, d[0]);
  if (n == 2) return;  // a straight line
  slope_.front() = end_slope(h[0], h[1], d[0], d[1]);
  slope_.back() = end_slope(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
  for (std::size_t i = 1; i + 1 < n; ++i) slope_[i] = inner_slope(h[i - 1], h[i], d[i - 1], d[i]);
}

double MonotoneCubic::value(std::size_t piece, double place) const {
  const double h = x_[piece + 1] - x_[piece];
  const double t = (place - x_[piece]) / h;
  const double u = 1 - t;
  // The sum is written so that a level piece is exactly level.
  return y_[piece] + (y_[piece + 1] - y_[piece]) * t * t * (3 - 2 * t) +
         h * t * u * (slope_[piece] * u - slope_[piece + 1] * t);
}

std::vector<double> MonotoneCubic::at_ascending(const std::vector<double>& places) const {
  std::vector<double> values;
  values.reserve(places.size());
  std::size_t piece = 0;
  for (double place : places) {
    while (piece + 2 < x_.size() && place > x_[piece + 1]) ++piece;
    values.push_back(value(piece, place));
  }
  return values;
}

}  // namespace warptune::search::compare
