// Orders sizes by their distances between the rows of size_rows.h.
#include "search/models/covering.h"

#include <limits>

#include "search/models/size_rows.h"

namespace warptune::search {

std::vector<std::size_t> covering_order(const std::vector<std::vector<double>>& sizes) {
  const Eigen::MatrixXf rows = size_rows(sizes);
  std::vector<std::size_t> order;
  if (sizes.empty()) return order;
  const Eigen::RowVectorXf middle = rows.colwise().mean();
  Eigen::Index next = 0;
  (rows.rowwise() - middle).rowwise().squaredNorm().minCoeff(&next);
  Eigen::VectorXf apart = Eigen::VectorXf::Constant(rows.rows(), std::numeric_limits<float>::max());
  while (order.size() < sizes.size()) {
    order.push_back(static_cast<std::size_t>(next));
    const Eigen::RowVectorXf at = rows.row(next);
    apart = apart.cwiseMin((rows.rowwise() - at).rowwise().squaredNorm());
    apart(next) = -1;
    for (const std::size_t taken : order) apart(static_cast<Eigen::Index>(taken)) = -1;
    apart.maxCoeff(&next);
  }
  return order;
}

}  // namespace warptune::search
