// Defines the interface between a search with a model and the model.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace warptune::search {

// A Sample is what a model learns from one observation: a row of the encoding and a standardised value, of which
// smaller is better.
struct Sample {
  std::size_t number = 0;  // the observation's number in the history
  Eigen::RowVectorXf row;
  double value = 0;
  double noise_variance = 0;
};

// A Surrogate is a model of the values, with its beliefs about a set of candidates.
class Surrogate {
 public:
  virtual ~Surrogate() = default;

  // Learns everything anew. Forgets its candidates.
  virtual void fit(const std::vector<Sample>& samples) = 0;
  // Returns the most samples worth handing over.
  virtual std::size_t capacity() const = 0;
  // Returns the most candidates worth handing over with so many samples. This bounds the time of a refit.
  virtual std::size_t candidates(std::size_t samples) const = 0;

  // Returns the expected values at any rows, for choosing candidates.
  virtual Eigen::ArrayXf mean_at(const Eigen::MatrixXf& rows) const = 0;
  virtual void set_candidates(const Eigen::MatrixXf& rows) = 0;
  virtual const Eigen::ArrayXf& mean() const = 0;
  virtual const Eigen::ArrayXf& variance() const = 0;

  // Tells that this observation, which is not known yet, is under way.
  virtual void expect(std::size_t number, const Eigen::RowVectorXf& row) = 0;
  // Learns a sample that came since the last fit, expected or not.
  virtual void learn(const Sample& sample) = 0;
  // Learns other values of the same observations (another weighting of several objectives).
  virtual void relearn(const std::vector<Sample>& samples) { fit(samples); }
};

}  // namespace warptune::search
