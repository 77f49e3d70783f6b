// Models one kernel at many problem sizes at once: what was measured at some of them tells what to try at the others.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/models/encoding.h"
#include "search/models/gaussian/covariance_kernel.h"
#include "search/trial.h"

namespace warptune::search {

// A SizeModel is a Gaussian process whose features are the encoded parameters and the logarithms of the sizes, so that
// it learns in which dimensions a kernel's best configuration changes (multi-task Bayesian optimisation with continuous
// contexts: Krause and Ong 2011). Each size has a level of its own, which is taken off the logarithms of its times
// first. What a first guess says is taken off too, as far as the times bear it out. Only one thread may use a model.
// The encoding must outlive it.
class SizeModel {
 public:
  // `sizes` holds one list of positive numbers for each size, all of one length. Numbers that are not positive count as
  // 1.
  SizeModel(const Encoding& encoding, const std::vector<std::vector<double>>& sizes);

  // A Guess returns the expected logarithm of a configuration's time at a size, of which only differences within a size
  // mean something. If it is empty, nothing is known. It must be set before anything is told.
  using Guess = std::function<double(std::size_t size, const Configuration& configuration)>;
  void guess(Guess guess) { guess_ = std::move(guess); }

  // Learns a trial at one of the sizes, of which the first objective counts. A configuration that is told twice at a
  // size counts once; the later trial holds.
  void tell(std::size_t size, const Trial& trial);

  struct Pick {
    Configuration configuration;
    double gain = 0;  // expected improvement on the size's best, relative to it; infinite where nothing is known yet
    double loss = 0;  // expected logarithm of its objective over the best known there
  };
  using Allowed = std::function<bool(const Configuration&)>;
  // Returns the most promising configuration that was tried elsewhere and not at this size, or nothing if `allowed`
  // takes none. Those in `pending` are believed to come out as expected. Where nothing was measured yet, it returns the
  // expected best.
  std::optional<Pick> pick(std::size_t size, const std::vector<Configuration>& pending, const Allowed& allowed);

  // Adds a configuration that is compiled, so that it may be picked although it was not tried anywhere.
  void add(const Configuration& configuration) { known_[number(configuration)].ready = true; }
  // Returns the n most promising ones of those, one after the other, each as if those before had come out as expected.
  std::vector<Pick> picks(std::size_t size, std::size_t n, const std::vector<Configuration>& pending,
                          const Allowed& allowed);
  // Returns the same, but among any configurations.
  std::vector<Pick> picks_of(std::size_t size, std::size_t n, const std::vector<Configuration>& candidates);
  // Returns the n best configurations that are known at a size, the best first.
  std::vector<Configuration> best_of(std::size_t size, std::size_t n) const;

  // Returns the number of correct and failed trials.
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
    double level = 0;                                      // mean over its sizes of its value minus their level
    bool ready = false;                                    // compiled
    std::unordered_map<std::size_t, double> guesses = {};  // by size
  };
  // A Choice holds the configurations to choose among.
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
  Eigen::MatrixXf sizes_;  // one row for each size
  CovarianceKernel kernel_;
  std::vector<Entry> entries_;
  std::vector<Known> known_;
  std::unordered_map<Configuration, std::size_t, ConfigurationHash> numbers_;
  std::vector<std::unordered_map<std::size_t, std::size_t>> at_;  // by size: entries by configuration
  std::vector<double> levels_;                                    // by size
  bool stale_ = true;                                             // whether the levels are out of date
  Guess guess_;
  double guess_weight_ = 0;
  std::size_t fitted_at_ = 0;
};

// Returns problem sizes as rows of features: their logarithms, and for several dimensions the sum of these, which is
// the whole of the work. Columns are 1 wide, as ordinal columns of parameters are, or less where sizes are close. Sizes
// that are not positive count as 1.
Eigen::MatrixXf size_rows(const std::vector<std::vector<double>>& sizes);

}  // namespace warptune::search
