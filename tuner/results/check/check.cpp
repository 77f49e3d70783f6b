// Compares new measurements with the store's settled figures, and blames the machine where all have become slower
// alike.
#include "tuner/results/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warptune::tuner {

namespace {

using Candidate = std::pair<std::string, db::StoredTrial>;  // a role and its trial

bool measurable(const search::Trial& trial) {
  return trial.correct() && trial.measurement && !trial.objectives.empty();
}

std::vector<Candidate> choose(const db::BestRecord& best, const search::NamedValues& default_values,
                              const db::Store& store, std::size_t runners_up) {
  std::vector<Candidate> chosen{{"winner", best.trial}};
  const auto known = [&](db::TrialId id) {
    return std::ranges::any_of(chosen, [&](const Candidate& candidate) { return candidate.second.id == id; });
  };
  auto usual = store.find_trial(best.session.id, default_values);
  if (!usual) usual = best.default_trial;
  if (usual && measurable(usual->trial) && !known(usual->id)) chosen.emplace_back("default", *usual);
  std::size_t added = 0;
  for (db::StoredTrial& trial : store.best_trials(best.session.id, runners_up + 2))
    if (added < runners_up && !known(trial.id)) chosen.emplace_back("runner-up", std::move(trial)), ++added;
  return chosen;
}

// Returns whether the output bits differ from the recorded ones, where the inputs are the same and the hashes of both
// are known. Sums of floating-point numbers may differ so, and be right.
bool has_other_outputs(const search::Trial& recorded, const search::Trial& measured) {
  if (!measured.correct() || !recorded.bits || !measured.bits || measured.bits->outputs.empty()) return false;
  return recorded.bits->data == measured.bits->data && !recorded.bits->outputs.empty() &&
         recorded.bits->outputs != measured.bits->outputs;
}

CheckedConfiguration judge(const Candidate& candidate, const db::Winner& winner, const search::Trial& measured,
                           double tolerance) {
  CheckedConfiguration checked{candidate.first, candidate.second, db::settled(winner, candidate.second), measured};
  if (measured.outcome == search::Outcome::wrong_result) {
    checked.verdict = Verdict::wrong;
  } else if (!measurable(measured)) {
    checked.verdict = Verdict::failure;
  } else {
    checked.verdict = verdict_of(checked.settled, measured, tolerance);
    checked.drift = drift_of(checked.settled.objective, measured.objectives.front());
    checked.other_outputs = has_other_outputs(candidate.second.trial, measured);
    if (checked.other_outputs) checked.measured.message = "other output bits than recorded";
  }
  return checked;
}

// Returns the sum of the relative errors of both measurements.
double errors_of(const CheckedConfiguration& checked) {
  return db::sum_of_errors(checked.settled.objective_error, checked.measured.measurement->relative_error);
}

// Turns regressions into slower_machine where the yardstick has become as much slower. Under the recorded key, what
// slows all configurations down alike is no part of the kernel. Under another key it may be just what has changed.
void blame_the_machine(SessionCheck& check, double tolerance) {
  std::vector<CheckedConfiguration>& all = check.configurations;
  const auto yardstick = std::find_if(all.begin() + 1, all.end(), [](const auto& each) { return each.drift; });
  CheckedConfiguration& winner = all.front();
  if (!check.standing.current() || winner.verdict != Verdict::regression || !winner.drift || yardstick == all.end())
    return;
  if (!is_machine_slower(winner, *yardstick, tolerance)) return;
  for (CheckedConfiguration& each : all)
    if (each.verdict == Verdict::regression && is_machine_slower(each, *yardstick, tolerance))
      each.verdict = Verdict::slower_machine;
  std::string& message = winner.measured.message;
  message += fmt::format("{}the machine is slower, and not this configuration: the {} drifted by {:+.0f} %, too",
                         message.empty() ? "" : "; ", yardstick->role, *yardstick->drift * 100);
}

// Returns the verdict on a session. The winner decides: a runner-up or default that drifted alone is news, not a
// verdict. A wrong result of any configuration decides, too.
Verdict verdict_of(const std::vector<CheckedConfiguration>& configurations, const Standing& standing) {
  Verdict verdict = configurations.front().verdict;
  for (const CheckedConfiguration& checked : configurations)
    if (checked.verdict == Verdict::wrong) verdict = Verdict::wrong;
  return standing.current() ? verdict : std::max(verdict, Verdict::stale);
}

void withdraw(const SessionCheck& check, db::Store& store) {
  const db::SessionId session = check.session.id;
  const auto best = store.best_trials(session, 1);
  if (best.empty()) return store.clear_winner(session);
  db::Winner next = store.winner(session).value();
  std::erase_if(next.finalists, [&](const db::WinnerFinalist& finalist) { return finalist.trial == next.trial; });
  if (next.default_trial == next.trial) next.default_trial = std::nullopt, next.default_objective = std::nullopt;
  next.ties.clear();
  const db::Settled figures = db::settled(next, best.front());
  next.trial = best.front().id;
  next.objective = figures.objective;
  next.relative_error = figures.objective_error;
  store.settle_winner(session, next);
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 9> names{"not checkable",  "ok",         "improved", "no device", "stale",
                                                  "slower machine", "regression", "failure",  "wrong"};
  return names.at(static_cast<std::size_t>(verdict));
}

std::optional<double> drift_of(double recorded, double measured) {
  const auto times_as_good = db::gain(measured, recorded);
  return times_as_good ? std::optional(1 / *times_as_good - 1) : std::nullopt;
}

Verdict verdict_of(const db::Settled& recorded, const search::Trial& measured, double tolerance) {
  const double allowed = tolerance + db::sum_of_errors(recorded.objective_error, measured.measurement->relative_error);
  const std::optional<double> drift = drift_of(recorded.objective, measured.objectives.front());
  const double change = drift ? *drift : measured.objectives.front() - recorded.objective;
  if (change > (drift ? allowed : 0)) return Verdict::regression;
  return change < (drift ? -allowed : 0) ? Verdict::improved : Verdict::ok;
}

bool is_machine_slower(const CheckedConfiguration& slower, const CheckedConfiguration& yardstick, double tolerance) {
  if (!slower.drift || !yardstick.drift || *yardstick.drift <= errors_of(yardstick)) return false;
  const double beside = (1 + *slower.drift) / (1 + *yardstick.drift) - 1;
  return beside <= tolerance + errors_of(slower) + errors_of(yardstick);
}

SessionCheck check_session(const db::BestRecord& best, const Standing& standing,
                           const search::NamedValues& default_values, const db::Store& store, const Measure& measure,
                           const CheckOptions& options) {
  SessionCheck check{.session = best.session, .standing = standing};
  const std::vector<Candidate> candidates = choose(best, default_values, store, options.runners_up);
  std::vector<search::NamedValues> configurations;
  for (const Candidate& candidate : candidates) configurations.push_back(candidate.second.values);
  try {
    const std::vector<search::Trial> trials = measure(configurations);
    for (std::size_t i = 0; i < candidates.size(); ++i)
      check.configurations.push_back(judge(candidates[i], best.winner, trials[i], options.tolerance));
    blame_the_machine(check, options.tolerance);
    check.verdict = verdict_of(check.configurations, standing);
    check.message = check.configurations.front().measured.message;
  } catch (const std::exception& error) {
    check.verdict = Verdict::failure;
    check.message = error.what();
  }
  return check;
}

bool record_check(const SessionCheck& check, db::Store& store) {
  bool changed = false;
  const auto winner = store.winner(check.session.id);
  // What another source, driver or compiler gave says nothing of the trials that are kept under the session's key.
  const bool same_key = check.standing.current();
  for (const CheckedConfiguration& checked : check.configurations) {
    db::TrialCheck entry{.trial = checked.recorded.id, .outcome = checked.measured.outcome};
    entry.recorded_objective = checked.settled.objective;
    if (measurable(checked.measured)) {
      entry.objective = checked.measured.objectives.front();
      entry.relative_error = checked.measured.measurement->relative_error;
    }
    entry.differs = check.standing.explanation();
    entry.message = checked.measured.message;
    store.record_check(entry);
    if (checked.verdict != Verdict::wrong || !same_key) continue;
    store.record(check.session.id, checked.recorded.values, checked.measured);
    changed = changed || (winner && winner->trial == checked.recorded.id);
  }
  if (changed) withdraw(check, store);
  return changed;
}

}  // namespace warptune::tuner
