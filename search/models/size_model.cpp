// Takes the levels of sizes and the guess off the times, and chooses by the posterior of what is left.
#include "search/models/size_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "search/models/acquisition.h"
#include "search/models/gaussian/posterior.h"

namespace warptune::search {

namespace {

constexpr std::size_t most_shared_samples = 300;  // beyond this many, a look at them takes too long
constexpr double near = 0.1;  // sizes no farther apart than this know as much of each other as of themselves
constexpr std::size_t most_shared_candidates = 250;  // those that are best over all sizes
constexpr double unknown_level = -1;
constexpr std::size_t most_fitted_samples = 160;
constexpr std::size_t fewest_fitted_samples = 16;

std::vector<bool> with_size_columns(std::vector<bool> categorical, Eigen::Index columns) {
  categorical.insert(categorical.end(), static_cast<std::size_t>(columns), false);
  return categorical;
}

// Returns the value that is learnt from a trial. Smaller is better, and a factor counts the same everywhere. This also
// holds for a maximised metric, whose objective is negative.
std::optional<double> value_of(const Trial& trial) {
  if (!trial.correct() || trial.objectives.empty()) return std::nullopt;
  const double objective = trial.objectives.front();
  if (!std::isfinite(objective) || objective == 0) return std::nullopt;
  return objective > 0 ? std::log(objective) : -std::log(-objective);
}

}  // namespace

SizeModel::SizeModel(const Encoding& encoding, const std::vector<std::vector<double>>& sizes)
    : encoding_(encoding),
      sizes_(size_rows(sizes)),
      kernel_(prior_kernel(with_size_columns(encoding.categorical(), sizes_.cols()))),
      at_(sizes.size()),
      levels_(sizes.size(), 0) {}

std::size_t SizeModel::number(const Configuration& configuration) {
  const auto [known, added] = numbers_.emplace(configuration, known_.size());
  if (added) known_.push_back({configuration, encoding_.row(configuration)});
  return known->second;
}

void SizeModel::tell(std::size_t size, const Trial& trial) {
  const std::size_t configuration = number(trial.configuration);
  const auto [place, added] = at_.at(size).emplace(configuration, entries_.size());
  if (added) entries_.push_back({size, configuration});
  Entry& entry = entries_[place->second];
  Known& known = known_[configuration];
  if (!added) --(entry.correct ? known.correct : known.failed);
  const auto value = value_of(trial);
  entry.correct = value.has_value();
  entry.value = value.value_or(0);
  entry.rest = entry.value;
  ++(entry.correct ? known.correct : known.failed);
  stale_ = true;
}

// Returns the guess for a configuration minus the guess at the same size for configuration 0, which is the default
// configuration or whatever else was told first.
double SizeModel::guessed(std::size_t configuration, std::size_t size) {
  if (!guess_) return 0;
  const auto at = [&](std::size_t number) {
    Known& known = known_[number];
    const auto found = known.guesses.find(size);
    if (found != known.guesses.end()) return found->second;
    return known.guesses[size] = guess_(size, known.configuration);
  };
  const double difference = at(configuration) - at(0);
  return std::isfinite(difference) ? difference : 0;
}

// Sets the weight of the guess to the slope of the times over the guesses within sizes. The slope is drawn to one half,
// as if some more trials had shown that. A guess that is no use loses its weight.
void SizeModel::weigh_guess() {
  if (!guess_) return;
  constexpr double doubt = 16, usual_variance = 0.1;
  std::vector<double> values(levels_.size(), 0), guesses(levels_.size(), 0), counts(levels_.size(), 0);
  for (const Entry& entry : entries_)
    if (entry.correct) {
      values[entry.size] += entry.value;
      guesses[entry.size] += guessed(entry.configuration, entry.size);
      ++counts[entry.size];
    }
  double both = 0, square = 0;
  for (const Entry& entry : entries_)
    if (entry.correct) {
      const double guess = guessed(entry.configuration, entry.size) - guesses[entry.size] / counts[entry.size];
      both += guess * (entry.value - values[entry.size] / counts[entry.size]);
      square += guess * guess;
    }
  guess_weight_ = std::clamp((both + 0.5 * doubt * usual_variance) / (square + doubt * usual_variance), 0.0, 1.0);
  for (Entry& entry : entries_) entry.rest = entry.value - guess_weight_ * guessed(entry.configuration, entry.size);
}

// Computes levels as alternating means. A size's level is the mean of its values minus the levels of their
// configurations, and a configuration's level is the mean of its values minus the levels of their sizes. So a size does
// not count as faster where only good configurations were tried.
void SizeModel::take_levels() {
  if (!stale_) return;
  stale_ = false;
  weigh_guess();
  constexpr int rounds = 12;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> sums(levels_.size(), 0), counts(levels_.size(), 0);
    for (const Entry& entry : entries_)
      if (entry.correct) sums[entry.size] += entry.rest - known_[entry.configuration].level, ++counts[entry.size];
    for (std::size_t s = 0; s < levels_.size(); ++s)
      if (counts[s] > 0) levels_[s] = sums[s] / counts[s];
    for (Known& known : known_) known.level = 0;
    for (const Entry& entry : entries_)
      if (entry.correct)
        known_[entry.configuration].level +=
            (entry.rest - levels_[entry.size]) / static_cast<double>(known_[entry.configuration].correct);
  }
}

double SizeModel::distance(std::size_t a, std::size_t b) const {
  return (sizes_.row(static_cast<Eigen::Index>(a)) - sizes_.row(static_cast<Eigen::Index>(b))).squaredNorm();
}

Eigen::RowVectorXf SizeModel::row(const Eigen::RowVectorXf& configuration, std::size_t size) const {
  Eigen::RowVectorXf row(encoding_.columns() + sizes_.cols());
  row << configuration, sizes_.row(static_cast<Eigen::Index>(size));
  return row;
}

SizeModel::Samples SizeModel::table(const std::vector<const Entry*>& entries) const {
  const auto n = static_cast<Eigen::Index>(entries.size());
  Samples samples{Eigen::MatrixXf(n, encoding_.columns() + sizes_.cols()), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const Entry& entry = *entries[static_cast<std::size_t>(i)];
    samples.rows.row(i) = row(known_[entry.configuration].row, entry.size);
    samples.values(i) = entry.rest - levels_[entry.size];
  }
  return samples;
}

// Returns the samples to learn from: all of the sizes nearest to this one and some of each of the others, by turns one
// of its best and one of its first. A size that was searched for long must not be all that is known.
SizeModel::Samples SizeModel::samples(std::size_t size) const {
  std::vector<std::pair<double, const Entry*>> order;
  for (std::size_t there = 0; there < at_.size(); ++there) {
    std::vector<std::size_t> told;
    for (const auto& [configuration, place] : at_[there])
      if (entries_[place].correct) told.push_back(place);
    std::ranges::sort(told);
    std::vector<std::size_t> best = told;
    std::ranges::stable_sort(best, {}, [&](std::size_t place) { return entries_[place].value; });
    const double separation = near + std::sqrt(distance(there, size));
    for (std::size_t rank = 0; rank < best.size(); ++rank) {
      const auto turn = static_cast<std::size_t>(std::ranges::find(told, best[rank]) - told.begin());
      order.emplace_back(separation * static_cast<double>(std::min(2 * rank, 2 * turn + 1) + 1), &entries_[best[rank]]);
    }
  }
  std::ranges::stable_sort(order, {}, [](const auto& entry) { return entry.first; });
  std::vector<const Entry*> entries;
  for (std::size_t i = 0; i < std::min(order.size(), most_shared_samples); ++i) entries.push_back(order[i].second);
  return table(entries);
}

namespace {

struct Spread {
  double centre = 0, width = 1;
};

Spread spread_of(const Eigen::VectorXd& values) {
  if (values.size() < 2) return {values.size() > 0 ? values(0) : 0, 1};
  const double centre = values.mean();
  const double width = std::sqrt((values.array() - centre).square().mean());
  return {centre, width > 1e-6 ? width : 1};
}

}  // namespace

// Fits the hyperparameters whenever the trials have doubled, because they change little by then, and finding them takes
// longest.
void SizeModel::refit() {
  std::vector<const Entry*> correct;
  for (const Entry& entry : entries_)
    if (entry.correct) correct.push_back(&entry);
  if (correct.size() < fewest_fitted_samples || correct.size() < 2 * fitted_at_) return;
  constexpr int first_fit_iterations = 20, later_fit_iterations = 8;
  std::vector<const Entry*> used;
  const std::size_t n = std::min(correct.size(), most_fitted_samples);
  for (std::size_t i = 0; i < n; ++i) used.push_back(correct[i * correct.size() / n]);
  const Samples learnt = table(used);
  const Spread scale = spread_of(learnt.values);
  const Eigen::VectorXd values = (learnt.values.array() - scale.centre) / scale.width;
  kernel_ = fit_kernel(learnt.rows, values, Eigen::VectorXd::Zero(values.size()), kernel_,
                       fitted_at_ == 0 ? first_fit_iterations : later_fit_iterations);
  fitted_at_ = correct.size();
}

// Returns the numbers of the configurations that were correct somewhere, or are compiled and failed nowhere, and were
// not tried here. Those that are best over all sizes come first.
std::vector<std::size_t> SizeModel::candidates(std::size_t size, const std::vector<Configuration>& pending,
                                               const Allowed& allowed) const {
  std::vector<std::size_t> numbers;
  for (std::size_t c = 0; c < known_.size(); ++c)
    if ((known_[c].correct > 0 || (known_[c].ready && known_[c].failed == 0)) && !at_[size].contains(c) &&
        !std::ranges::count(pending, known_[c].configuration))
      numbers.push_back(c);
  // Untried configurations, of which nothing is known, are taken for as good as the best.
  const auto rank = [&](std::size_t c) { return known_[c].correct > 0 ? known_[c].level : unknown_level; };
  std::ranges::stable_sort(numbers, {}, rank);
  std::vector<std::size_t> taken;
  for (const std::size_t c : numbers) {
    if (taken.size() == most_shared_candidates) break;
    if (allowed(known_[c].configuration)) taken.push_back(c);
  }
  return taken;
}

std::optional<double> SizeModel::best(std::size_t size) const {
  std::optional<double> least;
  for (const auto& [configuration, place] : at_[size])
    if (entries_[place].correct) least = std::min(least.value_or(entries_[place].value), entries_[place].value);
  return least;
}

std::vector<Configuration> SizeModel::best_of(std::size_t size, std::size_t n) const {
  std::vector<std::pair<double, std::size_t>> order;
  for (const auto& [configuration, place] : at_[size])
    if (entries_[place].correct) order.emplace_back(entries_[place].value, configuration);
  std::ranges::sort(order);
  std::vector<Configuration> best;
  for (std::size_t i = 0; i < std::min(n, order.size()); ++i) best.push_back(known_[order[i].second].configuration);
  return best;
}

SizeModel::Choice SizeModel::choice(const std::vector<std::size_t>& numbers, std::size_t size) {
  const auto n = static_cast<Eigen::Index>(numbers.size());
  Choice choice{{}, Eigen::MatrixXf(n, encoding_.columns() + sizes_.cols()), Eigen::ArrayXf(n), Eigen::ArrayXf(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t number = numbers[static_cast<std::size_t>(i)];
    const Known& known = known_[number];
    choice.configurations.push_back(known.configuration);
    choice.rows.row(i) = row(known.row, size);
    choice.guessed(i) = static_cast<float>(guess_weight_ * guessed(number, size));
    const auto tried = static_cast<float>(known.correct + known.failed);
    choice.trust(i) = tried > 0 ? static_cast<float>(known.correct) / tried : 1;
  }
  return choice;
}

std::optional<SizeModel::Pick> SizeModel::pick(std::size_t size, const std::vector<Configuration>& pending,
                                               const Allowed& allowed) {
  const auto one = picks(size, 1, pending, allowed);
  return one.empty() ? std::nullopt : std::optional(one.front());
}

std::vector<SizeModel::Pick> SizeModel::picks(std::size_t size, std::size_t n,
                                              const std::vector<Configuration>& pending, const Allowed& allowed) {
  take_levels();
  refit();
  const std::vector<std::size_t> numbers = candidates(size, pending, allowed);
  return choose(size, n, pending, choice(numbers, size));
}

std::vector<SizeModel::Pick> SizeModel::picks_of(std::size_t size, std::size_t n,
                                                 const std::vector<Configuration>& candidates) {
  take_levels();
  refit();
  const auto count = static_cast<Eigen::Index>(candidates.size());
  Choice choice{candidates, Eigen::MatrixXf(count, encoding_.columns() + sizes_.cols()), Eigen::ArrayXf::Zero(count),
                Eigen::ArrayXf::Ones(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const Configuration& one = candidates[static_cast<std::size_t>(i)];
    choice.rows.row(i) = row(encoding_.row(one), size);
    if (guess_ && !known_.empty()) {
      const double difference = guess_(size, one) - guess_(size, known_.front().configuration);
      if (std::isfinite(difference)) choice.guessed(i) = static_cast<float>(guess_weight_ * difference);
    }
  }
  return choose(size, n, {}, std::move(choice));
}

// Chooses n configurations, one after the other. Where nothing was measured, the expected best is what has to be
// improved on, so that some are taken for what they may teach.
std::vector<SizeModel::Pick> SizeModel::choose(std::size_t size, std::size_t n,
                                               const std::vector<Configuration>& pending, Choice choice) {
  std::vector<Pick> chosen;
  if (choice.configurations.empty()) return chosen;
  Samples learnt = samples(size);
  // Before any trial the first candidate is taken for average. From then on candidates are told apart by what they may
  // teach.
  if (learnt.values.size() == 0) learnt = {choice.rows.topRows(1), Eigen::VectorXd::Zero(1)};
  const Spread scale = spread_of(learnt.values);
  const auto width = static_cast<float>(scale.width), centre = static_cast<float>(scale.centre);
  Posterior posterior(kernel_);
  posterior.assign(learnt.rows, (learnt.values.array() - scale.centre) / scale.width,
                   Eigen::VectorXd::Zero(learnt.values.size()));
  for (const Configuration& configuration : pending)
    if (const auto known = numbers_.find(configuration); known != numbers_.end()) {
      const Eigen::RowVectorXf at = row(known_[known->second].row, size);
      posterior.append(at, static_cast<double>(posterior.mean_at(at)(0)), 0);
    }
  const Eigen::MatrixXf rows = choice.rows;
  posterior.set_candidates(std::move(choice.rows));
  const auto least = best(size);
  Eigen::ArrayXf open = Eigen::ArrayXf::Ones(rows.rows());
  while (chosen.size() < std::min(n, choice.configurations.size())) {
    const Eigen::ArrayXf mean = centre + width * posterior.mean() + choice.guessed;
    const float goal = least ? static_cast<float>(*least - levels_[size]) : mean.minCoeff();
    const Eigen::ArrayXf promise =
        acquisition(Acquisition::improvement, mean, width * width * posterior.variance(), goal) * choice.trust + 1e-12F;
    Eigen::Index place = 0;
    const double most =
        !least && chosen.empty() ? (mean + 1e6F * (1 - open)).minCoeff(&place) : (promise * open).maxCoeff(&place);
    open(place) = 0;
    chosen.push_back({choice.configurations[static_cast<std::size_t>(place)],
                      least ? most : std::numeric_limits<double>::infinity(), least ? mean(place) - goal : 0});
    posterior.append(rows.row(place), static_cast<double>(posterior.mean()(place)), 0);
  }
  return chosen;
}

Eigen::MatrixXf size_rows(const std::vector<std::vector<double>>& sizes) {
  const auto n = static_cast<Eigen::Index>(sizes.size());
  const auto dimensions = static_cast<Eigen::Index>(sizes.empty() ? 0 : sizes.front().size());
  Eigen::MatrixXf rows = Eigen::MatrixXf::Zero(n, dimensions + (dimensions > 1 ? 1 : 0));
  for (Eigen::Index s = 0; s < n; ++s)
    for (Eigen::Index d = 0; d < dimensions; ++d) {
      const double size = sizes[static_cast<std::size_t>(s)][static_cast<std::size_t>(d)];
      rows(s, d) = static_cast<float>(size > 0 ? std::log2(size) : 0);
    }
  if (dimensions > 1) rows.col(dimensions) = rows.leftCols(dimensions).rowwise().sum();
  constexpr float narrowest = 3;  // octaves
  for (Eigen::Index c = 0; c < rows.cols(); ++c) {
    const float low = n > 0 ? rows.col(c).minCoeff() : 0, high = n > 0 ? rows.col(c).maxCoeff() : 0;
    rows.col(c) = (rows.col(c).array() - low) / std::max(narrowest, high - low);
  }
  return rows;
}

}  // namespace warptune::search
