// See tune.h.
#include "tuner/api/tune.h"

#include "tuner/api/summary.h"
#include "tuner/session/tuning.h"

namespace warptune {

TunerResult tune(const TuneRequest& request, const TuneContext& context) {
  static const std::atomic<bool> never{false};
  db::Store store = db::Store::open(context.store, db::OpenMode::read_write);
  tuner::Tuning tuning(request, store, context.stop ? *context.stop : never, context.observer);
  tuning.session().run();
  return summarize(tuning.session().result(), tuning.space(), tuning.device());
}

}  // namespace warptune
