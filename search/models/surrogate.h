// The interface between searching with a model and the model.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace warptune::search {

// What a model learns from: a row of the encoding and a standardised value, smaller is better, an observation.
struct Sample {
  std::size_t number = 0;  // the observation's, in the history
  Eigen::RowVectorXf row;
  double value = 0;
  double noise_variance = 0;
};

// A model of the values, with its beliefs about a set of candidates.
class Surrogate {
 public:
  virtual ~Surrogate() = default;

  // Learns everything anew. Forgets its candidates.
  virtual void fit(const std::vector<Sample>& samples) = 0;
  // The most samples worth handing over.
  virtual std::size_t capacity() const = 0;
  // The most candidates worth handing over with so many samples: what bounds the time of a refit.
  virtual std::size_t candidates(std::size_t samples) const = 0;

  // Expected values at any rows, for choosing candidates.
  virtual Eigen::ArrayXf mean_at(const Eigen::MatrixXf& rows) const = 0;
  virtual void set_candidates(const Eigen::MatrixXf& rows) = 0;
  virtual const Eigen::ArrayXf& mean() const = 0;
  virtual const Eigen::ArrayXf& variance() const = 0;

  // This observation, not yet known, is under way.
  virtual void expect(std::size_t number, const Eigen::RowVectorXf& row) = 0;
  // A sample since the last fit, expected or not.
  virtual void learn(const Sample& sample) = 0;
  // The same observations have other values (another weighting of several objectives).
  virtual void relearn(const std::vector<Sample>& samples) { fit(samples); }
};

}  // namespace warptune::search
