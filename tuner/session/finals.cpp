// Visits the finalists in rounds and lets Elimination drop those that are surely slower.
#include "tuner/session/finals.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "search/random.h"
#include "tuner/measure/sampling/elimination.h"
#include "tuner/measure/sampling/statistics.h"

namespace warptune::tuner {

namespace {

constexpr double share_of_proofs = 0.01;  // of the time since the evaluator began
constexpr double close = 0.03;            // as a share of the best's cost: nearer ones may be faster in truth

// Returns about how many seconds one visit takes: loading, warming up, and five samples or 20 ms of them.
double visit_s(const search::Trial& trial) {
  const double ms = trial.measurement->median_ms;
  return (2 + std::min(6 * ms, 20 + 2 * ms)) / 1e3;
}

// Lowers `wanted`, down to 2, to the number of candidates that can be compared in `max_seconds` if each visit takes
// `visit` seconds. `extra` is what a round takes besides, for visits to candidates that are always in it and may be
// slow.
std::size_t affordable(std::size_t wanted, double visit, double extra, double max_seconds) {
  const auto seconds = [&] {
    return static_cast<double>(Elimination(wanted).first_look()) * (static_cast<double>(wanted) * visit + extra);
  };
  while (wanted > 2 && seconds() > max_seconds) --wanted;
  return wanted;
}

// Returns whether the search's own measurements leave room between the two, so that `trial` is the slower one.
bool slower_in_search(const search::Trial& trial, const search::Trial& best, const FinalsCost& cost) {
  const search::Measurement &slow = *trial.measurement, &fast = *best.measurement;
  return cost(trial, slow) * (1 - slow.relative_error) > cost(best, fast) * (1 + fast.relative_error);
}

struct Visit {
  double cost = 0;  // 0: it could not be measured
  double time_ms = 0;
};

// A round makes one visit to each candidate.
class Round {
 public:
  Round(Evaluator& evaluator, const std::vector<search::Trial>& trials, const FinalsCost& cost, FinalsHeld& held)
      : evaluator_(evaluator), trials_(trials), cost_(cost), held_(held) {}

  // Returns the visits in the order of `candidates`, or nothing if the round was stopped or not complete by `until_s`
  // on the evaluator's clock. A candidate that gets its proof in this round is taken out of `to_prove`.
  std::optional<std::vector<Visit>> run(const std::vector<std::size_t>& candidates, std::set<std::size_t>& to_prove,
                                        search::Rng& rng, const std::atomic<bool>& stop, double until_s) {
    std::vector<Evaluation> order;
    for (const std::size_t candidate : candidates) {
      order.push_back({trials_[candidate].configuration, Purpose::finalist});
      if (!to_prove.contains(candidate) || !may_prove()) continue;
      order.push_back({trials_[candidate].configuration, Purpose::proof});
      to_prove.erase(candidate);
    }
    rng.shuffle(order);
    for (const Evaluation& evaluation : order) evaluator_.submit(evaluation);
    std::vector<Visit> visits(candidates.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (stop.load() || !evaluator_.wait(until_s - evaluator_.now_s())) return std::nullopt;
      search::Trial done = evaluator_.next();
      const auto place = std::ranges::find_if(
          candidates, [&](std::size_t candidate) { return trials_[candidate].configuration == done.configuration; });
      if (place == candidates.end()) continue;
      take(*place, std::move(done), visits[static_cast<std::size_t>(place - candidates.begin())]);
    }
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (held_.wrong.contains(candidates[i])) visits[i] = {};
    return visits;
  }

 private:
  // Returns whether one more proof fits into its share of the time, and counts it. As long as it is not known how long
  // a proof takes, only the first one may be made.
  bool may_prove() {
    const bool may = proofs_ == 0 ||
                     (proof_s_ && static_cast<double>(proofs_ + 1) * *proof_s_ <= share_of_proofs * evaluator_.now_s());
    proofs_ += may;
    return may;
  }

  void take(std::size_t candidate, search::Trial done, Visit& visit) {
    if (done.outcome == search::Outcome::wrong_result) {
      held_.wrong[candidate] = std::move(done);
    } else if (done.correct() && !done.measurement) {
      held_.proved.push_back(candidate);
      proof_s_ = done.phases.verify_ms / 1e3;
    } else if (done.correct()) {
      const double cost = cost_(trials_[candidate], *done.measurement);
      if (std::isfinite(cost) && cost > 0) visit = {cost, done.measurement->median_ms};
    }
  }

  Evaluator& evaluator_;
  const std::vector<search::Trial>& trials_;
  const FinalsCost& cost_;
  FinalsHeld& held_;
  std::size_t proofs_ = 0;
  std::optional<double> proof_s_;  // seconds that the latest proof took
};

// Keeps what became of the candidates, round by round.
class Contest {
 public:
  explicit Contest(std::vector<std::size_t> chosen)
      : chosen_(std::move(chosen)), elimination_(chosen_.size()), times_ms_(chosen_.size()) {}

  const Elimination& elimination() const { return elimination_; }

  std::vector<std::size_t> candidates() const {
    std::vector<std::size_t> trials;
    for (const std::size_t number : elimination_.remaining()) trials.push_back(chosen_[number]);
    return trials;
  }

  void add_round(const std::vector<Visit>& visits) {
    const std::vector<std::size_t> numbers = elimination_.remaining();
    std::vector<double> costs;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (visits[i].cost <= 0) {
        elimination_.drop(numbers[i]);
        continue;
      }
      costs.push_back(visits[i].cost);
      times_ms_[numbers[i]].push_back(visits[i].time_ms);
    }
    if (!costs.empty()) elimination_.add_round(costs);
  }

  void drop(std::size_t trial) {
    const auto number = static_cast<std::size_t>(std::ranges::find(chosen_, trial) - chosen_.begin());
    if (std::ranges::count(elimination_.remaining(), number) > 0) elimination_.drop(number);
  }

  // Returns the candidates that were measured at all, the winner first. Where the rounds were too few to tell two
  // apart, the search's measurements decide: a default configuration that takes ten times as long is no tie.
  FinalsResult result(const std::vector<search::Trial>& trials, const FinalsCost& cost) const {
    FinalsResult result;
    result.rounds = elimination_.rounds();
    const search::Trial& best = trials[chosen_[elimination_.leader()]];
    for (std::size_t number = 0; number < chosen_.size(); ++number)
      if (number != elimination_.leader() && !times_ms_[number].empty()) result.finalists.push_back(standing(number));
    for (Finalist& finalist : result.finalists)
      if (std::isinf(finalist.slower_high) && slower_in_search(trials[finalist.trial], best, cost))
        finalist.tied = false;
    std::ranges::stable_sort(result.finalists, {}, &Finalist::slower_by);
    Finalist winner = standing(elimination_.leader());
    winner.slower_by = winner.slower_low = winner.slower_high = 0;
    result.finalists.insert(result.finalists.begin(), winner);
    return result;
  }

 private:
  Finalist standing(std::size_t number) const {
    const std::vector<double> costs = elimination_.times(number);
    const Shift shift = elimination_.slower_by(number);
    return {chosen_[number],
            0,
            relative_error(costs),
            median(times_ms_[number]),
            relative_error(times_ms_[number]),
            costs.size(),
            shift.estimate,
            shift.low,
            shift.high,
            !elimination_.eliminated(number)};
  }

  std::vector<std::size_t> chosen_;
  Elimination elimination_;
  std::vector<std::vector<double>> times_ms_;
};

}  // namespace

std::vector<std::size_t> choose_finalists(const std::vector<search::Trial>& trials,
                                          const std::vector<std::size_t>& always, const FinalsCost& cost,
                                          const FinalsOptions& options) {
  struct Candidate {
    std::size_t trial;
    double cost, error;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].correct() && trials[i].measurement && !trials[i].measurement->cut_short)
      candidates.push_back({i, cost(trials[i], *trials[i].measurement), trials[i].measurement->relative_error});
  std::erase_if(candidates, [](const Candidate& candidate) { return !std::isfinite(candidate.cost); });
  if (candidates.empty() || options.candidates == 0) return {};
  std::ranges::stable_sort(candidates, {}, &Candidate::cost);
  const Candidate best = candidates.front();
  std::erase_if(candidates, [&](const Candidate& candidate) {
    const bool near = candidate.cost <= best.cost * (1 + close);
    return !near && candidate.cost * (1 - candidate.error) > best.cost * (1 + best.error);
  });
  std::vector<std::size_t> chosen;
  for (const Candidate& candidate : candidates) chosen.push_back(candidate.trial);
  const auto add_always = [&] {
    for (const std::size_t trial : always)
      if (std::ranges::find(chosen, trial) == chosen.end()) chosen.push_back(trial);
  };
  const std::size_t near = chosen.size();
  add_always();
  double extra = 0;
  for (std::size_t i = near; i < chosen.size(); ++i) extra += visit_s(trials[chosen[i]]);
  const double visit = visit_s(trials[best.trial]);
  chosen.resize(std::min(near, affordable(options.candidates, visit, extra, options.max_seconds)));
  add_always();
  double round_s = 0;
  for (const std::size_t trial : chosen) round_s += visit_s(trials[trial]);
  if (chosen.size() < 2 || round_s > options.max_seconds) chosen.clear();
  return chosen;
}

FinalsHeld run_finals(Evaluator& evaluator, const std::vector<search::Trial>& trials,
                      const std::vector<std::size_t>& chosen, const FinalsCost& cost, const FinalsOptions& options,
                      const std::atomic<bool>& stop, const std::function<void(std::size_t, std::size_t)>& on_round) {
  FinalsHeld held;
  Contest contest(chosen);
  Round round(evaluator, trials, cost, held);
  search::Rng rng(options.seed);
  const double until_s = evaluator.now_s() + options.max_seconds;
  const Elimination& elimination = contest.elimination();
  std::multimap<std::size_t, std::size_t> turns;  // by round, before any elimination: trials to be proved
  for (const std::size_t trial : chosen) turns.emplace(rng.below(elimination.first_look()), trial);
  std::set<std::size_t> to_prove;
  double round_s = 0;  // the latest one's: the next will take about as long
  while (!elimination.decided() && evaluator.now_s() + round_s < until_s) {
    const double begin_s = evaluator.now_s();
    const auto [first, last] = turns.equal_range(elimination.rounds());
    for (auto turn = first; turn != last; ++turn) to_prove.insert(turn->second);
    const auto visits = round.run(contest.candidates(), to_prove, rng, stop, until_s);
    if (stop.load()) return held;
    if (!visits) break;
    contest.add_round(*visits);
    on_round(elimination.rounds(), elimination.remaining().size());
    round_s = evaluator.now_s() - begin_s;
  }
  for (const auto& [trial, visit] : held.wrong) contest.drop(trial);  // also for visits of a round that was cut off
  // No candidate is left if all visits failed. They had not failed as trials of the search, so its measurements stand.
  if (elimination.rounds() == 0 || elimination.remaining().empty()) return held;
  held.result = contest.result(trials, cost);
  std::erase_if(held.result->finalists, [&](const Finalist& each) { return held.wrong.contains(each.trial); });
  return held;
}

}  // namespace warptune::tuner
