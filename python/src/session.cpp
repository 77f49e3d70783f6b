#include "python/src/session.h"

#include <exception>
#include <utility>

#include "db/store.h"
#include "tuner/report/document.h"
#include "tuner/report/session_report.h"
#include "tuner/session/tuning.h"

namespace warptune::python {

namespace {

using tuner::Json;

Json json_of_samples(const search::Trial& trial) {
  return trial.measurement ? Json(trial.measurement->samples_ms) : Json::array();
}

Json json_of_error(const search::Trial& trial) {
  if (!trial.measurement || !trial.measurement->error) return nullptr;
  return {{"max", trial.measurement->error->max}, {"rms", trial.measurement->error->rms}};
}

Json json_of_trial(const db::StoredTrial& stored, const std::optional<db::Winner>& winner,
                   const db::SessionRecord& session) {
  Json json = tuner::json_of(stored, winner, session);
  json["samples_ms"] = json_of_samples(stored.trial);
  json["error"] = json_of_error(stored.trial);
  json["objectives"] = stored.trial.objectives;
  return json;
}

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
  Json json = tuner::document("tune");
  const db::SessionRecord session = store.session(tuning.id()).value();
  const auto winner = store.winner(tuning.id());
  const auto trials = store.trials(tuning.id());
  tuner::add_findings(session, trials, winner, json);
  json["trials"] = Json::array();
  for (const db::StoredTrial& trial : trials) json["trials"].push_back(json_of_trial(trial, winner, session));
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
