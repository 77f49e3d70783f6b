// Encodes configurations as rows of numbers, which are all that the models see of a search space.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <vector>

#include "search/space/search_space.h"

namespace warptune::search {

// A ThreadsPerBlock returns the threads per block of a configuration. If it is empty, they are the product of the
// parameters named block_size_x, _y and _z, the community's convention, if there are any.
using ThreadsPerBlock = std::function<double(const Configuration&)>;
using FirstGuess = std::function<double(const Configuration&)>;

// An Encoding has a column for each parameter with a choice, then columns for quantities that several parameters make
// together. The space must outlive the encoding.
class Encoding {
 public:
  // `first_guess` returns the expected logarithm of the time of any configuration. If it is empty, nothing is known.
  Encoding(const SearchSpace& space, ThreadsPerBlock threads_per_block, FirstGuess first_guess = {});

  Eigen::Index columns() const { return static_cast<Eigen::Index>(categorical_.size()); }
  // Marks the columns in which only equality means anything.
  const std::vector<bool>& categorical() const { return categorical_; }

  // Ordinal columns are about 0 to 1 wide: a parameter's value is its rank among those that occur.
  Eigen::RowVectorXf row(const Configuration& configuration) const;
  Eigen::MatrixXf rows(const std::vector<Configuration>& configurations) const;

  // Returns what is known of GPU kernels before any was run: a guess at the penalty in units of log time, which is 0
  // for the most plausible. With a first guess it is that guess, of which only differences mean something.
  double penalty(const Configuration& configuration) const;
  bool guesses() const { return static_cast<bool>(first_guess_); }

 private:
  struct Axis {
    std::size_t parameter;
    std::vector<float> position;  // by declared choice
  };

  void add_parameter(std::size_t parameter);
  void note_numbers(std::size_t parameter);
  double threads(const Configuration& configuration) const;
  double odd_part(const Configuration& configuration) const;

  const SearchSpace& space_;
  ThreadsPerBlock threads_per_block_;
  FirstGuess first_guess_;
  std::vector<Axis> axes_;
  std::vector<bool> categorical_;
  std::vector<std::size_t> block_, work_;             // parameters whose product is threads per block, work per thread
  std::vector<std::vector<double>> log2_, odd_log2_;  // by parameter and declared choice
  bool has_odd_ = false;
};

}  // namespace warptune::search
