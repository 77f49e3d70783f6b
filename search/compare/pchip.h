// Implements monotone piecewise cubic interpolation (PCHIP).
#pragma once

#include <vector>

namespace warptune::search::compare {

// A MonotoneCubic goes through every point and has no extremum between them. It follows Fritsch and Butland 1984, "A
// method for constructing local monotone piecewise cubic interpolants", with the three-point end slopes of Moler 2004,
// "Numerical Computing with MATLAB", 3.6. Boost's pchip takes other end slopes, and those would move the published
// scores.
class MonotoneCubic {
 public:
  // There must be at least two points, with x strictly ascending. Otherwise it throws std::invalid_argument.
  MonotoneCubic(std::vector<double> x, std::vector<double> y);

  // Returns the values at ascending places within the range of x (outside, the end pieces are continued).
  std::vector<double> at_ascending(const std::vector<double>& places) const;

 private:
  double value(std::size_t piece, double place) const;

  std::vector<double> x_, y_, slope_;
};

}  // namespace warptune::search::compare
