// Keeps what was asked and told in a session, for models to learn from.
#pragma once

#include <Eigen/Dense>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/models/encoding.h"
#include "search/models/experience.h"
#include "search/trial.h"

namespace warptune::search {

// An Observation is one configuration that was asked for or told of.
struct Observation {
  Configuration configuration;
  Eigen::RowVectorXf row;
  double penalty = 0;  // Encoding::penalty
  double loss = 0;     // Experience::loss
  enum class State { pending, correct, failed } state = State::pending;
  std::vector<double> objectives;  // if correct
  double noise_variance = 0;       // of the logarithm of the time, as far as the trial tells
};

// A History keeps every observation, in the order of asking and telling, and numbers them. Models know an observation
// by its number.
class History {
 public:
  // `experience` may be nullptr; both arguments must outlive the history.
  explicit History(const Encoding& encoding, const Experience* experience = nullptr)
      : encoding_(encoding), experience_(experience) {}

  // Returns the number of the configuration's observation, which is pending if it is new.
  std::size_t add(const Configuration& configuration);
  std::size_t settle(const Trial& trial);

  const std::vector<Observation>& all() const { return all_; }
  std::size_t correct() const { return correct_; }
  std::size_t failed() const { return failed_; }
  std::size_t settled() const { return correct_ + failed_; }
  std::size_t pending() const { return all_.size() - settled(); }
  std::size_t objectives() const { return objectives_; }
  // Returns the number of the best correct observation by the first objective.
  std::optional<std::size_t> best() const { return best_; }

 private:
  const Encoding& encoding_;
  const Experience* experience_;
  std::vector<Observation> all_;
  std::unordered_map<Configuration, std::size_t, ConfigurationHash> numbers_;
  std::size_t correct_ = 0, failed_ = 0, objectives_ = 1;
  std::optional<std::size_t> best_;
};

}  // namespace warptune::search
