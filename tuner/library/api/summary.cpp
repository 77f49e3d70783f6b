// Takes the settled times of the winner and of the default from a session's result.
#include "tuner/library/api/summary.h"

#include "db/settled.h"

namespace warptune {

static double settled_ms(const tuner::SessionResult& session, std::size_t trial) {
  return db::settled(session.winner, session.ids[trial], session.trials[trial]).time_ms.value_or(0);
}

TunerResult summarize(tuner::SessionResult session, const search::SearchSpace& space, const tuner::DeviceInfo& device) {
  TunerResult result;
  if (session.best) {
    const search::Trial& best = session.trials[*session.best];
    result.best = space.values(best.configuration);
    result.best_ms = settled_ms(session, *session.best);
  }
  if (session.default_trial && session.trials[*session.default_trial].correct())
    result.default_ms = settled_ms(session, *session.default_trial);
  result.device = device.name;
  result.session = std::move(session);
  return result;
}

}  // namespace warptune
