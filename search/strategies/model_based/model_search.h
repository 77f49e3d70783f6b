// Searches with a model of the times, whatever the model is. All model-based strategies share this.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>

#include "search/models/acquisition.h"
#include "search/models/candidates.h"
#include "search/models/feasibility.h"
#include "search/models/surrogate.h"
#include "search/models/target.h"
#include "search/strategies/proposals.h"
#include "search/strategies/strategy.h"

namespace warptune::search {

struct ModelOptions {
  std::size_t samples = 6;    // configurations to begin with
  double plausible = 0.1;     // the share of the space they are taken from, by Encoding::penalty
  double prior_weight = 0.5;  // weight of Encoding::penalty in the expected value, where it only knows GPUs in general
  double guess_weight = 0.5;  // its weight where it is a first guess, as long as that holds
  std::size_t recalled = 3;   // how many of the best of earlier sessions to begin with
  std::size_t local_every =
      3;  // while nothing improves, each such trial goes to the incumbent's best-looking neighbour
  Acquisition acquisition = Acquisition::improvement;
};

// Reads what the options of the context say; they are those of `model_hyperparameters`.
ModelOptions model_options(const StrategyContext& context);
std::vector<Hyperparameter> model_hyperparameters();

class ModelSearch : public Strategy {
 public:
  using MakeSurrogate = std::unique_ptr<Surrogate> (*)(const Encoding& encoding, const StrategyContext& context);

  ModelSearch(const StrategyContext& context, const ModelOptions& options, MakeSurrogate make);

  std::vector<Configuration> ask(std::size_t n) override;
  void tell(const Trial& trial) override;
  std::optional<double> expected_improvement() const override;

  // Lets the search rest. Until it is asked again it only keeps what it is told, which takes next to no time. Asking
  // then begins with a fit.
  void suspend();
  // Tells that somebody else has asked for a configuration. Returns false if it is known here.
  bool expect(const Configuration& configuration);
  const History& history() const { return history_; }
  // Returns how many trials were asked for since the best was asked for or told.
  std::size_t since_improvement() const { return since_improvement_; }

 private:
  void plan_beginning(const StrategyContext& context);
  const Experience* experience() const { return experience_.empty() ? nullptr : &experience_; }
  void recall();
  void doubt_beginning();
  void weigh_experience();
  void weigh_general();
  Eigen::ArrayXf presumed(const CandidateList& list) const;
  std::optional<Configuration> next();
  std::optional<Configuration> first_unknown(std::vector<Configuration>& list) const;
  std::optional<Configuration> by_model();
  std::optional<Configuration> by_chance();

  bool knows_little() const;
  bool due_for_refit() const;
  void refit();
  void await(std::size_t number);
  void screen(const CandidateList& all, std::size_t limit);
  void use(CandidateList candidates);
  void believe();
  void draw_weights();
  Target target() const;
  void retarget();
  std::vector<Sample> samples() const;
  Sample sample_of(std::size_t number) const;

  Eigen::ArrayXf expected() const;
  Eigen::ArrayXf likely() const;
  float doubt() const;
  Eigen::ArrayXf promise() const;
  std::optional<std::size_t> most_promising() const;
  std::optional<std::size_t> best_neighbour() const;

  const SearchSpace& space_;
  Rng rng_;
  ModelOptions options_;
  Encoding encoding_;
  Experience experience_;
  std::unique_ptr<Surrogate> surrogate_;
  History history_;
  Proposals proposals_;
  Candidates candidates_;
  Feasibility feasibility_;
  std::vector<Configuration> beginning_;           // last first
  std::vector<Configuration> without_experience_;  // what to begin with if experience turns out to mislead; last first
  std::vector<Configuration> spares_;              // more of the same kind, for as long as no result is in; last first

  CandidateList pool_;
  std::unordered_map<Configuration, std::size_t, ConfigurationHash> places_;
  Eigen::ArrayXf open_;  // 1 if it may be proposed, else 0
  std::optional<Target> target_;
  std::vector<double> weights_;  // of several objectives
  struct General {
    double weight = 0, centre = 0;
  } general_;              // the weight of penalties, and the penalty that counts as 0
  double trust_ = 0;       // in the experience: 0 … 1
  bool forgetful_ = true;  // whether this fit is to know nothing of the experience
  std::optional<double> expected_when_suspended_;
  bool stale_ = true;
  std::size_t fitted_at_ = 0;  // settled observations
  std::size_t awaited_ = 0;    // trials in flight of which the surrogate knows
  std::size_t since_improvement_ = 0;
};

template <ModelSearch::MakeSurrogate make>
std::unique_ptr<Strategy> make_model_search(const StrategyContext& context) {
  return std::make_unique<ModelSearch>(context, model_options(context), make);
}

}  // namespace warptune::search
