// Chooses a spread among a random part of the plausible rows.
#include "search/models/beginning.h"

#include <algorithm>

namespace warptune::search {

namespace {

// At most this many rows are looked at. Chance decides which, so that repeats differ.
constexpr std::size_t considered = 500;

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

std::vector<std::size_t> plausible_spread(const Eigen::MatrixXf& rows, const Eigen::ArrayXf& penalties, double share,
                                          std::size_t n, Rng& rng) {
  if (penalties.size() == 0) return {};
  std::vector<std::size_t> places = plausible(penalties, share);
  rng.shuffle(places);
  places.resize(std::min(places.size(), considered));
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
