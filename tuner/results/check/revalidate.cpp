// Creates the new session, measures what it lacks and settles its winner.
#include "tuner/results/check/revalidate.h"

#include <fmt/format.h>

namespace warptune::tuner {

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
