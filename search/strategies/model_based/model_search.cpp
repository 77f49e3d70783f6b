// Begins with plausible configurations, then fits the model again and again and proposes what it promises most of.
#include "search/strategies/model_based/model_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "search/models/acquisition.h"
#include "search/models/candidates.h"
#include "search/models/trust.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

// After every fit, each trial in flight costs a look at all candidates and at all that went before. With thousands in
// flight, as on many machines, that took minutes. Where so many are under way, the latest say enough.
constexpr std::size_t most_awaited = 128;

// With fewer results than this a model misleads. So the beginning goes on, as far as others are in flight.
constexpr std::size_t enough_results = 4;
// Where none is correct after this many beyond the samples, what suits GPUs in general does not suit this kernel.
constexpr std::size_t most_spares_tried = 16;

}  // namespace

ModelOptions model_options(const StrategyContext& context) {
  ModelOptions options;
  options.samples = count_option(context, "samples", 1);
  options.plausible = real_option(context, "plausible");
  options.prior_weight = real_option(context, "prior");
  options.guess_weight = real_option(context, "guess");
  options.recalled = count_option(context, "recalled", 0);
  options.local_every = count_option(context, "local", 0);
  options.acquisition = acquisition_from(to_text(*find_value(context.options, "acquisition")));
  return options;
}

std::vector<Hyperparameter> model_hyperparameters() {
  const ModelOptions defaults;
  return {
      {"samples", static_cast<std::int64_t>(defaults.samples), "configurations to begin with"},
      {"plausible", defaults.plausible, "share of the space to begin in: launches that suit GPUs in general"},
      {"prior", defaults.prior_weight, "weight of what suits GPUs in general"},
      {"guess", defaults.guess_weight, "weight of the first guess, where there is one, instead of that"},
      {"recalled", static_cast<std::int64_t>(defaults.recalled), "with earlier sessions: their best, to begin with"},
      {"local", static_cast<std::int64_t>(defaults.local_every),
       "while nothing improves, one trial in so many goes to a neighbour of the best; 0: none"},
      {"acquisition", std::string("improvement"), "improvement (expected), probability (of improvement) or bound"}};
}

ModelSearch::ModelSearch(const StrategyContext& context, const ModelOptions& options, MakeSurrogate make)
    : space_(context.space),
      rng_(context.seed),
      options_(options),
      encoding_(context.space, context.threads_per_block, context.first_guess),
      experience_(encoding_, context.earlier, context.seed),
      surrogate_(make(encoding_, context)),
      history_(encoding_, experience()),
      proposals_(context.space),
      candidates_(context.space, encoding_, experience()),
      feasibility_(encoding_.categorical()) {
  if (!space_.empty()) plan_beginning(context);
}

void ModelSearch::plan_beginning(const StrategyContext& context) {
  const CandidateList& all =
      encoding_.guesses() ? candidates_.most_plausible(rng_) : candidates_.gather(history_, rng_);
  constexpr std::size_t spares = 64;
  const std::size_t wanted = options_.samples + spares;
  trust_ = experience() ? 1 : 0;
  for (std::size_t place : plausible_spread(all.rows, all.penalties, options_.plausible, wanted, rng_))
    (beginning_.size() < options_.samples ? beginning_ : spares_).push_back(all.configurations[place]);
  if (experience() && options_.samples > 0) recall();
  if (context.default_configuration && space_.contains(*context.default_configuration))
    beginning_.insert(beginning_.begin(), *context.default_configuration);
  std::ranges::reverse(beginning_);
  std::ranges::reverse(spares_);
}

// Begins with what was best elsewhere and what suits GPUs in general by turns, then with the rest of the latter: what
// comes from elsewhere may look good beside one trial that happens to be bad. As soon as the experience turns out not
// to hold here, all is as without it.
void ModelSearch::recall() {
  std::vector<Configuration> recalled;
  for (const Configuration& known : experience_.best())
    if (recalled.size() < options_.recalled && space_.contains(known)) recalled.push_back(known);
  if (recalled.empty() || beginning_.empty()) return;
  without_experience_ = beginning_;
  std::ranges::reverse(without_experience_);
  const std::vector<Configuration> own = std::exchange(beginning_, {});
  for (std::size_t i = 0; i < std::max(recalled.size(), own.size()); ++i) {
    if (i < recalled.size()) beginning_.push_back(recalled[i]);
    if (i < own.size()) beginning_.push_back(own[i]);
  }
}

void ModelSearch::doubt_beginning() {
  constexpr double enough = 0.4;
  if (without_experience_.empty() || history_.correct() < 2) return;
  weigh_experience();
  if (trust_ < enough) beginning_ = std::exchange(without_experience_, {});
}

std::vector<Configuration> ModelSearch::ask(std::size_t n) {
  std::vector<Configuration> result;
  while (result.size() < n) {
    auto configuration = next();
    if (!configuration) break;
    result.push_back(std::move(*configuration));
  }
  return result;
}

void ModelSearch::suspend() {
  if (!target_) return;
  expected_when_suspended_ = expected_improvement();
  target_.reset();
}

bool ModelSearch::expect(const Configuration& configuration) {
  if (!proposals_.add(configuration)) return false;
  ++since_improvement_;
  const std::size_t number = history_.add(configuration);
  if (const auto place = places_.find(configuration); place != places_.end())
    open_(static_cast<Eigen::Index>(place->second)) = 0;
  if (target_) await(number);
  return true;
}

void ModelSearch::tell(const Trial& trial) {
  const auto best = history_.best();
  proposals_.add(trial.configuration);
  const std::size_t number = history_.settle(trial);
  const Observation& observation = history_.all()[number];
  if (history_.best() != best) since_improvement_ = 0;
  if (!beginning_.empty()) doubt_beginning();
  if (const auto place = places_.find(trial.configuration); place != places_.end())
    open_(static_cast<Eigen::Index>(place->second)) = 0;
  if (!target_) return;
  if (observation.state == Observation::State::correct) surrogate_->learn(sample_of(number));
  if (history_.failed() == 1 && observation.state == Observation::State::failed)
    feasibility_.set_candidates(pool_.rows, history_);
  else if (history_.failed() > 0)
    feasibility_.learn(pool_.rows, observation);
  target_->include(observation);
  stale_ = due_for_refit();
}

// Returns whether to fit again, which takes the cube of the trials: often while it is cheap and every trial says much,
// then whenever their number has grown by a quarter. Neighbours of a new best are worth looking at at once.
bool ModelSearch::due_for_refit() const {
  constexpr std::size_t few = 20;
  return history_.settled() < few || 4 * history_.settled() >= 5 * fitted_at_;
}

// Takes configurations from the list up to the first that was not proposed yet.
std::optional<Configuration> ModelSearch::first_unknown(std::vector<Configuration>& list) const {
  while (!list.empty()) {
    Configuration configuration = std::move(list.back());
    list.pop_back();
    if (!proposals_.contains(configuration)) return configuration;
  }
  return std::nullopt;
}

bool ModelSearch::knows_little() const {
  if (history_.correct() == 0) return history_.settled() < options_.samples + most_spares_tried;
  return !experience() && history_.settled() < std::min(enough_results, options_.samples);
}

std::optional<Configuration> ModelSearch::next() {
  auto chosen = first_unknown(beginning_);
  if (!chosen && knows_little()) chosen = first_unknown(spares_);
  if (!chosen && history_.correct() > 0) chosen = by_model();
  if (!chosen) return by_chance();
  expect(*chosen);
  return chosen;
}

// Returns a uniform sample, which counts as proposed already.
std::optional<Configuration> ModelSearch::by_chance() {
  if (space_.empty()) return std::nullopt;
  auto configuration = proposals_.fresh(rng_);
  if (!configuration) return std::nullopt;
  const std::size_t number = history_.add(*configuration);
  if (const auto place = places_.find(*configuration); place != places_.end())
    open_(static_cast<Eigen::Index>(place->second)) = 0;
  if (target_) await(number);
  return configuration;
}

std::optional<Configuration> ModelSearch::by_model() {
  if (stale_ || !target_)
    refit();
  else if (history_.objectives() > 1)
    retarget();
  constexpr std::size_t patience = 10;
  const bool local =
      options_.local_every > 0 && since_improvement_ > patience && since_improvement_ % options_.local_every == 0;
  auto place = local ? best_neighbour() : std::nullopt;
  if (!place) place = most_promising();
  if (!place && !candidates_.whole()) {
    refit();  // every candidate is known; others will be drawn
    place = most_promising();
  }
  if (!place) return std::nullopt;
  return pool_.configurations[*place];
}

void ModelSearch::refit() {
  stale_ = false;
  fitted_at_ = history_.settled();
  draw_weights();
  target_.emplace(target());
  weigh_general();
  weigh_experience();
  // A session with another optimum may agree on all that is far from both. So every other fit forgets it.
  forgetful_ = !forgetful_;
  if (forgetful_) trust_ = 0;
  const std::vector<Sample> learnt = samples();
  surrogate_->fit(learnt);
  screen(candidates_.gather(history_, rng_), surrogate_->candidates(learnt.size()));
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < history_.all().size(); ++i)
    if (history_.all()[i].state == Observation::State::pending) pending.push_back(i);
  awaited_ = 0;
  for (std::size_t i = pending.size() - std::min(pending.size(), most_awaited); i < pending.size(); ++i)
    await(pending[i]);
}

void ModelSearch::await(std::size_t number) {
  if (awaited_ == most_awaited) return;
  ++awaited_;
  surrogate_->expect(number, history_.all()[number].row);
}

// Hands candidates over to the model. Half of what is handed over looks best, the rest is a sample of the others.
void ModelSearch::screen(const CandidateList& all, std::size_t limit) {
  if (all.size() <= limit) {
    // The whole space stays as it is from fit to fit.
    if (candidates_.whole() && pool_.size() == all.size()) return believe();
    return use(all);
  }
  const Eigen::ArrayXf mean = surrogate_->mean_at(all.rows) + presumed(all);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto half = order.begin() + static_cast<std::ptrdiff_t>(limit / 2);
  std::ranges::nth_element(order, half, {}, [&](std::size_t i) { return mean(static_cast<Eigen::Index>(i)); });
  for (std::size_t i = limit / 2; i < limit; ++i) std::swap(order[i], order[i + rng_.below(order.size() - i)]);
  order.resize(limit);
  std::ranges::sort(order);
  use(all.at(order));
}

void ModelSearch::use(CandidateList candidates) {
  pool_ = std::move(candidates);
  places_.clear();
  open_ = Eigen::ArrayXf::Ones(pool_.rows.rows());
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    places_.emplace(pool_.configurations[i], i);
    if (proposals_.contains(pool_.configurations[i])) open_(static_cast<Eigen::Index>(i)) = 0;
  }
  believe();
}

void ModelSearch::believe() {
  surrogate_->set_candidates(pool_.rows);
  feasibility_.set_candidates(pool_.rows, history_);
}

// Draws the weights uniformly over the simplex (Knowles 2006): each trial is for another compromise.
void ModelSearch::draw_weights() {
  weights_.clear();
  if (history_.objectives() < 2) return;
  double sum = 0;
  for (std::size_t i = 0; i < history_.objectives(); ++i) {
    weights_.push_back(-std::log(1 - rng_.uniform()));
    sum += weights_.back();
  }
  for (double& weight : weights_) weight /= sum;
}

// Returns a target bent by experience: what was best elsewhere may be among the slowest here, and all the model sees.
Target ModelSearch::target() const {
  constexpr double bend = 1;
  return Target(history_, weights_, experience() ? bend : 0);
}

void ModelSearch::retarget() {
  draw_weights();
  target_.emplace(target());
  surrogate_->relearn(samples());
}

Sample ModelSearch::sample_of(std::size_t number) const {
  const Observation& observation = history_.all()[number];
  const double scale = target_->scale();
  const double presumed =
      (1 - trust_) * general_.weight * (observation.penalty - general_.centre) + trust_ * observation.loss;
  return {number, observation.row, target_->of(observation) - presumed / scale,
          observation.noise_variance / (scale * scale)};
}

// Returns what the model learns from, best first. Beyond the model's capacity, half of it goes to the best and half to
// an even choice of the others.
std::vector<Sample> ModelSearch::samples() const {
  std::vector<Sample> all;
  for (std::size_t i = 0; i < history_.all().size(); ++i)
    if (history_.all()[i].state == Observation::State::correct) all.push_back(sample_of(i));
  std::ranges::stable_sort(all, {}, [&](const Sample& sample) { return target_->of(history_.all()[sample.number]); });
  const std::size_t capacity = surrogate_->capacity();
  if (all.size() <= capacity) return all;
  const std::size_t kept = capacity / 2;
  for (std::size_t i = kept; i < capacity; ++i)
    all[i] = all[kept + (i - kept) * (all.size() - kept) / (capacity - kept)];
  all.resize(capacity);
  return all;
}

// Returns what is presumed of configurations before any trial, in the target's units. The more of the experience holds
// here, the less counts what suits GPUs in general.
Eigen::ArrayXf ModelSearch::presumed(const CandidateList& list) const {
  const double general = (1 - trust_) * general_.weight / target_->scale(), known = trust_ / target_->scale();
  return static_cast<float>(general) * (list.penalties - static_cast<float>(general_.centre)) +
         static_cast<float>(known) * list.losses;
}

void ModelSearch::weigh_experience() {
  if (experience()) trust_ = trust_in(history_, &Observation::loss);
}

// A first guess counts from its mean over what was tried, or all that is unknown would seem better or worse by as much.
void ModelSearch::weigh_general() {
  general_ = {options_.prior_weight, 0};
  if (!encoding_.guesses()) return;
  general_.centre = mean_of(history_, &Observation::penalty);
  if (history_.objectives() == 1) general_.weight = options_.guess_weight * trust_in(history_, &Observation::penalty);
}

// Returns the expected values of the candidates, in the target's units.
Eigen::ArrayXf ModelSearch::expected() const {
  return surrogate_->mean() + presumed(pool_);
}

// Returns the expected values, to which a certain failure adds one standard deviation.
Eigen::ArrayXf ModelSearch::likely() const {
  return expected() + 1 - feasibility_.probability();
}

// Returns the variance's factor for what is in flight. With earlier sessions it is 1, because another has not been
// tried there.
float ModelSearch::doubt() const {
  return experience() ? 1 : variance_factor(history_.pending(), history_.settled());
}

Eigen::ArrayXf ModelSearch::promise() const {
  return acquisition(options_.acquisition, expected(), surrogate_->variance() * doubt(),
                     static_cast<float>(target_->best())) *
         feasibility_.probability() * open_;
}

std::optional<std::size_t> ModelSearch::most_promising() const {
  constexpr float negligible = 1e-7f, closed = 1e6f;
  Eigen::Index place = 0;
  // Where nothing promises anything, the best-looking of what is left is taken.
  if (!(promise().maxCoeff(&place) > negligible)) (likely() + closed * (1 - open_)).minCoeff(&place);
  if (open_(place) == 0) return std::nullopt;
  return static_cast<std::size_t>(place);
}

std::optional<std::size_t> ModelSearch::best_neighbour() const {
  const Eigen::ArrayXf value = likely();
  std::optional<std::size_t> chosen;
  const Configuration& centre = history_.all()[*history_.best()].configuration;
  for (const Configuration& neighbour : candidates_.neighbours(centre)) {
    const auto place = places_.find(neighbour);
    if (place == places_.end() || proposals_.contains(neighbour)) continue;
    if (!chosen || value(static_cast<Eigen::Index>(place->second)) < value(static_cast<Eigen::Index>(*chosen)))
      chosen = place->second;
  }
  return chosen;
}

std::optional<double> ModelSearch::expected_improvement() const {
  if (!target_) return expected_when_suspended_;
  if (!target_->logarithmic() || history_.objectives() > 1) return std::nullopt;
  const Eigen::ArrayXf improvement =
      acquisition(Acquisition::improvement, expected(), surrogate_->variance(), static_cast<float>(target_->best())) *
      feasibility_.probability() * open_;
  return 1 - std::exp(-target_->scale() * static_cast<double>(improvement.maxCoeff()));
}

}  // namespace warptune::search
