// Writes sessions as JSON; session_json_reader.cpp reads them.
#include "db/interchange/session_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "db/interchange/json_records.h"
#include "db/interchange/json_values.h"
#include "db/objectives.h"

namespace warptune::db {

namespace {

// JSON has no infinities and no NaN; they are written as the store writes them.
Json number_json(double number) {
  if (std::isfinite(number)) return number;
  return {{"double", search::to_text(search::Value(number))}};
}

Json optional_json(const std::optional<double>& number) {
  return number ? number_json(*number) : Json(nullptr);
}

Json numbers_json(const std::vector<double>& numbers) {
  Json array = Json::array();
  for (const double number : numbers) array.push_back(number_json(number));
  return array;
}

Json values_json(const search::NamedValues& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) {
    const double* number = std::get_if<double>(&value);
    object[name] = number ? number_json(*number) : to_json(value);
  }
  return object;
}

Json metrics_json(const std::map<std::string, double>& metrics) {
  Json object = Json::object();
  for (const auto& [name, number] : metrics) object[name] = number_json(number);
  return object;
}

Json counters_json(const search::Counters& counters) {
  Json json = {{"values", metrics_json(counters.values)}, {"launches", Json::array()}};
  for (const search::LaunchCounters& launch : counters.launches)
    json["launches"].push_back({{"kernel", launch.kernel}, {"values", metrics_json(launch.values)}});
  json["lacking"] = counters.lacking;
  json["failure"] = counters.failure;
  return json;
}

Json key_json(const SessionKey& key) {
  const DeviceRecord& device = key.device;
  return {{"kernel", key.kernel},
          {"device",
           {{"backend", device.backend},
            {"name", device.name},
            {"architecture", device.architecture},
            {"driver", device.driver},
            {"memory_gib", device.memory_gib},
            {"multiprocessors", device.multiprocessors},
            {"limits", values_json(device.limits)}}},
          {"compiler", key.compiler},
          {"source_hash", key.source_hash},
          {"manifest_hash", key.manifest_hash},
          {"options", key.options},
          {"problem_size", values_json(key.problem_size)},
          {"variants", values_json(key.variants)},
          {"policy", key.policy},
          {"capture", key.capture},
          {"restrictions", key.restrictions}};
}

// Returns the launches as JSON. As in the store, figures that are 0 and a launch count of 1 are left out.
Json launches_json(const std::vector<search::LaunchUse>& launches) {
  Json list = Json::array();
  for (const search::LaunchUse& launch : launches) {
    Json json = {{"kernel", launch.kernel}, {"grid", launch.grid}, {"block", launch.block}};
    const auto add = [&](const char* name, std::int64_t figure, std::int64_t usual = 0) {
      if (figure != usual) json[name] = figure;
    };
    add("launches", launch.launches, 1);
    add("registers_per_thread", launch.use.registers_per_thread);
    add("local_bytes_per_thread", launch.use.local_bytes_per_thread);
    add("static_shared_bytes", launch.use.static_shared_bytes);
    add("dynamic_shared_bytes", launch.use.dynamic_shared_bytes);
    add("threads_per_block", launch.use.threads_per_block);
    json["occupancy"] = number_json(launch.use.occupancy);
    if (!launch.attributes.empty()) json["attributes"] = launch.attributes;
    list.push_back(std::move(json));
  }
  return list;
}

Json trial_json(const StoredTrial& stored) {
  const search::Trial& trial = stored.trial;
  Json json = {{"configuration", values_json(stored.values)}, {"outcome", search::to_string(trial.outcome)}};
  json["objectives"] = numbers_json(trial.objectives);
  if (const auto& measured = trial.measurement)
    json["measurement"] = {{"median_ms", number_json(measured->median_ms)},
                           {"relative_error", number_json(measured->relative_error)},
                           {"cut_short", measured->cut_short},
                           {"joules", optional_json(measured->joules)},
                           {"clock_mhz", optional_json(measured->state.clock_mhz)},
                           {"power_w", optional_json(measured->state.power_w)},
                           {"temperature_c", optional_json(measured->state.temperature_c)},
                           {"discarded_samples", measured->discarded_samples},
                           {"samples_ms", numbers_json(measured->samples_ms)}};
  json["metrics"] = metrics_json(trial.metrics);
  json["phases_ms"] = {{"compile", number_json(trial.phases.compile_ms)},
                       {"verify", number_json(trial.phases.verify_ms)},
                       {"measure", number_json(trial.phases.measure_ms)},
                       {"framework", number_json(trial.phases.framework_ms)}};
  if (const auto& use = trial.resources)
    json["resources"] = {
        {"registers_per_thread", use->registers_per_thread}, {"local_bytes_per_thread", use->local_bytes_per_thread},
        {"static_shared_bytes", use->static_shared_bytes},   {"dynamic_shared_bytes", use->dynamic_shared_bytes},
        {"threads_per_block", use->threads_per_block},       {"occupancy", number_json(use->occupancy)}};
  if (!trial.launches.empty()) json["launches"] = launches_json(trial.launches);
  if (trial.work != search::Work{})
    json["work"] = {{"flops", optional_json(trial.work.flops)},
                    {"bytes", optional_json(trial.work.bytes)},
                    {"arithmetic", trial.work.arithmetic}};
  if (trial.counters) json["counters"] = counters_json(*trial.counters);
  if (trial.bits) json["bits"] = {{"data", trial.bits->data}, {"outputs", trial.bits->outputs}};
  json["message"] = trial.message;
  json["device_uuid"] = trial.device_uuid;
  json["recorded_at"] = stored.recorded_at;
  return json;
}

// Trials are referred to by their position.
using Positions = std::map<TrialId, std::size_t>;

Json winner_json(const Winner& winner, const Positions& positions) {
  Json json = {{"trial", positions.at(winner.trial)},
               {"objective", number_json(winner.objective)},
               {"relative_error", optional_json(winner.relative_error)},
               {"default_objective", optional_json(winner.default_objective)},
               {"decided_at", winner.decided_at},
               {"default_trial", winner.default_trial ? Json(positions.at(*winner.default_trial)) : Json(nullptr)},
               {"time_ms", optional_json(winner.time_ms)},
               {"time_error", optional_json(winner.time_error)},
               {"default_time_ms", optional_json(winner.default_time_ms)},
               {"default_time_error", optional_json(winner.default_time_error)},
               {"ties", Json::array()},
               {"finalists", Json::array()}};
  for (const TrialId tie : winner.ties) json["ties"].push_back(positions.at(tie));
  for (const WinnerFinalist& finalist : winner.finalists)
    json["finalists"].push_back({{"trial", positions.at(finalist.trial)},
                                 {"objective", number_json(finalist.objective)},
                                 {"relative_error", number_json(finalist.relative_error)},
                                 {"visits", finalist.visits},
                                 {"slower_by", number_json(finalist.slower_by)},
                                 {"slower_low", number_json(finalist.slower_low)},
                                 {"slower_high", number_json(finalist.slower_high)},
                                 {"time_ms", optional_json(finalist.time_ms)},
                                 {"time_error", optional_json(finalist.time_error)},
                                 {"metrics", metrics_json(finalist.metrics)}});
  return json;
}

Json check_json(const TrialCheck& check, const Positions& positions) {
  return {{"trial", positions.at(check.trial)},
          {"checked_at", check.checked_at},
          {"outcome", search::to_string(check.outcome)},
          {"objective", optional_json(check.objective)},
          {"relative_error", optional_json(check.relative_error)},
          {"recorded_objective", optional_json(check.recorded_objective)},
          {"differs", check.differs},
          {"message", check.message}};
}

Json record_json(const SessionRecord& session, const std::string& store) {
  Json json{{"key", key_json(session.key)},
            {"strategy", session.strategy},
            {"seed", std::to_string(session.seed)},
            {"objective", session.objective},
            {"maximised", objective_names(session.maximised)},
            {"space_size", session.space_size},
            {"state", to_string(session.state)},
            {"origin", session.origin},
            {"manifest", session.manifest},
            {"capture_file", session.capture_file},
            {"tool_version", session.tool_version},
            {"started_at", session.started_at},
            {"updated_at", session.updated_at},
            {"store", store}};
  if (const Json expected = Json::parse(session.expected, nullptr, false); expected.is_array())
    json["expected"] = expected;
  if (session.labelled_at.empty()) return json;  // nobody has named it or written a note
  json["name"] = session.name;
  json["note"] = session.note;
  json["labelled_at"] = session.labelled_at;
  return json;
}

Json session_json(const SessionDump& dump) {
  Positions positions;
  Json json = record_json(dump.session, dump.store);
  json["trials"] = Json::array();
  for (const auto& [stored, store] : dump.trials) {
    positions.emplace(stored.id, positions.size());
    json["trials"].push_back(trial_json(stored));
    if (store != dump.store) json["trials"].back()["store"] = store;
  }
  if (dump.winner) json["winner"] = winner_json(*dump.winner, positions);
  json["checks"] = Json::array();
  for (const TrialCheck& check : dump.checks) json["checks"].push_back(check_json(check, positions));
  return json;
}

}  // namespace

void write_sessions(std::span<const SessionDump> sessions, std::ostream& out) {
  out << "{\n\"schema\": \"" << session_schema << "\",\n\"sessions\": [";
  const char* separator = "\n";
  for (const SessionDump& dump : sessions) {
    out << separator << session_json(dump).dump(1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n";
  }
  out << "\n]\n}\n";
}

}  // namespace warptune::db
