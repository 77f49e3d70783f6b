// One model of one kernel at many problem sizes: what was measured at some of them tells what to try at the others.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/models/covariance_kernel.h"
#include "search/models/encoding.h"
#include "search/trial.h"

namespace warptune::search {

// A Gaussian process whose features are the encoded parameters and the logarithms of the sizes, so that it learns in
// which dimensions a kernel's best configuration changes (multi-task Bayesian optimisation with continuous contexts:
// Krause and Ong 2011). Each size has a level of its own, which is taken off the logarithms of its times first, and so
// is what a first guess says, as far as the times bear it out. For one thread; the encoding must outlive it.
class SizeModel {
 public:
  // `sizes`: one list of positive numbers a size, all of one length; others count as 1.
  SizeModel(const Encoding& encoding, const std::vector<std::vector<double>>& sizes);

  // The expected logarithm of a configuration's time at a size, of which only differences within a size mean something;
  // empty: nothing is known. Before anything is told.
  using Guess = std::function<double(std::size_t size, const Configuration& configuration)>;
  void guess(Guess guess) { guess_ = std::move(guess); }

  // A trial at one of the sizes, of which the first objective counts. Told twice, it counts once; the later one holds.
  void tell(std::size_t size, const Trial& trial);

  struct Pick {
    Configuration configuration;
    double gain = 0;  // expected improvement on the size's best, relative to it; infinite where nothing is known yet
    double loss = 0;  // expected logarithm of its objective over the best known there
  };
  using Allowed = std::function<bool(const Configuration&)>;
  // The most promising one that was tried elsewhere and not at this size; nothing without one that `allowed` takes.
  // Those in `pending` are believed to come out as expected. Where nothing was measured yet, the expected best.
  std::optional<Pick> pick(std::size_t size, const std::vector<Configuration>& pending, const Allowed& allowed);

  // Compiled, so that it may be picked although it was not tried anywhere.
  void add(const Configuration& configuration) { known_[number(configuration)].ready = true; }
  // The most promising ones of those, one after the other, each as if those before had come out as expected.
  std::vector<Pick> picks(std::size_t size, std::size_t n, const std::vector<Configuration>& pending,
                          const Allowed& allowed);
  // The same among any configurations.
  std::vector<Pick> picks_of(std::size_t size, std::size_t n, const std::vector<Configuration>& candidates);
  // What is known of a size's configurations, the best first.
  std::vector<Configuration> best_of(std::size_t size, std::size_t n) const;

  // Correct and failed trials.
  std::size_t known() const { return entries_.size(); }

 private:
  struct Entry {
    std::size_t size = 0, configuration = 0;
    bool correct = false;
    double value = 0;  // logarithm of the objective, if correct
    double rest = 0;   // what the guess leaves of it
  };
  struct Known {
    Configuration configuration;
    Eigen::RowVectorXf row;
    std::size_t correct = 0, failed = 0;
    double level = 0;                                      // mean over its sizes of its value over theirs
    bool ready = false;                                    // compiled
    std::unordered_map<std::size_t, double> guesses = {};  // by size
  };
  // Configurations to choose among, with their numbers where they are known.
  struct Choice {
    std::vector<Configuration> configurations;
    Eigen::MatrixXf rows;
    Eigen::ArrayXf guessed, trust;  // what the guess says of the logarithm; the share of trials that were correct
  };
  struct Samples {
    Eigen::MatrixXf rows;
    Eigen::VectorXd values;
  };

  std::size_t number(const Configuration& configuration);
  void take_levels();
  void refit();
  std::vector<std::size_t> candidates(std::size_t size, const std::vector<Configuration>& pending,
                                      const Allowed& allowed) const;
  Samples samples(std::size_t size) const;
  Samples table(const std::vector<const Entry*>& entries) const;
  Eigen::RowVectorXf row(const Eigen::RowVectorXf& configuration, std::size_t size) const;
  double guessed(std::size_t configuration, std::size_t size);
  void weigh_guess();
  Choice choice(const std::vector<std::size_t>& numbers, std::size_t size);
  std::vector<Pick> choose(std::size_t size, std::size_t n, const std::vector<Configuration>& pending, Choice choice);
  std::optional<double> best(std::size_t size) const;
  double distance(std::size_t a, std::size_t b) const;

  const Encoding& encoding_;
  Eigen::MatrixXf sizes_;  // a row a size
  CovarianceKernel kernel_;
  std::vector<Entry> entries_;
  std::vector<Known> known_;
  std::unordered_map<Configuration, std::size_t, ConfigurationHash> numbers_;
  std::vector<std::unordered_map<std::size_t, std::size_t>> at_;  // by size: entries by configuration
  std::vector<double> levels_;                                    // by size
  bool stale_ = true;                                             // levels
  Guess guess_;
  double guess_weight_ = 0;
  std::size_t fitted_at_ = 0;
};

}  // namespace warptune::search
