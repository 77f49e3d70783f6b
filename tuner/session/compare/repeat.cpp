// Runs a strategy against a ReplayEvaluator until the repeat's time is over.
#include "tuner/session/compare/repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tuner/session/first_guess/words.h"
#include "tuner/session/replay/replay_evaluator.h"

namespace warptune::tuner::compare {

namespace {

void add(const replay::Recording& from, const search::Trial& trial, const replay::Recording& space,
         search::EarlierTrials& trials) {
  if (!trial.objectives.empty())
    trials.add(space.space(), from.space().values(trial.configuration), {}, trial.objectives.front());
}

search::EarlierTrials whole(const replay::Recording& from, const replay::Recording& space) {
  search::EarlierTrials trials;
  for (std::size_t i = 0; i < from.size(); ++i) add(from, from.trial(i), space, trials);
  return trials;
}

search::EarlierTrials of_session(const replay::Recording& from, const replay::Recording& space, std::size_t length,
                                 std::uint64_t seed) {
  search::EarlierTrials trials;
  const auto strategy = search::make_strategy("auto", {.space = from.space(), .seed = seed});
  for (std::size_t i = 0; i < length; ++i) {
    const auto asked = strategy->ask(1);
    if (asked.empty()) break;
    const search::Trial& trial = *from.find(asked.front());
    add(from, trial, space, trials);
    strategy->tell(trial);
  }
  return trials;
}

// Returns what the request's earlier recordings tell about a space. `seed` decides which trials a session on each of
// them met. The space's own recording is left out. These are whole
// recordings, or a session of `auto` that is simulated on each.
std::vector<search::EarlierTrials> earlier_trials(const Request& request, const replay::Recording& space,
                                                  std::uint64_t seed) {
  std::vector<search::EarlierTrials> earlier;
  for (const replay::Recording* from : request.earlier) {
    if (from->name() == space.name()) continue;
    search::EarlierTrials trials =
        request.earlier_trials == 0 ? whole(*from, space) : of_session(*from, space, request.earlier_trials, seed);
    if (!trials.entries.empty()) earlier.push_back(std::move(trials));
  }
  return earlier;
}

// Keeps evaluations in flight, charges the strategy's own time, and holds the strategy to its contract.
class RepeatRunner {
 public:
  RepeatRunner(const Request& request, const replay::Recording& recording, const search::compare::ScoredSpace& scored,
               const StrategyChoice& choice, std::uint64_t seed)
      : request_(request),
        recording_(recording),
        scored_(scored),
        choice_(choice),
        evaluator_(recording, request.slots),
        proposed_(recording.size()) {
    timed([&] { strategy_ = request.make(choice.name, context(seed)); });
  }

  Repeat run() {
    while (!over()) {
      fill();
      if (in_flight_ == 0) break;  // the strategy is done
      const search::Trial trial = evaluator_.next();
      --in_flight_;
      repeat_.run.push_back({index_of(trial.configuration), evaluator_.now_s()});
      timed([&] { strategy_->tell(trial); });
    }
    return std::move(repeat_);
  }

 private:
  search::StrategyContext context(std::uint64_t seed) const {
    search::StrategyContext context{.space = recording_.space(), .seed = seed};
    context.options = choice_.options;
    context.first_guess = word_guess(recording_.space());
    context.earlier = earlier_trials(request_, recording_, seed);
    if (request_.tell_budget)
      context.trial_budget = static_cast<std::size_t>(std::ceil(scored_.run_length_s() / scored_.mean_cost_s()));
    return context;
  }

  bool over() const {
    return evaluator_.now_s() >= scored_.run_length_s() && repeat_.run.size() >= request_.evaluations_of_a_repeat();
  }

  void fill() {
    if (in_flight_ >= request_.in_flight) return;
    std::vector<search::Configuration> asked;
    timed([&] { asked = strategy_->ask(request_.in_flight - in_flight_); });
    for (const search::Configuration& configuration : asked) {
      const std::uint32_t index = index_of(configuration);
      if (proposed_[index]) refuse("proposed twice", configuration);
      proposed_[index] = true;
      evaluator_.submit({configuration});
      ++in_flight_;
    }
  }

  std::uint32_t index_of(const search::Configuration& configuration) const {
    const auto index = recording_.space().index_of(configuration);
    if (!index) refuse("proposed, though it is not in the space", configuration);
    return static_cast<std::uint32_t>(*index);
  }

  [[noreturn]] void refuse(const char* what, const search::Configuration& configuration) const {
    throw std::logic_error(fmt::format("strategy {} on {}: the configuration with the choices [{}] was {}",
                                       choice_.text, recording_.name(), fmt::join(configuration.choices, ","), what));
  }

  template <class Work>
  void timed(Work work) {
    if (!request_.cpu_s) return work();
    const double before_s = request_.cpu_s();
    work();
    const double spent_s = request_.cpu_s() - before_s;
    repeat_.cpu_s += spent_s;
    if (request_.charge_cpu) evaluator_.pass_s(spent_s);
  }

  const Request& request_;
  const replay::Recording& recording_;
  const search::compare::ScoredSpace& scored_;
  const StrategyChoice& choice_;
  replay::ReplayEvaluator evaluator_;
  std::unique_ptr<search::Strategy> strategy_;
  std::vector<bool> proposed_;
  std::size_t in_flight_ = 0;
  Repeat repeat_;
};

}  // namespace

Repeat run_repeat(const Request& request, const replay::Recording& recording,
                  const search::compare::ScoredSpace& scored, const StrategyChoice& choice, std::uint64_t seed) {
  return RepeatRunner(request, recording, scored, choice, seed).run();
}

}  // namespace warptune::tuner::compare
