#include "search/strategies/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/models/history.h"
#include "search/models/posterior.h"
#include "search/models/target.h"
#include "search/strategies/moves.h"
#include "search/strategies/proposals.h"
#include "search/strategies/stepwise.h"

namespace warptune {

namespace {

double norm_cdf(double x) { return 0.5 * std::erfc(-x * 0.7071067811865476); }
double norm_pdf(double x) { return 0.3989422804014327 * std::exp(-0.5 * x * x); }

class GaussianSearch : public Strategy {
 public:
  explicit GaussianSearch(const StrategyContext& context)
      : space_(context.space),
        rng_(context.seed),
        encoding_(context.space, {}),
        history_(encoding_),
        proposals_(context.space),
        samples_(count_option(context, "samples", 0)),
        prior_weight_(real_option(context, "prior")),
        xi_(real_option(context, "xi")),
        squash_(real_option(context, "squash")),
        plausible_(real_option(context, "plausible")) {
    if (context.space.empty()) return;
    gather();
    plan_start(context);
  }

  std::vector<Configuration> ask(std::size_t n) override {
    std::vector<Configuration> result;
    while (result.size() < n) {
      auto next = next_one();
      if (!next) break;
      result.push_back(std::move(*next));
    }
    return result;
  }

  void tell(const Trial& trial) override {
    proposals_.add(trial.configuration);
    const std::size_t known = history_.all().size();
    const std::size_t number = history_.settle(trial);
    if (number >= known) { stale_ = true; return; }
    if (!posterior_ || observation_of_.size() <= number || observation_of_[number] < 0) { stale_ = true; return; }
    const Observation& observation = history_.all()[number];
    learn_feasibility(observation);
    if (observation.state == Observation::State::correct) {
      posterior_->set_value(observation_of_[number], value_of(observation));
      best_value_ = std::min(best_value_, target_->of(observation));
    }
    const std::size_t settled = history_.correct() + history_.failed();
    if (settled < 20 || settled >= fitted_at_ * 5 / 4) stale_ = true;
  }

 private:
  void gather() {
    constexpr std::size_t whole = 20'000;
    if (space_.exact() && space_.size() <= whole) {
      for (Count i = 0; i < space_.size(); ++i) candidates_.push_back(space_.at(i));
    } else {
      candidates_ = space_.sample_distinct(2000, rng_);
    }
    rows_ = encoding_.rows(candidates_);
    penalties_.resize(static_cast<Eigen::Index>(candidates_.size()));
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      penalties_(static_cast<Eigen::Index>(i)) = static_cast<float>(encoding_.penalty(candidates_[i]));
    for (std::size_t i = 0; i < candidates_.size(); ++i) places_.emplace(candidates_[i], i);
  }

  // Spread out among the plausible.
  void plan_start(const StrategyContext& context) {
    std::vector<float> sorted(penalties_.data(), penalties_.data() + penalties_.size());
    std::ranges::sort(sorted);
    const float limit = sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(plausible_ * static_cast<double>(sorted.size())))];
    std::vector<std::size_t> pool;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (penalties_(static_cast<Eigen::Index>(i)) <= limit) pool.push_back(i);
    rng_.shuffle(pool);
    if (pool.size() > 500) pool.resize(500);
    // first: nearest to the middle of the pool
    Eigen::RowVectorXf mean = Eigen::RowVectorXf::Zero(rows_.cols());
    for (std::size_t i : pool) mean += rows_.row(static_cast<Eigen::Index>(i));
    mean /= static_cast<float>(pool.size());
    std::vector<float> distance(pool.size(), 1e9f);
    std::size_t chosen = 0;
    float nearest = 1e9f;
    for (std::size_t k = 0; k < pool.size(); ++k) {
      const float d = (rows_.row(static_cast<Eigen::Index>(pool[k])) - mean).squaredNorm();
      if (d < nearest) nearest = d, chosen = k;
    }
    for (std::size_t s = 0; s < samples_ && s < pool.size(); ++s) {
      beginning_.push_back(candidates_[pool[chosen]]);
      const Eigen::RowVectorXf at = rows_.row(static_cast<Eigen::Index>(pool[chosen]));
      float farthest = -1;
      for (std::size_t k = 0; k < pool.size(); ++k) {
        distance[k] = std::min(distance[k], (rows_.row(static_cast<Eigen::Index>(pool[k])) - at).squaredNorm());
        if (distance[k] > farthest) farthest = distance[k], chosen = k;
      }
    }
    if (context.start && space_.contains(*context.start)) beginning_.insert(beginning_.begin(), *context.start);
    std::ranges::reverse(beginning_);
  }

  std::optional<Configuration> next_one() {
    while (!beginning_.empty()) {
      Configuration c = std::move(beginning_.back());
      beginning_.pop_back();
      if (proposals_.add(c)) {
        history_.add(c);
        stale_ = true;
        return c;
      }
    }
    if (space_.empty()) return std::nullopt;
    if (history_.correct() == 0) return fallback();
    if (stale_) refit();
    const auto place = most_promising();
    if (!place) return fallback();
    Configuration c = candidates_[*place];
    proposals_.add(c);
    const std::size_t number = history_.add(c);
    const auto i = static_cast<Eigen::Index>(*place);
    observation_of_.resize(number + 1, -1);
    observation_of_[number] = posterior_->size();
    posterior_->append(rows_.row(i), posterior_->mean()(i), 0);
    return c;
  }

  std::optional<Configuration> fallback() {
    auto c = proposals_.fresh(rng_);
    if (c) history_.add(*c), stale_ = true;
    return c;
  }

  double value_of(const Observation& o) const {
    double v = target_->of(o);
    if (squash_ > 0 && v > middle_) v = middle_ + (v - middle_) * squash_;
    return v - prior_weight_ * o.penalty / target_->scale();
  }

  void refit() {
    stale_ = false;
    target_.emplace(history_, std::vector<double>{});
    best_value_ = target_->best();
    middle_ = 0;
    const auto& all = history_.all();
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].state == Observation::State::correct) used.push_back(i);
    const auto n = static_cast<Eigen::Index>(used.size());
    Eigen::MatrixXf x(n, encoding_.columns());
    Eigen::VectorXd y(n), noise(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Observation& o = all[used[static_cast<std::size_t>(i)]];
      x.row(i) = o.row;
      y(i) = value_of(o);
      noise(i) = o.noise_variance / (target_->scale() * target_->scale());
    }
    offset_ = y.mean();
    y.array() -= offset_;
    const Kernel start = posterior_ ? posterior_->kernel() : prior_kernel(encoding_.categorical());
    Eigen::Index m = std::min<Eigen::Index>(n, 128);
    const Kernel kernel = fit_kernel(x.bottomRows(m), y.tail(m), noise.tail(m), start, posterior_ ? 10 : 25);
    posterior_.emplace(kernel, rows_);
    observation_of_.assign(all.size(), -1);
    for (Eigen::Index i = 0; i < n; ++i) {
      observation_of_[used[static_cast<std::size_t>(i)]] = posterior_->size();
      posterior_->append(x.row(i), y(i) + offset_ - offset_, noise(i));
    }
    feasible_ = Eigen::ArrayXf::Constant(rows_.rows(), 1);
    tried_ = Eigen::ArrayXf::Constant(rows_.rows(), 1);
    for (const Observation& o : all) learn_feasibility(o);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].state == Observation::State::pending) {
        const auto place = places_.find(all[i].configuration);
        if (place == places_.end()) continue;
        const auto at = static_cast<Eigen::Index>(place->second);
        observation_of_[i] = posterior_->size();
        posterior_->append(rows_.row(at), posterior_->mean()(at), 0);
      }
    fitted_at_ = history_.correct() + history_.failed();
  }

  void learn_feasibility(const Observation& o) {
    if (o.state == Observation::State::pending || (history_.failed() == 0)) return;
    const Eigen::ArrayXf near = posterior_->kernel().with(rows_, o.row) / static_cast<float>(posterior_->kernel().variance());
    tried_ += near;
    if (o.state == Observation::State::correct) feasible_ += near;
  }

  std::optional<std::size_t> most_promising() {
    const auto& mean = posterior_->mean();
    const auto& variance = posterior_->variance();
    double most = -1e30;
    std::optional<std::size_t> chosen;
    for (Eigen::Index i = 0; i < mean.size(); ++i) {
      const double m = mean(i) + offset_ + prior_weight_ * penalties_(i) / target_->scale();
      const double sd = std::sqrt(static_cast<double>(variance(i)));
      const double u = (best_value_ - xi_ - m) / sd;
      const double ei = u > -6 ? sd * (u * norm_cdf(u) + norm_pdf(u)) : 0;
      const double score = std::log(std::max(ei, 1e-20)) + std::log(static_cast<double>(feasible_(i) / tried_(i))) + 1e-6 * (u > -6 ? 0 : u);
      if (score > most && !proposals_.contains(candidates_[static_cast<std::size_t>(i)])) {
        most = score;
        chosen = static_cast<std::size_t>(i);
      }
    }
    return chosen;
  }

  const SearchSpace& space_;
  Rng rng_;
  Encoding encoding_;
  History history_;
  Proposals proposals_;
  std::size_t samples_;
  double prior_weight_, xi_, squash_, plausible_;
  std::vector<Configuration> candidates_, beginning_;
  std::unordered_map<Configuration, std::size_t, ConfigurationHash> places_;
  Eigen::MatrixXf rows_;
  Eigen::ArrayXf penalties_, feasible_, tried_;
  bool stale_ = true;
  std::optional<Target> target_;
  std::optional<Posterior> posterior_;
  std::vector<Eigen::Index> observation_of_;
  double best_value_ = 0, middle_ = 0, offset_ = 0;
  std::size_t fitted_at_ = 0;
};

}  // namespace

StrategyEntry gaussian_process_strategy() {
  return {"gaussian_process",
          "Bayesian optimisation with a Gaussian process",
          {{"samples", std::int64_t{4}, "configurations to begin with"},
           {"prior", 1.0, "weight of what is known of GPU kernels in general"},
           {"xi", 0.0, "least improvement worth a trial, in standard deviations"},
           {"squash", 0.0, "slope of the target above its mean; 0: 1"},
           {"plausible", 0.1, "share of the space to begin in"}},
          [](const StrategyContext& context) -> std::unique_ptr<Strategy> {
            return std::make_unique<GaussianSearch>(context);
          }};
}

}  // namespace warptune
