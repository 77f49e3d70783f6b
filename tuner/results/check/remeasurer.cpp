// Measures with the evaluator that session/preparation.h opens, and rates the trials.
#include "tuner/results/check/remeasurer.h"

#include <map>

#include "tuner/kernel/problem.h"

namespace warptune::tuner {

Remeasurer::Remeasurer(const TuneRequest& request, const std::atomic<bool>& stop)
    : problem_(prepare_problem(request)),
      same_bits_(request.evaluator.policy.same_bits),
      objectives_(make_objectives(problem_.kernel, request.objective)),
      space_(build_space(problem_.kernel, problem_.constants)),
      stop_(stop),
      opened_(open_evaluator(request, problem_, learn_of_compiler(request, problem_), space_, stop_)) {}

search::NamedValues Remeasurer::default_values() const {
  const auto configuration = space_.find(kernel().default_values);
  return configuration && space_.contains(*configuration) ? space_.values(*configuration) : search::NamedValues{};
}

void Remeasurer::keep_to_bits(const db::Store& store, db::SessionId session, const search::NamedValues& values,
                              search::Trial& trial) const {
  BitsRule rule(same_bits_);
  const search::NamedValues usual = default_values();
  if (values == usual) {
    rule.meet(trial, true);
  } else if (const auto stored = store.find_trial(session, usual)) {
    rule.meet(stored->trial, true);
  }
  if (!rule.admits(trial)) rule_out(trial);
}

void Remeasurer::complete(search::Trial& trial) const {
  if (!trial.correct()) return;
  const search::NamedValues scope = scope_of(problem_.constants, space_.values(trial.configuration));
  trial.metrics = evaluate_metrics(kernel(), scope, problem_.device(), *trial.measurement, trial.counters);
  trial.work = evaluate_work(kernel(), scope);
  for (const Objective& objective : objectives_) trial.objectives.push_back(objective.value(trial));
}

std::vector<search::Trial> Remeasurer::measure(const std::vector<search::NamedValues>& configurations) {
  Evaluator& evaluator = *opened_.evaluator;
  std::map<search::Configuration, search::Trial> finished;
  std::vector<search::Configuration> wanted;
  for (const search::NamedValues& values : configurations) {
    const auto configuration = space_.find(values);
    if (configuration && space_.contains(*configuration) && finished.try_emplace(*configuration).second)
      wanted.push_back(*configuration);
  }
  for (std::size_t begun = 0, done = 0; done < wanted.size(); ++done) {
    while (begun < wanted.size() && begun - done < evaluator.capacity()) evaluator.submit({wanted[begun++]});
    search::Trial trial = evaluator.next();
    complete(trial);
    finished[trial.configuration] = std::move(trial);
  }
  std::vector<search::Trial> trials;
  for (const search::NamedValues& values : configurations) {
    const auto configuration = space_.find(values);
    const auto found = configuration ? finished.find(*configuration) : finished.end();
    trials.push_back(found != finished.end() ? found->second : search::Trial{});
    if (found != finished.end()) continue;
    trials.back().outcome = search::Outcome::constraint_violation;
    trials.back().message = "not in the search space of this template and device as they are today";
  }
  return trials;
}

}  // namespace warptune::tuner
