// Encodes problem sizes for models.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace warptune::search {

// Returns problem sizes as rows of features: their logarithms, and for several dimensions the sum of these, which is
// the whole of the work. Columns are 1 wide, as ordinal columns of parameters are, or less where sizes are close. Sizes
// that are not positive count as 1.
Eigen::MatrixXf size_rows(const std::vector<std::vector<double>>& sizes);

}  // namespace warptune::search
