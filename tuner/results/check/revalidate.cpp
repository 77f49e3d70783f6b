// Measures with the evaluator that session/preparation.h opens, rates the trials, and settles the winner of a session
// under today's key.
#include "tuner/results/check/revalidate.h"

#include <fmt/format.h>

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

namespace {

db::SessionId new_session(const db::SessionRecord& old, const db::SessionKey& key, const Remeasurer& remeasurer,
                          db::Store& store) {
  db::SessionRecord session;
  session.key = key;
  session.strategy = "revalidate";
  session.objective = old.objective;
  session.maximised = old.maximised;
  session.space_size = search::to_text(remeasurer.space().size());
  session.tool_version = tool_version;
  session.manifest = remeasurer.kernel().shown(std::filesystem::absolute(remeasurer.kernel().manifest)).string();
  session.capture_file = old.capture_file;
  session.origin = fmt::format("revalidated from session {} ({}{}{}, {})", old.id, old.key.compiler,
                               old.key.device.driver.empty() ? "" : ", driver ", old.key.device.driver, old.started_at);
  return store.create_session(session);
}

void settle(db::SessionId session, const search::NamedValues& default_values, db::Store& store, Revalidation& result) {
  store.set_session_state(session, db::SessionState::finished);
  const auto best = store.best_trials(session, 1);
  if (best.empty()) return;
  result.winner = best.front();
  db::Winner winner{.trial = best.front().id, .objective = best.front().trial.objectives.front()};
  if (best.front().trial.measurement) winner.relative_error = best.front().trial.measurement->relative_error;
  const auto default_trial = store.find_trial(session, default_values);
  if (default_trial && default_trial->trial.correct()) {
    winner.default_trial = default_trial->id;
    if (may_win(default_trial->trial)) winner.default_objective = default_trial->trial.objectives.front();
  }
  store.settle_winner(session, winner);
}

}  // namespace

Revalidation revalidate(const db::SessionRecord& old, const std::vector<db::StoredTrial>& top,
                        const db::SessionKey& key, Remeasurer& remeasurer, db::Store& store) {
  Revalidation result;
  result.session = new_session(old, key, remeasurer, store);
  const search::NamedValues default_values = remeasurer.default_values();
  std::vector<search::NamedValues> wanted;
  if (!default_values.empty()) wanted.push_back(default_values);
  for (const db::StoredTrial& trial : top)
    if (trial.values != default_values) wanted.push_back(trial.values);
  for (const search::NamedValues& values : wanted) {
    auto trial = store.find_trial(result.session, values);
    if (trial) {
      ++result.known;
    } else {
      // Trials are measured one at a time, so that each is in the store before the next begins.
      trial = db::StoredTrial{.values = values, .trial = remeasurer.measure({values}).front()};
      if (remeasurer.stopped() && !trial->trial.correct()) break;
      remeasurer.keep_to_bits(store, result.session, values, trial->trial);
      store.record(result.session, values, trial->trial);
      ++result.measured;
    }
    result.correct += trial->trial.correct();
  }
  if (remeasurer.stopped())
    store.set_session_state(result.session, db::SessionState::interrupted);
  else
    settle(result.session, default_values, store, result);
  return result;
}

}  // namespace warptune::tuner
