// Implements what a session measures after its search, besides the finals: the energies of its front, and counters.
#include <algorithm>
#include <set>

#include "tuner/session/session.h"

namespace warptune::tuner {

namespace {

// So many energies are in flight at once, so that configurations are compiled side by side if they have to be compiled
// again.
constexpr std::size_t energies_at_once = 8;
// Without a budget of time, energies take this share of the time that was spent until then, within these bounds, as the
// finals do.
constexpr double share_of_past = 0.25, least_s = 2, most_s = 30;

}  // namespace

// A search measures energies roughly, and spares some. What may be on the front is measured again, the likeliest first,
// until the front is beyond doubt or the time is up.
void Session::settle_energies() {
  if (!energy_.active() || result_.interrupted || !parts_.evaluator.can_measure_again() || !drain()) return;
  parts_.evaluator.race_against({});
  double until_s = elapsed_s() + std::clamp(share_of_past * elapsed_s(), least_s, most_s);
  if (const auto& seconds = parts_.budget.limits().seconds) until_s = *seconds - finals_reserved_s_;
  std::set<std::size_t> settled;
  bool in_time = true;
  while (in_time && elapsed_s() < until_s) {
    std::size_t submitted = 0;
    for (; submitted < energies_at_once; ++submitted) {
      const auto next = energy_.most_doubtful(result_.trials, settled);
      if (!next) break;
      settled.insert(*next);
      parts_.evaluator.submit({result_.trials[*next].configuration});
    }
    if (submitted == 0) return;
    for (; submitted > 0; --submitted) {
      while (in_time && !parts_.evaluator.wait(wait_s)) in_time = !parts_.stop.load() && elapsed_s() < until_s;
      if (in_time && elapsed_s() >= until_s) in_time = false;
      if (!in_time) submitted = std::min(submitted, parts_.evaluator.cancel());
      if (submitted == 0) break;
      record_energy(parts_.evaluator.next());
    }
  }
}

// Replaces a trial by its new measurement. A trial that cannot be measured now was right before, and stays what it was.
void Session::record_energy(search::Trial measured) {
  const auto known = std::ranges::find(result_.trials, measured.configuration, &search::Trial::configuration);
  if (!measured.correct() || known == result_.trials.end()) return;
  rate(measured);
  bits_.admits(measured) ? energy_.meet(measured) : rule_out(measured);
  parts_.store.record(parts_.id, parts_.space.values(measured.configuration), measured);
  const auto number = static_cast<std::size_t>(known - result_.trials.begin());
  *known = std::move(measured);
  if (result_.best != number) return consider(number);
  result_.best.reset();  // it may have been by luck
  for (std::size_t i = 0; i < result_.trials.size(); ++i) consider(i);
}

// Returns the trials whose counters are to be read. The winner comes first, then the others as the finals ranked them,
// because a budget of time may end in between.
std::vector<std::size_t> Session::to_be_counted() const {
  std::vector<std::size_t> trials;
  if (result_.finals)
    for (const Finalist& finalist : result_.finals->finalists) trials.push_back(finalist.trial);
  else if (result_.best)
    trials.push_back(*result_.best);
  return trials;
}

// Reads the counters of the finalists, after everything that is timed. What goes wrong here is kept with the trial and
// does not change its outcome.
void Session::count_finalists() {
  if (!parts_.counters || result_.interrupted || !parts_.evaluator.can_measure_again()) return;
  if (!drain()) return;
  const std::vector<std::size_t> chosen = to_be_counted();
  for (std::size_t i = 0; i < chosen.size() && (i == 0 || left_s() > 0); ++i) {
    if (const auto& known = result_.trials[chosen[i]].counters; known && !known->values.empty()) continue;
    if (parts_.observer) parts_.observer->on_counting(i + 1, chosen.size());
    parts_.evaluator.submit({result_.trials[chosen[i]].configuration, Purpose::counted});
    while (!parts_.evaluator.wait(wait_s))
      if (parts_.stop.load()) return;
    record_counters(chosen[i], parts_.evaluator.next());
    // What keeps one trial from being counted keeps all of them.
    if (result_.trials[chosen[i]].counters->values.empty()) return;
  }
}

void Session::record_counters(std::size_t trial, search::Trial counted) {
  search::Trial& known = result_.trials[trial];
  known.counters = counters_of_run(std::move(counted));
  known.metrics = rated_like(known, *known.measurement).metrics;
  parts_.store.record_counters(result_.ids[trial], *known.counters, known.metrics);
}

}  // namespace warptune::tuner
