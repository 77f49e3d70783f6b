// Translates configurations between the spaces of sizes, and looks for those that are worth compiling.
#include "search/strategies/model_based/shared_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "search/models/size_model.h"
#include "search/space/moves.h"

namespace warptune::search {

namespace {

// What is worth compiling is looked for around the best of the size, and anywhere.
constexpr std::size_t centres = 3, neighbours_a_centre = 40, kicks_a_centre = 20, uniform_samples = 160;

bool same_domains(const SearchSpace& a, const SearchSpace& b) {
  return std::ranges::equal(a.parameters(), b.parameters(), [](const Parameter& one, const Parameter& other) {
    return one.name == other.name && one.values == other.values;
  });
}

}  // namespace

struct SharedModel::Parts {
  struct Size {
    const SearchSpace* space = nullptr;
    bool same = false;  // domains as the common space's: a configuration is the same in both
    std::function<double(const Configuration&)> guess = {};
    double hope = 1;           // the improvement that was expected of what was compiled for it last
    std::size_t asked_at = 0;  // the turn at which that was asked for
  };

  const SearchSpace& common;
  Encoding encoding;
  SizeModel model;
  Rng rng;
  std::vector<Size> sizes;
  std::size_t turns = 0;
  std::unordered_set<Configuration, ConfigurationHash> asked;  // to be compiled, or known

  Parts(const SearchSpace& space, const std::vector<std::vector<double>>& numbers, std::uint64_t seed,
        std::function<double(const Configuration&)> threads)
      : common(space),
        encoding(space, std::move(threads)),
        model(encoding, numbers),
        rng(seed),
        sizes(numbers.size()) {}

  // Returns the configuration in the space of the size, or nothing if it does not fit in there: another size may allow
  // other values.
  std::optional<Configuration> there(std::size_t size, const Configuration& configuration) const {
    const Size& one = sizes[size];
    auto found = one.same ? std::optional(configuration) : one.space->find(common.values(configuration));
    if (found && !one.space->contains(*found)) found.reset();
    return found;
  }
  std::optional<Configuration> here(std::size_t size, const Configuration& configuration) const {
    const Size& one = sizes[size];
    return one.same ? std::optional(configuration) : common.find(one.space->values(configuration));
  }

  double guess(std::size_t size, const Configuration& configuration) const {
    const auto found = sizes[size].guess ? there(size, configuration) : std::nullopt;
    return found ? sizes[size].guess(*found) : 0;
  }

  std::vector<Configuration> candidates(std::size_t size);
};

// Returns configurations of the common space that were not asked for before.
std::vector<Configuration> SharedModel::Parts::candidates(std::size_t size) {
  const SearchSpace& space = *sizes[size].space;
  std::vector<Configuration> found = space.sample_distinct(uniform_samples, rng);
  for (const Configuration& centre : model.best_of(size, centres)) {
    const auto at = there(size, centre);
    if (!at) continue;
    auto neighbours = space.neighbours(*at, Neighbourhood::hamming);
    rng.shuffle(neighbours);
    if (neighbours.size() > neighbours_a_centre) neighbours.resize(neighbours_a_centre);
    std::ranges::move(neighbours, std::back_inserter(found));
    for (std::size_t i = 0; i < kicks_a_centre; ++i) found.push_back(kicked(space, *at, 2 + i % 2, rng));
  }
  std::vector<Configuration> result;
  std::unordered_set<Configuration, ConfigurationHash> seen;
  for (const Configuration& one : found)
    if (auto common_one = here(size, one);
        common_one && !asked.contains(*common_one) && seen.insert(*common_one).second)
      result.push_back(std::move(*common_one));
  return result;
}

SharedModel::SharedModel(const SearchSpace& common, const std::vector<std::vector<double>>& sizes, std::uint64_t seed,
                         std::function<double(const Configuration&)> threads_per_block)
    : parts_(std::make_unique<Parts>(common, sizes, seed, std::move(threads_per_block))) {}

SharedModel::~SharedModel() = default;

void SharedModel::add(std::size_t size, const SearchSpace& space,
                      std::function<double(const Configuration&)> first_guess) {
  if (first_guess)
    parts_->model.guess([parts = parts_.get()](std::size_t at, const Configuration& configuration) {
      return parts->guess(at, configuration);
    });
  parts_->sizes[size] = {&space, same_domains(space, parts_->common), std::move(first_guess)};
}

void SharedModel::tell(std::size_t size, const Trial& trial) {
  auto found = parts_->here(size, trial.configuration);
  if (!found) return;
  Trial common;
  common.outcome = trial.outcome;
  common.objectives = trial.objectives;
  common.configuration = std::move(*found);
  parts_->asked.insert(common.configuration);
  parts_->model.tell(size, common);
}

void SharedModel::compiled(std::size_t size, const Configuration& configuration) {
  if (const auto found = parts_->here(size, configuration)) parts_->model.add(*found);
}

std::vector<Configuration> SharedModel::to_compile(std::size_t size, std::size_t n) {
  std::vector<Configuration> result;
  double most = 0;
  for (const SizeModel::Pick& pick : parts_->model.picks_of(size, n, parts_->candidates(size))) {
    parts_->asked.insert(pick.configuration);
    result.push_back(*parts_->there(size, pick.configuration));
    most = std::max(most, pick.gain);
  }
  parts_->sizes[size].hope = std::min(most, 1.0);
  parts_->sizes[size].asked_at = ++parts_->turns;
  return result;
}

// The claim of a size is the square root of its hope times its waiting time. So every size comes, and a hundred times
// as much hope is not asked for a hundred times as often, since the model may be wrong.
std::size_t SharedModel::turn() {
  constexpr double least_hope = 1e-3;
  std::size_t best = 0;
  double most = -1;
  for (std::size_t s = 0; s < parts_->sizes.size(); ++s) {
    const Parts::Size& size = parts_->sizes[s];
    if (!size.space) continue;
    const auto waited = static_cast<double>(parts_->turns - size.asked_at + 1);
    const double claim = std::sqrt(std::max(size.hope, least_hope)) * waited;
    if (claim > most) most = claim, best = s;
  }
  return best;
}

std::vector<Configuration> SharedModel::to_measure(std::size_t size, std::size_t most, std::size_t least,
                                                   double worth) {
  const auto allowed = [&](const Configuration& configuration) {
    return parts_->there(size, configuration).has_value();
  };
  std::vector<Configuration> result;
  for (const SizeModel::Pick& pick : parts_->model.picks(size, most, {}, allowed)) {
    if (result.size() >= least && pick.gain < worth) break;
    result.push_back(*parts_->there(size, pick.configuration));
  }
  return result;
}

std::vector<Configuration> GivenStrategy::ask(std::size_t n) {
  std::vector<Configuration> result;
  while (result.size() < n && !line_.empty()) {
    result.push_back(std::move(line_.front()));
    line_.pop_front();
  }
  return result;
}

// The distances are those between the rows of sizes.
std::vector<std::size_t> covering_order(const std::vector<std::vector<double>>& sizes) {
  const Eigen::MatrixXf rows = size_rows(sizes);
  std::vector<std::size_t> order;
  if (sizes.empty()) return order;
  const Eigen::RowVectorXf middle = rows.colwise().mean();
  Eigen::Index next = 0;
  (rows.rowwise() - middle).rowwise().squaredNorm().minCoeff(&next);
  Eigen::VectorXf distance = Eigen::VectorXf::Constant(rows.rows(), std::numeric_limits<float>::max());
  while (order.size() < sizes.size()) {
    order.push_back(static_cast<std::size_t>(next));
    const Eigen::RowVectorXf at = rows.row(next);
    distance = distance.cwiseMin((rows.rowwise() - at).rowwise().squaredNorm());
    distance(next) = -1;
    for (const std::size_t taken : order) distance(static_cast<Eigen::Index>(taken)) = -1;
    distance.maxCoeff(&next);
  }
  return order;
}

}  // namespace warptune::search
