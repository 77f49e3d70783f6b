// Opens the store, and runs one session in it.
#include "tuner/library/api/tune.h"

#include "tuner/library/api/summary.h"
#include "tuner/session/tuning.h"

namespace warptune {

TunerResult tune(const TuneRequest& wanted, const TuneContext& context) {
  static const std::atomic<bool> never{false};
  TuneRequest request = wanted;
  if (!request.started) request.started = std::chrono::steady_clock::now();
  db::Store store = db::Store::open(context.store, db::OpenMode::read_write);
  tuner::Tuning tuning(request, store, context.stop ? *context.stop : never, context.observer);
  tuning.session().run();
  return summarize(tuning.session().result(), tuning.space(), tuning.device());
}

}  // namespace warptune
