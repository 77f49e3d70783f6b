// Computes the covariances of one row with many, which is most of what a model's decision costs.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace warptune::search {

struct CovarianceKernel;

// ColumnFactors says what a kernel's hyperparameters mean for the columns.
struct ColumnFactors {
  Eigen::ArrayXf factors;         // by column: of squared differences if ordinal, of being different if categorical
  std::vector<char> categorical;  // by column
  bool any_categorical = false;
  float variance = 1;
};

// Covariances holds a kernel whose hyperparameters stay, as numbers to multiply by. It computes eight rows at a time
// where the processor can. To the bit, the results are what Eigen gives in registers of four, so that both decide
// alike. A build for AVX2 alone was rejected, since one program is to run everywhere, and so was fusing multiplications
// with additions, which rounds otherwise.
class Covariances {
 public:
  explicit Covariances(const CovarianceKernel& kernel);

  // Returns the covariances of `row` with each of `points`.
  Eigen::ArrayXf with(const Eigen::Ref<const Eigen::MatrixXf>& points, const Eigen::RowVectorXf& row) const;

 private:
  ColumnFactors kernel_;
};

}  // namespace warptune::search
