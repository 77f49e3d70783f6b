// Computes the figures of one space and their bootstrap errors, and averages them over several spaces.
#include "search/compare/score.h"

#include <cmath>
#include <stdexcept>

#include "search/compare/curve.h"
#include "search/compare/statistics.h"

namespace warptune::search::compare {

namespace {

class Scorer {
 public:
  Scorer(const ScoredSpace& space, const std::vector<Trajectory>& runs, const ScoreOptions& options)
      : space_(space), runs_(runs), options_(options), rng_(options.seed) {}

  Figure p_direct() {
    const RankTable table(space_, runs_);
    const double value = space_.score(table.mean());
    return {value, bootstrap_error(runs_.size(), options_.replicates, rng_,
                                   [&](const auto& drawn) { return space_.score(table.mean(drawn)); })};
  }

  Figure p() {
    const double value = space_.score(isotonic_curve(space_, runs_, rng_));
    Rng fits(rng_.next());
    return {value, bootstrap_error(runs_.size(), options_.p_replicates, rng_, [&](const auto& drawn) {
              std::vector<Trajectory> sample;
              for (std::size_t run : drawn) sample.push_back(runs_[run]);
              return space_.score(isotonic_curve(space_, sample, fits));
            })};
  }

  // Returns the median of `figure` over all runs, with its error.
  template <class PerRun>
  Figure median_over_runs(PerRun figure) {
    std::vector<double> values;
    for (const Trajectory& run : runs_) values.push_back(figure(run));
    return {median(values), bootstrap_error(runs_.size(), options_.replicates, rng_, [&](const auto& drawn) {
              std::vector<double> sample;
              for (std::size_t run : drawn) sample.push_back(values[run]);
              return median(std::move(sample));
            })};
  }

 private:
  const ScoredSpace& space_;
  const std::vector<Trajectory>& runs_;
  const ScoreOptions& options_;
  Rng rng_;
};

// Spaces are independent, so errors add as squares.
template <class Pick>
Figure mean_over(const std::vector<Score>& spaces, Pick pick) {
  double sum = 0, squares = 0;
  for (const Score& score : spaces) {
    const Figure figure = pick(score);
    sum += figure.value;
    squares += figure.error * figure.error;
  }
  const auto n = static_cast<double>(spaces.size());
  return {sum / n, std::sqrt(squares) / n};
}

template <class Pick>
Figure geometric_mean_over(const std::vector<Score>& spaces, Pick pick) {
  const Figure logs = mean_over(spaces, [&](const Score& score) {
    const Figure figure = pick(score);
    return Figure{std::log(figure.value), std::isfinite(figure.value) ? figure.error / figure.value : 0};
  });
  const double mean = std::exp(logs.value);
  return {mean, std::isfinite(mean) ? mean * logs.error : 0};
}

}  // namespace

Score score_runs(const ScoredSpace& space, const std::vector<Run>& runs, const ScoreOptions& options) {
  if (runs.empty()) throw std::invalid_argument("there is no run to score");
  std::vector<Trajectory> trajectories;
  for (const Run& run : runs) trajectories.push_back(trajectory(space, run));
  Scorer scorer(space, trajectories, options);
  Score score;
  score.p_direct = scorer.p_direct();
  score.p = scorer.p();
  for (std::size_t evaluations : options.checkpoints)
    score.ratio.push_back(
        scorer.median_over_runs([&](const Trajectory& run) { return ratio_after(space, run, evaluations); }));
  for (std::size_t i = 0; i < targets.size(); ++i)
    score.evaluations_to[i] =
        scorer.median_over_runs([&](const Trajectory& run) { return evaluations_to_within(space, run, targets[i]); });
  return score;
}

Score overall(const std::vector<Score>& spaces) {
  if (spaces.empty()) throw std::invalid_argument("there is no space to average over");
  Score all;
  all.p_direct = mean_over(spaces, [](const Score& score) { return score.p_direct; });
  all.p = mean_over(spaces, [](const Score& score) { return score.p; });
  for (std::size_t i = 0; i < spaces.front().ratio.size(); ++i)
    all.ratio.push_back(geometric_mean_over(spaces, [&](const Score& score) { return score.ratio[i]; }));
  for (std::size_t i = 0; i < targets.size(); ++i)
    all.evaluations_to[i] = geometric_mean_over(spaces, [&](const Score& score) { return score.evaluations_to[i]; });
  return all;
}

}  // namespace warptune::search::compare
