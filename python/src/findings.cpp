// See findings.h.
#include "python/src/findings.h"

#include <nlohmann/json.hpp>

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

}  // namespace

Json json_of_trial(const db::StoredTrial& stored, const std::optional<db::Winner>& winner,
                   const db::SessionRecord& session) {
  Json json = tuner::json_of(stored, winner, session);
  json["samples_ms"] = json_of_samples(stored.trial);
  json["error"] = json_of_error(stored.trial);
  json["objectives"] = stored.trial.objectives;
  return json;
}

Json findings(const std::string& verb, const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials,
              const std::optional<db::Winner>& winner) {
  Json json = tuner::document(verb);
  tuner::add_findings(session, trials, winner, json);
  json["trials"] = Json::array();
  for (const db::StoredTrial& trial : trials) json["trials"].push_back(json_of_trial(trial, winner, session));
  return json;
}

}  // namespace warptune::python
