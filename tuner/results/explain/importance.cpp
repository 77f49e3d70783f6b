// Cross-validates a random forest, and shuffles the columns of one parameter at a time.
#include "tuner/results/explain/importance.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "search/expression/by_value.h"
#include "search/models/forest.h"
#include "search/random.h"

namespace warptune::tuner {

namespace {

constexpr std::size_t most_trials = 1000, folds = 5, shuffles = 3;

// Describes the columns that one parameter has in the model.
struct Columns {
  const Domain* domain = nullptr;
  Eigen::Index first = 0, count = 1;
  search::ByValue<std::size_t> places = {};
};

// Returns the columns of all parameters with more than one value. Numbers and flags have one column, of their places in
// the domain. Of several words each has a column of its own, because they have no order. So many words that hardly two
// trials share one tell nothing; they have one column of places, too.
std::vector<Columns> columns_of(const std::vector<Domain>& domains) {
  std::vector<Columns> columns;
  Eigen::Index next = 0;
  for (const Domain& domain : domains) {
    if (domain.values.size() < 2) continue;
    const bool words = domain.values.size() > 2 && domain.values.size() <= most_trials &&
                       std::holds_alternative<std::string>(domain.values.front());
    columns.push_back({&domain, next, words ? static_cast<Eigen::Index>(domain.values.size()) : 1});
    for (std::size_t i = domain.values.size(); i-- > 0;) columns.back().places[domain.values[i]] = i;
    next += columns.back().count;
  }
  return columns;
}

void encode(const Columns& columns, const search::NamedValues& values, Eigen::RowVectorXf& row) {
  const search::Value* value = search::find_value(values, columns.domain->parameter);
  const std::size_t* place = value ? columns.places.find(*value) : nullptr;
  if (!place) return;
  const auto index = static_cast<Eigen::Index>(*place);
  if (columns.count > 1)
    row(columns.first + index) = 1;
  else
    row(columns.first) = static_cast<float>(*place);
}

class Study {
 public:
  Study(const Evidence& evidence, std::uint64_t seed);

  ImportanceReport run();

 private:
  void study_fold(std::size_t fold);
  // Returns the sum of squared errors on the held-back rows with these columns shuffled; with null they stay as they
  // are.
  double squares(const search::Forest& forest, const std::vector<search::Sample>& held, const Columns* shuffled);

  std::vector<Domain> domains_;
  std::vector<Columns> columns_;
  std::vector<search::Sample> samples_;
  search::Rng rng_;
  double plain_ = 0;            // squared errors over all folds
  std::vector<double> lost_;    // likewise, with one parameter shuffled
  std::vector<double> errors_;  // absolute errors, one a sample
};

Study::Study(const Evidence& evidence, std::uint64_t seed) : domains_(domains_of(evidence)), rng_(seed) {
  columns_ = columns_of(domains_);
  const Eigen::Index width = columns_.empty() ? 0 : columns_.back().first + columns_.back().count;
  std::vector<const db::StoredTrial*> trials;
  for (const db::StoredTrial& trial : evidence.trials)
    if (log_cost(trial)) trials.push_back(&trial);
  rng_.shuffle(trials);
  if (trials.size() > most_trials) trials.resize(most_trials);
  for (const db::StoredTrial* trial : trials) {
    Eigen::RowVectorXf row = Eigen::RowVectorXf::Zero(width);
    for (const Columns& columns : columns_) encode(columns, trial->values, row);
    samples_.push_back({samples_.size(), std::move(row), *log_cost(*trial), 0});
  }
  lost_.assign(columns_.size(), 0);
}

double Study::squares(const search::Forest& forest, const std::vector<search::Sample>& held, const Columns* shuffled) {
  Eigen::MatrixXf rows(static_cast<Eigen::Index>(held.size()), held.front().row.size());
  for (std::size_t i = 0; i < held.size(); ++i) rows.row(static_cast<Eigen::Index>(i)) = held[i].row;
  if (shuffled) {
    std::vector<std::size_t> order(held.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    rng_.shuffle(order);
    for (std::size_t i = 0; i < held.size(); ++i)
      rows.row(static_cast<Eigen::Index>(i)).segment(shuffled->first, shuffled->count) =
          held[order[i]].row.segment(shuffled->first, shuffled->count);
  }
  const Eigen::ArrayXf mean = forest.mean_at(rows);
  double sum = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const double error = static_cast<double>(mean(static_cast<Eigen::Index>(i))) - held[i].value;
    if (!shuffled) errors_.push_back(std::abs(error));
    sum += error * error;
  }
  return sum;
}

void Study::study_fold(std::size_t fold) {
  std::vector<search::Sample> learnt, held;
  for (std::size_t i = 0; i < samples_.size(); ++i) (i % folds == fold ? held : learnt).push_back(samples_[i]);
  search::Forest forest(rng_.next());
  forest.fit(learnt);
  plain_ += squares(forest, held, nullptr);
  for (std::size_t p = 0; p < columns_.size(); ++p)
    for (std::size_t again = 0; again < shuffles; ++again) lost_[p] += squares(forest, held, &columns_[p]) / shuffles;
}

ImportanceReport Study::run() {
  ImportanceReport report;
  report.trials = samples_.size();
  if (samples_.size() < least_trials_for_importance || columns_.empty()) return report;
  for (std::size_t fold = 0; fold < folds; ++fold) study_fold(fold);
  double mean = 0, total = 0;
  for (const search::Sample& sample : samples_) mean += sample.value / static_cast<double>(samples_.size());
  for (const search::Sample& sample : samples_) total += (sample.value - mean) * (sample.value - mean);
  if (!(total > 0)) return report;  // all cost the same
  report.explained = 1 - plain_ / total;
  std::ranges::nth_element(errors_, errors_.begin() + static_cast<std::ptrdiff_t>(errors_.size() / 2));
  report.median_error = std::expm1(errors_[errors_.size() / 2]);
  if (report.explained < least_explained) return report;
  for (std::size_t p = 0; p < columns_.size(); ++p)
    report.parameters.push_back(
        {columns_[p].domain->parameter, std::clamp((lost_[p] - plain_) / total / 2, 0.0, report.explained)});
  std::ranges::stable_sort(report.parameters, std::ranges::greater{}, &Importance::loss);
  return report;
}

}  // namespace

ImportanceReport importance(const Evidence& evidence, std::uint64_t seed) {
  return Study(evidence, seed).run();
}

}  // namespace warptune::tuner
