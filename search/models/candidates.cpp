// Gathers candidates in bounded time, however large the space is, and chooses a spread among the plausible ones.
#include "search/models/candidates.h"

#include <algorithm>
#include <unordered_set>

#include "search/space/moves.h"

namespace warptune::search {

namespace {

// Listing all of a space takes a few megabytes and milliseconds up to this size.
constexpr std::size_t small_space = 20'000;
constexpr std::size_t uniform_samples = 2000, centres = 8, most_kicks = 100;
// At most this many neighbours are taken around one centre, because the model has to look at each candidate.
constexpr std::size_t most_neighbours_of_centre = 2000;
// This many of the most plausible (those that a first guess likes best) stay candidates.
constexpr std::size_t most_remembered = 1000;
constexpr int rounds_of_neighbours = 3;
// A beginning looks at most at this many rows. Chance decides which, so that repeats differ.
constexpr std::size_t most_considered = 500;

// Returns how many kicks from each centre are affordable. A kick may need a look at every value of every parameter.
std::size_t affordable_kicks(const SearchSpace& space) {
  constexpr std::size_t most_looks = 1'000'000, least_kicks = 2;
  std::size_t values = 1;
  for (const auto& domain : space.domains()) values += domain.size();
  return std::clamp(most_looks / values, least_kicks, most_kicks);
}

std::vector<std::size_t> plausible(const Eigen::ArrayXf& penalties, double share) {
  std::vector<float> sorted(penalties.data(), penalties.data() + penalties.size());
  std::ranges::sort(sorted);
  const auto last = sorted.size() - 1;
  const float limit = sorted[std::min(last, static_cast<std::size_t>(share * static_cast<double>(last)))];
  std::vector<std::size_t> places;
  for (Eigen::Index i = 0; i < penalties.size(); ++i)
    if (penalties(i) <= limit) places.push_back(static_cast<std::size_t>(i));
  return places;
}

}  // namespace

CandidateList CandidateList::at(const std::vector<std::size_t>& places) const {
  const auto n = static_cast<Eigen::Index>(places.size());
  CandidateList chosen{{}, Eigen::MatrixXf(n, rows.cols()), Eigen::ArrayXf(n), Eigen::ArrayXf(n)};
  for (Eigen::Index to = 0; to < n; ++to) {
    const std::size_t from = places[static_cast<std::size_t>(to)];
    const auto place = static_cast<Eigen::Index>(from);
    chosen.configurations.push_back(configurations[from]);
    chosen.rows.row(to) = rows.row(place);
    chosen.penalties(to) = penalties(place);
    chosen.losses(to) = losses(place);
  }
  return chosen;
}

Candidates::Candidates(const SearchSpace& space, const Encoding& encoding, const Experience* experience)
    : space_(space),
      encoding_(encoding),
      experience_(experience),
      whole_(space.exact() && space.size() <= small_space),
      kicks_(affordable_kicks(space)) {
  if (!whole_) return;
  std::vector<Configuration> all;
  for (Count i = 0; i < space.size(); ++i) all.push_back(space.at(i));
  list_ = listed(std::move(all));
}

CandidateList Candidates::listed(std::vector<Configuration> configurations) const {
  CandidateList list{std::move(configurations), {}, {}, {}};
  list.rows = encoding_.rows(list.configurations);
  list.penalties.resize(list.rows.rows());
  list.losses = Eigen::ArrayXf::Zero(list.rows.rows());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto place = static_cast<Eigen::Index>(i);
    list.penalties(place) = static_cast<float>(encoding_.penalty(list.configurations[i]));
    if (experience_) list.losses(place) = static_cast<float>(experience_->loss(list.configurations[i]));
  }
  return list;
}

const CandidateList& Candidates::gather(const History& history, Rng& rng) {
  if (whole_) return list_;
  std::unordered_set<Configuration, ConfigurationHash> seen;
  std::vector<Configuration> all = around_the_best(history, rng);
  if (experience_)
    for (const Configuration& known : experience_->best())
      if (space_.contains(known)) all.push_back(known);
  all.insert(all.end(), plausible_.begin(), plausible_.end());
  for (Configuration& sample : space_.sample_distinct(uniform_samples, rng)) all.push_back(std::move(sample));
  std::erase_if(all, [&](const Configuration& configuration) { return !seen.insert(configuration).second; });
  list_ = listed(std::move(all));
  return list_;
}

std::vector<Configuration> Candidates::neighbours(const Configuration& centre) const {
  if (kicks_ == most_kicks) return space_.neighbours(centre, Neighbourhood::hamming);
  const auto is_neighbour = [&](const Configuration& one) {
    std::size_t different = 0;
    for (std::size_t p = 0; p < one.choices.size(); ++p) different += one.choices[p] != centre.choices[p];
    return different == 1;
  };
  std::vector<Configuration> found;
  std::ranges::copy_if(list_.configurations, std::back_inserter(found), is_neighbour);
  return found;
}

const CandidateList& Candidates::most_plausible(Rng& rng) {
  if (whole_) return list_;
  constexpr std::size_t drawn_for_each = 5;
  std::vector<Configuration> drawn = space_.sample_distinct(drawn_for_each * uniform_samples, rng);
  std::vector<Configuration> kept = smallest_penalties(std::move(drawn), uniform_samples);
  // A sample seldom has the very best. So neighbours of the best are added, and neighbours of those.
  for (int i = 0; i < rounds_of_neighbours; ++i) {
    const std::size_t around = std::min(kept.size(), centres);
    for (std::size_t c = 0; c < around; ++c)
      for (Configuration& neighbour : some_neighbours(space_, Configuration(kept[c]), most_neighbours_of_centre, rng))
        kept.push_back(std::move(neighbour));
    kept = smallest_penalties(std::move(kept), uniform_samples);
  }
  plausible_.assign(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(std::min(kept.size(), most_remembered)));
  list_ = listed(std::move(kept));
  return list_;
}

// Returns the n configurations with the smallest penalties, each once, best first.
std::vector<Configuration> Candidates::smallest_penalties(std::vector<Configuration> all, std::size_t n) const {
  std::unordered_set<Configuration, ConfigurationHash> seen;
  std::vector<std::pair<double, Configuration>> judged;
  for (Configuration& one : all)
    if (seen.insert(one).second) judged.emplace_back(encoding_.penalty(one), std::move(one));
  const auto end = judged.begin() + static_cast<std::ptrdiff_t>(std::min(judged.size(), n));
  std::ranges::partial_sort(judged, end);
  std::vector<Configuration> kept;
  for (auto one = judged.begin(); one != end; ++one) kept.push_back(std::move(one->second));
  return kept;
}

std::vector<Configuration> Candidates::around_the_best(const History& history, Rng& rng) const {
  std::vector<const Observation*> best;
  for (const Observation& observation : history.all())
    if (observation.state == Observation::State::correct) best.push_back(&observation);
  const auto end = best.begin() + static_cast<std::ptrdiff_t>(std::min(best.size(), centres));
  std::ranges::partial_sort(best, end, {}, [](const Observation* o) { return o->objectives.front(); });
  std::vector<Configuration> result;
  for (auto centre = best.begin(); centre != end; ++centre) {
    for (Configuration& neighbour : some_neighbours(space_, (*centre)->configuration, most_neighbours_of_centre, rng))
      result.push_back(std::move(neighbour));
    for (std::size_t i = 0; i < kicks_; ++i) result.push_back(kicked(space_, (*centre)->configuration, 2 + i % 2, rng));
  }
  return result;
}

std::vector<std::size_t> plausible_spread(const Eigen::MatrixXf& rows, const Eigen::ArrayXf& penalties, double share,
                                          std::size_t n, Rng& rng) {
  if (penalties.size() == 0) return {};
  std::vector<std::size_t> places = plausible(penalties, share);
  rng.shuffle(places);
  places.resize(std::min(places.size(), most_considered));
  Eigen::MatrixXf points(static_cast<Eigen::Index>(places.size()), rows.cols());
  for (std::size_t i = 0; i < places.size(); ++i)
    points.row(static_cast<Eigen::Index>(i)) = rows.row(static_cast<Eigen::Index>(places[i]));
  const Eigen::RowVectorXf middle = points.colwise().mean();
  Eigen::Index chosen = 0;
  (points.rowwise() - middle).rowwise().squaredNorm().minCoeff(&chosen);
  Eigen::VectorXf distance = Eigen::VectorXf::Constant(points.rows(), std::numeric_limits<float>::max());
  std::vector<std::size_t> result;
  while (result.size() < std::min(n, places.size())) {
    result.push_back(places[static_cast<std::size_t>(chosen)]);
    const Eigen::RowVectorXf at = points.row(chosen);
    distance = distance.cwiseMin((points.rowwise() - at).rowwise().squaredNorm());
    distance.maxCoeff(&chosen);
  }
  return result;
}

}  // namespace warptune::search
