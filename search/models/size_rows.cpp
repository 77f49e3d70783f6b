// Computes the features of sizes and scales their columns.
#include "search/models/size_rows.h"

#include <algorithm>
#include <cmath>

namespace warptune::search {

Eigen::MatrixXf size_rows(const std::vector<std::vector<double>>& sizes) {
  const auto n = static_cast<Eigen::Index>(sizes.size());
  const auto dimensions = static_cast<Eigen::Index>(sizes.empty() ? 0 : sizes.front().size());
  Eigen::MatrixXf rows = Eigen::MatrixXf::Zero(n, dimensions + (dimensions > 1 ? 1 : 0));
  for (Eigen::Index s = 0; s < n; ++s)
    for (Eigen::Index d = 0; d < dimensions; ++d) {
      const double size = sizes[static_cast<std::size_t>(s)][static_cast<std::size_t>(d)];
      rows(s, d) = static_cast<float>(size > 0 ? std::log2(size) : 0);
    }
  if (dimensions > 1) rows.col(dimensions) = rows.leftCols(dimensions).rowwise().sum();
  constexpr float narrowest = 3;  // octaves
  for (Eigen::Index c = 0; c < rows.cols(); ++c) {
    const float low = n > 0 ? rows.col(c).minCoeff() : 0, high = n > 0 ? rows.col(c).maxCoeff() : 0;
    rows.col(c) = (rows.col(c).array() - low) / std::max(narrowest, high - low);
  }
  return rows;
}

}  // namespace warptune::search
