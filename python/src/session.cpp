#include "python/src/session.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "db/store.h"
#include "python/src/findings.h"
#include "tuner/library/api/tune.h"
#include "tuner/results/report/session_report.h"
#include "tuner/session/tuning.h"

namespace warptune::python {

namespace {

using tuner::Json;

// Passes events on. The first exception of the listener's sets `stop`, and is kept until the session ends: it must not
// unwind through the engine, which holds workers and a transaction.
class Messenger {
 public:
  Messenger(const Notify& notify, Stop& stop) : notify_(notify), stop_(stop) {}

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
  std::exception_ptr failure_;
};

// Tells of each trial of a session.
class TrialMessenger : public tuner::SessionObserver {
 public:
  explicit TrialMessenger(Messenger& messenger) : messenger_(messenger) {}

  // Trials carry indices; their values are the space's.
  void set_tuning(const tuner::Tuning& tuning, db::SessionRecord session) {
    tuning_ = &tuning;
    session_ = std::move(session);
  }

  void on_trial(const search::Trial& trial, const tuner::SessionProgress&) override {
    const db::StoredTrial stored{0, tuning_->id(), tuning_->space().values(trial.configuration), trial, ""};
    messenger_.tell("trial", json_of_trial(stored, std::nullopt, session_));
  }

 private:
  Messenger& messenger_;
  const tuner::Tuning* tuning_ = nullptr;
  db::SessionRecord session_;
};

Json json_of(const tuner::TakenWork& taken) {
  return {{"work", taken.work},
          {"kernel", taken.kernel},
          {"problem", tuner::json_from_values(taken.problem)},
          {"attempts", taken.attempts},
          {"end", to_string(taken.end)},
          {"session", taken.session == 0 ? Json() : Json(taken.session)}};
}

// Tells of each work that has ended, and of what its session says meanwhile.
class WorkMessenger : public tuner::WorkObserver {
 public:
  explicit WorkMessenger(Messenger& messenger) : messenger_(messenger) {}
  void on_words(const std::string& text) override { messenger_.tell("words", {{"text", text}}); }
  void on_ended(const tuner::TakenWork& taken) override { messenger_.tell("work", json_of(taken)); }

 private:
  Messenger& messenger_;
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
  TrialMessenger trials(messenger);
  tuner::Tuning tuning(request, store, stop.flag(), &trials);
  trials.set_tuning(tuning, store.session(tuning.id()).value());
  messenger.tell("start", {{"kernel", tuning.kernel().name}, {"device", tuning.device().name}});
  tuning.session().run();
  messenger.rethrow();
  return result_document(tuning, store);
}

std::string run_sizes(const tuner::TuneRequest& request, const std::vector<search::NamedValues>& problems,
                      const std::filesystem::path& file, Stop& stop) {
  const SizesResult result = tune_sizes(request, problems, {.store = file, .stop = &stop.flag()});
  const db::Store store = db::Store::open(file, db::OpenMode::read_only);
  Json json{{"interrupted", result.interrupted}, {"sizes", Json::array()}};
  for (const TunedSize& size : result.sizes) {
    Json found;
    if (const auto session = size.session == 0 ? std::nullopt : store.session(size.session))
      found = findings("tune", *session, store.trials(session->id), store.winner(session->id));
    json["sizes"].push_back({{"problem", tuner::json_from_values(size.problem)},
                             {"trials", size.trials},
                             {"seconds", size.seconds},
                             {"findings", std::move(found)}});
  }
  return tuner::text_of(json);
}

std::string run_work(const tuner::WorkRequest& request, Stop& stop, const Notify& notify) {
  Messenger messenger(notify, stop);
  WorkMessenger observer(messenger);
  const std::vector<TakenWork> all = work(request, &observer, &stop.flag());
  messenger.rethrow();
  Json json{{"work", Json::array()}};
  for (const TakenWork& taken : all) json["work"].push_back(json_of(taken));
  return tuner::text_of(json);
}

}  // namespace warptune::python
