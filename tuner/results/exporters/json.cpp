// Writes each winner with everything that its figures depend on.
#include "tuner/results/exporters/json.h"

#include <nlohmann/json.hpp>

#include "db/settled.h"
#include "tuner/kernel/json_values.h"

namespace warptune::tuner {

namespace {

// Returns null for what is not known, as the driver of a host.
Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json json_of(const WisdomEntry& entry) {
  const Provenance& from = entry.provenance;
  Json row;
  row["device"] = {
      {"backend", entry.backend}, {"name", entry.device}, {"compute_capability", entry.compute_capability}};
  row["problem_size"] = json_from_values(entry.sizes);
  row["variants"] = json_from_values(entry.variants);
  row["configuration"] = json_from_values(entry.values);
  row["objective"] = from.objective;
  row["time_ms"] = entry.time_ms > 0 ? Json(entry.time_ms) : Json(nullptr);
  const auto error = entry.time_ms > 0 ? db::known_error(entry.relative_error) : std::nullopt;
  row["relative_error"] = error ? Json(*error) : Json(nullptr);
  row["gain"] = entry.gain ? Json(*entry.gain) : Json(nullptr);
  row["metrics"] = entry.metrics;
  row["launch_attributes"] = entry.launch_attributes;
  row["provenance"] = {{"session", from.session},
                       {"trial", from.trial},
                       {"measured_at", or_null(from.measured_at)},
                       {"tool_version", or_null(from.tool_version)},
                       {"uuid", or_null(from.uuid)},
                       {"driver", or_null(from.driver)},
                       {"compiler", or_null(from.compiler)},
                       {"options", from.options},
                       {"source_hash", or_null(from.source_hash)},
                       {"manifest_hash", or_null(from.manifest_hash)},
                       {"policy", from.policy}};
  return row;
}

}  // namespace

std::string export_json(const Wisdom& wisdom) {
  Json document;
  document["schema"] = "warptune/2";  // results/report/output.schema.json describes it with the other documents
  document["verb"] = "export";
  document["kernel"] = wisdom.kernel;
  document["default"] = wisdom.defaults.empty() ? Json(nullptr) : json_from_values(wisdom.defaults);
  document["winners"] = Json::array();
  for (const WisdomEntry& entry : wisdom.entries) document["winners"].push_back(json_of(entry));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace warptune::tuner
