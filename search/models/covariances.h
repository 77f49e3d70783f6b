// Covariances eight at a time, where the processor can: most of what thinking costs.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace warptune::search {

// What a kernel's hyperparameters mean for a column: factors of squared differences, or weights of being different.
struct ColumnFactors {
  Eigen::ArrayXf factors;         // by column
  std::vector<char> categorical;  // by column
  bool any_categorical = false;
  float variance = 1;
};

// Covariances of `row` with the first rows of `points`, as many as are a multiple of eight; none where the processor
// lacks AVX2. Returns how many. To the bit what Eigen's expression in kernel.cpp gives in registers of four: a seed
// decides alike on all processors. A build for AVX2 alone was rejected, since one program is to run everywhere, and so
// was fusing multiplications and additions, which rounds otherwise.
Eigen::Index covariances_wide(const ColumnFactors& kernel, const Eigen::Ref<const Eigen::MatrixXf>& points,
                              const Eigen::RowVectorXf& row, Eigen::ArrayXf& result);

}  // namespace warptune::search
