// Covariances of one row with many: most of what thinking costs.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace warptune::search {

struct CovarianceKernel;

// What a kernel's hyperparameters mean for the columns.
struct ColumnFactors {
  Eigen::ArrayXf factors;         // by column: of squared differences if ordinal, of being different if categorical
  std::vector<char> categorical;  // by column
  bool any_categorical = false;
  float variance = 1;
};

// A kernel whose hyperparameters stay, as numbers to multiply by. Eight rows at a time where the processor can, to the
// bit what Eigen gives in registers of four, so that both decide alike. A build for AVX2 alone was rejected, since one
// program is to run everywhere, and so was fusing multiplications with additions, which rounds otherwise.
class Covariances {
 public:
  explicit Covariances(const CovarianceKernel& kernel);

  // Of `row` with each of `points`.
  Eigen::ArrayXf with(const Eigen::Ref<const Eigen::MatrixXf>& points, const Eigen::RowVectorXf& row) const;

 private:
  ColumnFactors kernel_;
};

}  // namespace warptune::search
