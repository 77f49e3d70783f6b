// Computes medians and deviations of values that may be infinite.
#include "search/compare/statistics.h"

#include <algorithm>
#include <cmath>

namespace warptune::search::compare {

double median_of_sorted(const std::vector<double>& ascending) {
  const std::size_t middle = ascending.size() / 2;
  // Two equal middle values are their own mean, also if they are infinite.
  if (ascending.size() % 2 == 1 || ascending[middle - 1] == ascending[middle]) return ascending[middle];
  return (ascending[middle - 1] + ascending[middle]) / 2;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return median_of_sorted(values);
}

double standard_deviation(const std::vector<double>& values) {
  double n = 0, sum = 0;
  for (double value : values)
    if (std::isfinite(value)) ++n, sum += value;
  if (n < 2) return 0;
  double squares = 0;
  for (double value : values)
    if (std::isfinite(value)) squares += (value - sum / n) * (value - sum / n);
  return std::sqrt(squares / (n - 1));
}

}  // namespace warptune::search::compare
