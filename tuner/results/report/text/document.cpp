// Writes keys, sessions, trials, checks and winners as JSON.
#include "tuner/results/report/text/document.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "db/objective_value.h"
#include "db/objectives.h"
#include "tuner/results/report/text/counters_report.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/launch_view.h"

namespace warptune::tuner {

namespace {

Json estimate_json(double estimate, double low, double high) {
  const auto bound = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  return {{"estimate", bound(estimate)}, {"low", bound(low)}, {"high", bound(high)}};
}

const db::StoredTrial* find_trial(const std::vector<db::StoredTrial>& trials, db::TrialId id) {
  const auto found = std::ranges::find(trials, id, &db::StoredTrial::id);
  return found == trials.end() ? nullptr : &*found;
}

// Returns the settled figures of a trial of the session.
Json settled_json(const db::Settled& settled, const db::SessionRecord& session) {
  const double value = db::objective_value(settled.objective, session);
  return {{"time_ms", json_or_null(settled.time_ms)},
          {"relative_error", settled.time_ms ? json_or_null(db::known_error(settled.time_error)) : Json(nullptr)},
          {"value", std::isfinite(value) ? Json(value) : Json(nullptr)},
          {"value_error", json_or_null(db::known_error(settled.objective_error))},
          {"metrics", settled.metrics},
          {"finals", settled.finals}};
}

// Returns a winner or default: which trial it is, and its settled figures.
Json choice_json(const std::vector<db::StoredTrial>& trials, const db::Winner& winner, db::TrialId id,
                 const db::SessionRecord& session) {
  const db::StoredTrial* trial = find_trial(trials, id);
  if (!trial) return nullptr;
  Json json{{"trial", id}, {"configuration", json_from_values(trial->values)}};
  json.update(settled_json(db::settled(winner, *trial), session));
  json["device_uuid"] = json_or_null(trial->trial.device_uuid);
  json["recorded_at"] = trial->recorded_at;
  return json;
}

Json finals_json(const std::vector<db::StoredTrial>& trials, const db::Winner& winner,
                 const db::SessionRecord& session) {
  Json finals = Json::array();
  for (const db::WinnerFinalist& finalist : winner.finalists) {
    Json json = choice_json(trials, winner, finalist.trial, session);
    if (json.is_null()) continue;
    json["visits"] = finalist.visits;
    json["slower_by"] = estimate_json(finalist.slower_by, finalist.slower_low, finalist.slower_high);
    json["tied"] = finalist.trial == winner.trial || std::ranges::count(winner.ties, finalist.trial) > 0;
    finals.push_back(std::move(json));
  }
  return finals;
}

Json failures_json(const std::vector<db::StoredTrial>& trials) {
  std::map<search::Outcome, std::pair<std::int64_t, const db::StoredTrial*>> failures;
  for (const db::StoredTrial& stored : trials) {
    if (stored.trial.correct()) continue;
    auto& [count, example] = failures[stored.trial.outcome];
    if (++count == 1) example = &stored;
  }
  Json json = Json::array();
  for (const auto& [outcome, failure] : failures)
    json.push_back({{"outcome", search::to_string(outcome)},
                    {"count", failure.first},
                    {"example", failure.second->id},
                    {"configuration", json_from_values(failure.second->values)},
                    {"message", json_or_null(failure.second->trial.message)}});
  return json;
}

Json search_json(const search::Trial& trial) {
  if (!trial.measurement) return nullptr;
  const search::Measurement& measured = *trial.measurement;
  return {{"time_ms", measured.median_ms},
          {"relative_error", json_or_null(db::known_error(measured.relative_error))},
          {"samples", measured.samples_ms.size()},
          {"discarded_samples", measured.discarded_samples},
          {"cut_short", measured.cut_short},
          {"clock_mhz", json_or_null(measured.state.clock_mhz)},
          {"power_w", json_or_null(measured.state.power_w)},
          {"temperature_c", json_or_null(measured.state.temperature_c)},
          {"joules", json_or_null(measured.joules)}};
}

Json resources_json(const search::Trial& trial) {
  if (!trial.resources) return nullptr;
  const search::ResourceUse& use = *trial.resources;
  return {{"registers_per_thread", use.registers_per_thread}, {"local_bytes_per_thread", use.local_bytes_per_thread},
          {"static_shared_bytes", use.static_shared_bytes},   {"dynamic_shared_bytes", use.dynamic_shared_bytes},
          {"threads_per_block", use.threads_per_block},       {"occupancy", use.occupancy}};
}

}  // namespace

Json document(std::string_view verb) {
  return {{"schema", output_schema}, {"verb", verb}};
}

Json document(std::string_view verb, const std::string& member, const Table& rows) {
  Json json = document(verb);
  json[member] = Json::parse(rows.render(Format::json));
  return json;
}

std::string text_of(const Json& document) {
  // A document may hold whatever a kernel or a compiler wrote: what is not UTF-8 is replaced, not a reason to print
  // nothing.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json json_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json json_or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json count_json(const std::string& decimal) {
  const char* const end = decimal.data() + decimal.size();
  std::uint64_t count = 0;
  if (const auto read = std::from_chars(decimal.data(), end, count); read.ec == std::errc() && read.ptr == end)
    return count;
  double rounded = 0;
  const auto read = std::from_chars(decimal.data(), end, rounded);
  return read.ec == std::errc() && read.ptr == end ? Json(rounded) : Json(nullptr);
}

Json json_of(const db::SessionKey& key) {
  const db::DeviceRecord& device = key.device;
  const auto known = [](std::int64_t number) { return number > 0 ? Json(number) : Json(nullptr); };
  return {{"kernel", key.kernel},
          {"device",
           {{"backend", device.backend},
            {"name", device.name},
            {"architecture", json_or_null(device.architecture)},
            {"driver", json_or_null(device.driver)},
            {"memory_gib", known(device.memory_gib)},
            {"multiprocessors", known(device.multiprocessors)}}},
          {"compiler", json_or_null(key.compiler)},
          {"source_hash", json_or_null(key.source_hash)},
          {"manifest_hash", json_or_null(key.manifest_hash)},
          {"options", key.options},
          {"problem_size", json_from_values(key.problem_size)},
          {"variants", json_from_values(key.variants)},
          {"policy", key.policy},
          {"capture", json_or_null(key.capture)},
          {"restrictions", key.restrictions}};
}

// Returns what the session's outputs are expected to be; null where it is not known, or what another program wrote
// there is no JSON.
static Json expected_outputs_of(const db::SessionRecord& session) {
  Json expected = Json::parse(session.expected, nullptr, false);
  return expected.is_array() ? expected : Json(nullptr);
}

Json json_of(const db::SessionRecord& session) {
  return {{"session", session.id},
          {"state", to_string(session.state)},
          {"key", json_of(session.key)},
          {"strategy", session.strategy},
          {"seed", session.seed},
          {"objective", session.objective},
          {"maximised", db::objective_names(session.maximised)},
          {"space_size", count_json(session.space_size)},
          {"trials", session.trials},
          {"correct", session.correct_trials},
          {"device_uuids", session.device_uuids},
          {"started_at", session.started_at},
          {"updated_at", session.updated_at},
          {"origin", json_or_null(session.origin)},
          {"template", json_or_null(session.manifest)},
          {"capture_file", json_or_null(session.capture_file)},
          {"tool_version", session.tool_version},
          {"name", json_or_null(session.name)},
          {"note", json_or_null(session.note)},
          {"kind", db::to_string(db::kind_of(session))},
          {"merged_from", json_or_null(session.merged_from)},
          {"expected_outputs", expected_outputs_of(session)}};
}

Json json_of(const db::StoredTrial& stored, const std::optional<db::Winner>& winner, const db::SessionRecord& session) {
  const search::Trial& trial = stored.trial;
  Json json{{"trial", stored.id},
            {"configuration", json_from_values(stored.values)},
            {"outcome", search::to_string(trial.outcome)}};
  const bool rated = trial.correct() && !trial.objectives.empty();
  json["settled"] = rated ? settled_json(db::settled(winner, stored), session) : Json(nullptr);
  json["search"] = search_json(trial);
  json["resources"] = resources_json(trial);
  json["launches"] = launches_json(trial, session.key.device.limits);
  json["work"] = json_of(trial.work);
  json["phases_ms"] = {{"compile", trial.phases.compile_ms},
                       {"verify", trial.phases.verify_ms},
                       {"measure", trial.phases.measure_ms},
                       {"framework", trial.phases.framework_ms}};
  json["bits"] = trial.bits ? Json{{"data", trial.bits->data}, {"outputs", json_or_null(trial.bits->outputs)}} : Json();
  json["counters"] = counters_json(trial.counters);
  json["device_uuid"] = json_or_null(trial.device_uuid);
  json["recorded_at"] = stored.recorded_at;
  json["message"] = json_or_null(trial.message);
  return json;
}

Json json_of(const search::Trial& trial, const search::NamedValues& configuration) {
  return {{"configuration", json_from_values(configuration)},
          {"outcome", search::to_string(trial.outcome)},
          {"message", json_or_null(trial.message)},
          {"search", search_json(trial)},
          {"metrics", trial.metrics},
          {"resources", resources_json(trial)},
          {"counters", counters_json(trial.counters)}};
}

void add_findings(const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials,
                  const std::optional<db::Winner>& winner, Json& document) {
  document["session"] = json_of(session);
  document["winner"] = winner ? choice_json(trials, *winner, winner->trial, session) : Json(nullptr);
  document["default"] =
      winner && winner->default_trial ? choice_json(trials, *winner, *winner->default_trial, session) : Json(nullptr);
  document["speed_up"] = json_or_null(winner ? db::speed_up(*winner) : std::nullopt);
  document["separable"] = winner && winner->default_trial ? Json(db::separable_from_default(*winner)) : Json(nullptr);
  document["gain"] = json_or_null(winner ? db::gain(*winner) : std::nullopt);
  document["finals"] = winner ? finals_json(trials, *winner, session) : Json::array();
  document["failures"] = failures_json(trials);
}

Table check_history(const std::vector<db::TrialCheck>& checks, const db::SessionRecord& session) {
  Table table({"checked_at", "trial", "outcome", "recorded", "measured", "differs", "message"});
  const auto figure = [&](std::optional<double> value) {
    if (value) value = db::objective_value(*value, session);
    return objective_cell(session.objective, value);
  };
  const auto text = [](const std::string& content) { return content.empty() ? Cell() : Cell(content); };
  for (const db::TrialCheck& check : checks)
    table.add({moment_cell(check.checked_at), check.trial, std::string(to_string(check.outcome)),
               figure(check.recorded_objective), figure(check.objective), text(check.differs), text(check.message)});
  return table;
}

Json session_document(const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials,
                      const std::optional<db::Winner>& winner, const std::vector<db::TrialCheck>& checks) {
  Json json = document("show");
  add_findings(session, trials, winner, json);
  json["trials"] = Json::array();
  for (const db::StoredTrial& trial : trials) json["trials"].push_back(json_of(trial, winner, session));
  json["checks"] = Json::parse(check_history(checks, session).render(Format::json));
  return json;
}

}  // namespace warptune::tuner
