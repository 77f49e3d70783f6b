// Computes statistics of timing samples. All functions are pure.
#pragma once

#include <span>
#include <vector>

namespace warptune::tuner {

// Returns the middle value, or the mean of the two middle ones for an even count. `samples` must not be empty.
double median(std::vector<double> samples);

// A distribution-free 95 % confidence interval of the median from order statistics (Conover, "Practical Nonparametric
// Statistics", 3rd ed., section 3.2). Timing samples are skewed, so nothing is assumed about their shape. With fewer
// than six samples no such interval exists, and the interval is the whole range.
struct Interval {
  double low = 0;
  double high = 0;
};
Interval median_interval(std::span<const double> samples);

// Returns half the interval's width divided by the median. For two to five samples it uses half their range or half of
// Student's 95 % interval, whichever is wider. For one sample, and for a median of 0, the error is infinite. Medians
// and distribution-free intervals are used because times are skewed and not normally distributed: Hoefler and Belli
// 2015, "Scientific Benchmarking of Parallel Computing Systems".
double relative_error(std::span<const double> samples);

}  // namespace warptune::tuner
