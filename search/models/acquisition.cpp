// Computes acquisition values of whole arrays of candidates, in single precision.
#include "search/models/acquisition.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace warptune::search {

namespace {

// These functions return the normal density and its upper tail for x >= 0, with an absolute error of 7.5e-8 (Abramowitz
// and Stegun 1964, 26.2.17). They take whole arrays at a time, because a search would otherwise spend its time in the
// library's error function.
Eigen::ArrayXf density(const Eigen::ArrayXf& x) {
  return 0.39894228f * (-0.5f * x.square()).exp();
}

Eigen::ArrayXf upper_tail(const Eigen::ArrayXf& x, const Eigen::ArrayXf& density) {
  const Eigen::ArrayXf t = 1 / (1 + 0.2316419f * x);
  return density * t *
         (0.319381530f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
}

}  // namespace

Acquisition acquisition_from(std::string_view name) {
  if (name == "improvement") return Acquisition::improvement;
  if (name == "probability") return Acquisition::probability;
  if (name == "bound") return Acquisition::bound;
  throw std::invalid_argument("there is no acquisition '" + std::string(name) +
                              "'; there are improvement, probability, bound");
}

Eigen::ArrayXf acquisition(Acquisition kind, const Eigen::ArrayXf& mean, const Eigen::ArrayXf& variance, float best) {
  const Eigen::ArrayXf deviation = variance.sqrt(), gain = best - mean;
  if (kind == Acquisition::bound) return (gain + 1.5f * deviation).max(0.0f);
  const Eigen::ArrayXf u = gain / deviation, size = u.abs(), height = density(size);
  const Eigen::ArrayXf tail = upper_tail(size, height);
  const Eigen::ArrayXf below = (u > 0).select(1 - tail, tail);
  if (kind == Acquisition::probability) return below;
  return (gain * below + deviation * height).max(0.0f);
}

float variance_factor(std::size_t pending, std::size_t settled) {
  constexpr double weight = 3;
  return static_cast<float>(1 + weight * static_cast<double>(pending) /
                                    static_cast<double>(std::max<std::size_t>(settled, 1)));
}

}  // namespace warptune::search
