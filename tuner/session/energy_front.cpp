#include "tuner/session/energy_front.h"

#include <algorithm>
#include <cmath>

namespace warptune::tuner {

namespace {

// Before so many energies are known, nobody can say what the least is.
constexpr std::size_t least_measured = 5;
// Of the least power that any run drew: what the device takes for being busy at all (clocks, leakage, refreshing its
// memory). Of an H200 it is 80 W idle beside 180 W and more at work.
constexpr double static_share = 1.0 / 3;
// Of the least energy that the work took beyond that: what no configuration is expected to fall below.
constexpr double work_share = 0.95;

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
  if (measured_.size() < least_measured) return {};
  Rivals rivals{.front = front_};
  rivals.static_w = static_share * power_w(*std::ranges::min_element(measured_, {}, power_w));
  const auto work = [&](const EnergyPoint& point) { return point.joules - rivals.static_w * point.ms / 1e3; };
  rivals.work_j = work_share * work(*std::ranges::min_element(measured_, {}, work));
  return rivals;
}

bool EnergyFront::was_spared(const search::Trial& trial) const {
  return active() && trial.correct() && trial.measurement && !trial.measurement->joules &&
         trial.objectives.size() > *joules_at_;
}

bool EnergyFront::lacks_energy(const search::Trial& trial) const {
  return was_spared(trial) && !measured_.empty() && !rivals().spare_energy(trial.measurement->median_ms);
}

search::Trial EnergyFront::as_told(const search::Trial& trial) const {
  search::Trial told = trial;
  if (was_spared(trial) && most_w_ > 0) told.objectives[*joules_at_] = most_w_ * trial.measurement->median_ms / 1e3;
  return told;
}

}  // namespace warptune::tuner
