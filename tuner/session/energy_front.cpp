// Bounds an energy that was not measured by a static power over the trial's time, plus the least work seen.
#include "tuner/session/energy_front.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/measure/sampling/same_bits.h"

namespace warptune::tuner {

namespace {

// So many energies must be known before the least power and the least work can be told.
constexpr std::size_t least_measured = 5;
// For being busy at all (clocks, leakage, refreshing its memory), the device takes this share of the least power that
// any run drew. An H200 draws 80 W idle, and 180 W and more at work.
constexpr double static_share = 1.0 / 3;
// No configuration is expected to fall below this share of the least energy that the work took beyond the static power.
// The share is not below 1, because energies of a search are rough, and the least of many is too low already.
constexpr double work_share = 1;

// A rough energy may be wrong by this factor.
constexpr double rough = 1.1;

double power_w(const EnergyPoint& point) {
  return point.joules / point.ms * 1e3;
}

}  // namespace

EnergyFront::EnergyFront(const std::vector<Objective>& objectives) {
  const auto joules = std::ranges::find(objectives, "joules", &Objective::name);
  const bool known =
      std::ranges::all_of(objectives, [](const Objective& each) { return each.is_time() || each.name() == "joules"; });
  if (joules == objectives.end() || !known) return;
  joules_at_ = static_cast<std::size_t>(joules - objectives.begin());
  with_time_ = objectives.size() > 1;
}

void EnergyFront::meet(const search::Trial& trial) {
  if (!active() || !trial.correct() || !trial.measurement || !trial.measurement->joules) return;
  const EnergyPoint measured{trial.measurement->median_ms, *trial.measurement->joules};
  if (!(measured.joules > 0) || !std::isfinite(power_w(measured))) return;
  measured_.push_back(measured);
  most_w_ = std::max(most_w_, power_w(measured));
  const EnergyPoint point{with_time_ ? measured.ms : 0, measured.joules};
  if (Rivals{.front = front_}.dominate(point.ms, point.joules)) return;
  const Rivals alone{.front = {point}};
  std::erase_if(front_, [&](const EnergyPoint& other) { return alone.dominate(other.ms, other.joules); });
  front_.push_back(point);
}

Rivals EnergyFront::rivals() const {
  Rivals rivals{.front = front_};
  if (measured_.size() < least_measured) return rivals;  // without a least energy, nothing is spared
  rivals.static_w = static_share * power_w(*std::ranges::min_element(measured_, {}, power_w));
  const auto work = [&](const EnergyPoint& point) { return point.joules - rivals.static_w * point.ms / 1e3; };
  rivals.work_j = work_share * work(*std::ranges::min_element(measured_, {}, work));
  return rivals;
}

bool EnergyFront::was_spared(const search::Trial& trial) const {
  if (!active() || !trial.correct() || !trial.measurement || trial.measurement->joules) return false;
  // A trial that may not win for another reason has no finite time either.
  return trial.objectives.size() > *joules_at_ && (*joules_at_ == 0 || may_win(trial));
}

// Returns the trial's time and energy. A spared trial gets the least energy that it can have, times `spared_at`.
// Returns nothing for a trial that may not win, unless its energy was spared.
std::optional<EnergyPoint> EnergyFront::point_of(const search::Trial& trial, double spared_at) const {
  if (!may_win(trial) && !was_spared(trial)) return std::nullopt;
  const double ms = trial.measurement->median_ms;
  const Rivals known = rivals();
  if (!was_spared(trial)) return EnergyPoint{with_time_ ? ms : 0, trial.measurement->joules.value_or(0)};
  return EnergyPoint{with_time_ ? ms : 0, (known.static_w * ms / 1e3 + known.work_j) * spared_at};
}

std::optional<std::size_t> EnergyFront::most_doubtful(const std::vector<search::Trial>& trials,
                                                      const std::set<std::size_t>& settled) const {
  std::vector<std::pair<std::size_t, EnergyPoint>> known;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (const auto point = point_of(trials[i], rough)) known.emplace_back(i, *point);
  std::optional<std::size_t> most;
  double nearest = rough;
  for (const auto& [i, mine] : known) {
    if (settled.contains(i)) continue;
    // The trial's energy is compared with the least energy of those that are at least as fast. The energy of a spared
    // trial is not known, so nothing is compared with it.
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [other, point] : known)
      if (other != i && point.ms <= mine.ms && !was_spared(trials[other])) least = std::min(least, point.joules);
    if (mine.joules / least >= nearest) continue;
    nearest = mine.joules / least;
    most = i;
  }
  return most;
}

search::Trial EnergyFront::as_told(const search::Trial& trial) const {
  search::Trial told = trial;
  if (was_spared(trial) && most_w_ > 0) told.objectives[*joules_at_] = most_w_ * trial.measurement->median_ms / 1e3;
  return told;
}

}  // namespace warptune::tuner
