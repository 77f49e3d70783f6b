#include "python/src/session.h"

#include <exception>
#include <utility>

#include "db/store.h"
#include "python/src/findings.h"
#include "tuner/results/report/session_report.h"
#include "tuner/session/tuning.h"

namespace warptune::python {

namespace {

using tuner::Json;

// Passes on each trial. The first exception of the listener's sets `stop`, and is kept until the session ends:
// it must not unwind through the engine, which holds workers and a transaction.
class Messenger : public tuner::SessionObserver {
 public:
  Messenger(const Notify& notify, Stop& stop) : notify_(notify), stop_(stop) {}

  // Trials carry indices; their values are the space's.
  void set_tuning(const tuner::Tuning& tuning, db::SessionRecord session) {
    tuning_ = &tuning;
    session_ = std::move(session);
  }

  void on_trial(const search::Trial& trial, const tuner::SessionProgress&) override {
    const db::StoredTrial stored{0, tuning_->id(), tuning_->space().values(trial.configuration), trial, ""};
    tell("trial", json_of_trial(stored, std::nullopt, session_));
  }

  void tell(const char* event, const Json& document) {
    if (failure_) return;
    try {
      notify_(event, tuner::text_of(document));
    } catch (...) {
      failure_ = std::current_exception();
      stop_.set();
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const Notify& notify_;
  Stop& stop_;
  const tuner::Tuning* tuning_ = nullptr;
  db::SessionRecord session_;
  std::exception_ptr failure_;
};

std::string result_document(tuner::Tuning& tuning, const db::Store& store) {
  const tuner::SessionResult& result = tuning.session().result();
  Json json =
      findings("tune", store.session(tuning.id()).value(), store.trials(tuning.id()), store.winner(tuning.id()));
  json["front"] = Json::array();
  for (const std::size_t i : result.front) json["front"].push_back(result.ids[i]);
  json["run"] = tuner::json_of(result);
  json["report"] = tuner::session_report(result, tuning.space(), tuning.kernel());
  return tuner::text_of(json);
}

}  // namespace

std::string run_session(const tuner::TuneRequest& request, const std::filesystem::path& file, Stop& stop,
                        const Notify& notify) {
  db::Store store = db::Store::open(file, db::OpenMode::read_write);
  Messenger messenger(notify, stop);
  tuner::Tuning tuning(request, store, stop.flag(), &messenger);
  messenger.set_tuning(tuning, store.session(tuning.id()).value());
  messenger.tell("start", {{"kernel", tuning.kernel().name}, {"device", tuning.device().name}});
  tuning.session().run();
  messenger.rethrow();
  return result_document(tuning, store);
}

}  // namespace warptune::python
