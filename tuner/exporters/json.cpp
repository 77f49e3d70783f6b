#include "tuner/exporters/json.h"

#include <nlohmann/json.hpp>

namespace warptune {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const NamedValues& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values)
    object[name] = std::visit([](const auto& content) -> Json { return content; }, value);
  return object;
}

Json json_of(const db::BestRecord& best) {
  const db::SessionKey& key = best.session.key;
  Json row;
  row["device"] = {{"backend", key.device.backend},
                   {"name", key.device.name},
                   {"uuid", key.device.uuid},
                   {"architecture", key.device.architecture}};
  row["problem_size"] = json_of(key.problem_size);
  row["configuration"] = json_of(best.trial.values);
  row["objective"] = best.session.objective;
  if (best.trial.trial.measurement) {
    row["time_ms"] = best.trial.trial.measurement->median_ms;
    row["relative_error"] = best.trial.trial.measurement->relative_error;
  }
  row["metrics"] = best.trial.trial.metrics;
  row["provenance"] = {{"session", best.session.id},
                       {"measured_at", best.trial.recorded_at},
                       {"tool_version", best.session.tool_version},
                       {"driver", key.device.driver},
                       {"compiler", key.compiler},
                       {"options", key.options},
                       {"source_hash", key.source_hash},
                       {"manifest_hash", key.manifest_hash},
                       {"policy", key.policy}};
  return row;
}

}  // namespace

std::string export_json(const ExportInput& input) {
  Json document;
  document["schema"] = "warptune/1";
  document["kernel"] = input.kernel;
  document["default"] = json_of(input.fallback);
  document["winners"] = Json::array();
  for (const db::BestRecord& best : input.winners) document["winners"].push_back(json_of(best));
  return document.dump(2) + '\n';
}

}  // namespace warptune
