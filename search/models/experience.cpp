// Averages the losses of earlier sessions, and fits a forest to them.
#include "search/models/experience.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warptune::search {

namespace {

constexpr std::size_t most_best = 64;     // of all sessions together
constexpr std::size_t most_known = 2000;  // samples that the forest learns from

using Ranked = std::vector<const EarlierTrials::Entry*>;

// Returns the usable entries of a session, best first. There are none if the objectives have both signs, because those
// have no ratios.
Ranked ranked(const EarlierTrials& session) {
  Ranked entries;
  for (const EarlierTrials::Entry& entry : session.entries)
    if (std::isfinite(entry.objective) && entry.objective != 0) entries.push_back(&entry);
  const bool positive = std::ranges::any_of(entries, [](const auto* entry) { return entry->objective > 0; });
  const bool negative = std::ranges::any_of(entries, [](const auto* entry) { return entry->objective < 0; });
  if (entries.size() < 2 || (positive && negative)) return {};
  std::ranges::stable_sort(entries, {}, [](const auto* entry) { return entry->objective; });
  return entries;
}

double loss_of(double objective, double best) {
  return std::min(std::abs(std::log(objective / best)), Experience::worst);
}

}  // namespace

Experience::Experience(const Encoding& encoding, const std::vector<EarlierTrials>& sessions, std::uint64_t seed)
    : encoding_(&encoding) {
  for (const EarlierTrials& session : sessions) take(session);
  if (empty()) return;
  rank(sessions);
  fit(seed);
}

void Experience::take(const EarlierTrials& session) {
  const Ranked entries = ranked(session);
  for (const EarlierTrials::Entry* entry : entries) {
    Mean& mean = known_[entry->configuration];
    mean.sum += session.weight * loss_of(entry->objective, entries.front()->objective);
    mean.weight += session.weight;
  }
}

void Experience::rank(const std::vector<EarlierTrials>& sessions) {
  std::vector<Ranked> lists;
  for (const EarlierTrials& session : sessions) {
    lists.push_back(ranked(session));
    // What several sessions know to be good comes before what one session measured best by luck.
    std::ranges::stable_sort(lists.back(), {}, [&](const auto* entry) { return loss(entry->configuration); });
  }
  std::unordered_map<Configuration, bool, ConfigurationHash> taken;
  for (std::size_t place = 0; best_.size() < most_best; ++place) {
    bool any = false;
    for (const Ranked& list : lists) {
      if (place >= list.size()) continue;
      any = true;
      if (taken.emplace(list[place]->configuration, true).second) best_.push_back(list[place]->configuration);
    }
    if (!any) break;
  }
}

// Fits the forest. If there are more configurations than it takes, half of its samples are the best ones, and the other
// half is an even choice of the others.
void Experience::fit(std::uint64_t seed) {
  std::vector<std::pair<double, const Configuration*>> order;
  for (const auto& [configuration, mean] : known_) order.emplace_back(mean.sum / mean.weight, &configuration);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : *a.second < *b.second;
  });
  const std::size_t n = std::min(order.size(), most_known), kept = order.size() <= n ? n : n / 2;
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t place = i < kept ? i : kept + (i - kept) * (order.size() - kept) / (n - kept);
    samples.push_back({i, encoding_->row(*order[place].second), order[place].first, 0});
  }
  forest_.emplace(seed);
  forest_->fit(samples);
}

double Experience::loss(const Configuration& configuration) const {
  if (const auto found = known_.find(configuration); found != known_.end())
    return found->second.sum / found->second.weight;
  return forest_ ? forest_->mean_at(encoding_->row(configuration))(0) : worst;
}

namespace {

// Returns the slope of the observed values over the expected ones, drawn to 1.
double slope(const std::vector<double>& expected, const std::vector<double>& observed) {
  // The slope of 1 counts as much as this sum of squares, which is that of two configurations of which one is expected
  // to take twice as long as the other.
  constexpr double believed = 0.25;
  const auto n = static_cast<double>(expected.size());
  const double mean_expected = std::accumulate(expected.begin(), expected.end(), 0.0) / n;
  const double mean_observed = std::accumulate(observed.begin(), observed.end(), 0.0) / n;
  double products = believed, squares = believed;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    products += (expected[i] - mean_expected) * (observed[i] - mean_observed);
    squares += (expected[i] - mean_expected) * (expected[i] - mean_expected);
  }
  return std::clamp(products / squares, 0.0, 1.0);
}

}  // namespace

double agreement(const std::vector<double>& expected, const std::vector<double>& observed) {
  constexpr std::size_t enough_to_halve = 8;
  if (expected.empty()) return 1;
  const double all = slope(expected, observed);
  if (expected.size() < enough_to_halve) return all;
  std::vector<double> sorted = observed, good_expected, good_observed;
  std::ranges::sort(sorted);
  const double limit = sorted[sorted.size() / 2];
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (observed[i] > limit) continue;
    good_expected.push_back(expected[i]);
    good_observed.push_back(observed[i]);
  }
  return std::min(all, slope(good_expected, good_observed));
}

}  // namespace warptune::search
