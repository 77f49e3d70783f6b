// Statistics of timing samples as pure functions.
#pragma once

#include <span>
#include <vector>

namespace warptune::tuner {

// Middle value; the mean of the two middle ones for an even count. `samples` must not be empty.
double median(std::vector<double> samples);

// A distribution-free 95 % confidence interval of the median from order statistics (Conover, "Practical Nonparametric
// Statistics", 3rd ed., section 3.2): timing samples are skewed, so nothing is assumed about their shape. With fewer
// than six samples no such interval exists; then the whole range is given.
struct Interval {
  double low = 0;
  double high = 0;
};
Interval median_interval(std::span<const double> samples);

// Half the interval's width over the median. Of two to five samples half their range or half of Student's 95 %
// interval, whichever is wider; of one sample, and for a median of 0, infinite. Medians and distribution-free intervals
// because times are skewed and no normal ones: Hoefler and Belli 2015, "Scientific Benchmarking of Parallel Computing
// Systems".
double relative_error(std::span<const double> samples);

}  // namespace warptune::tuner
