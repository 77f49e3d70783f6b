#include "db/interchange/t4.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "db/interchange/formats.h"
#include "db/interchange/json_values.h"

namespace warptune::db {

namespace {

struct Invalidity {
  std::string_view name;
  search::Outcome outcome;
};

constexpr std::array<Invalidity, 6> invalidities{{
    {"correct", search::Outcome::correct},
    {"timeout", search::Outcome::timeout},
    {"compile", search::Outcome::compile_error},
    {"runtime", search::Outcome::launch_error},
    {"correctness", search::Outcome::wrong_result},
    {"constraints", search::Outcome::constraint_violation},
}};

struct PhaseField {
  const char* name;
  std::optional<double> RecordedPhases::*phase;
};

constexpr std::array<PhaseField, 5> phase_fields{{
    {"compilation", &RecordedPhases::compile_ms},
    {"benchmark", &RecordedPhases::benchmark_ms},
    {"framework", &RecordedPhases::framework_ms},
    {"search_algorithm", &RecordedPhases::strategy_ms},
    {"validation", &RecordedPhases::verify_ms},
}};

// The closest of T4's words for an outcome.
const Invalidity& coarse(search::Outcome outcome) {
  if (outcome == search::Outcome::resource_limit) outcome = search::Outcome::constraint_violation;
  if (outcome == search::Outcome::crash) outcome = search::Outcome::launch_error;
  return *std::find_if(invalidities.begin(), invalidities.end(),
                       [&](const Invalidity& invalidity) { return invalidity.outcome == outcome; });
}

search::Outcome read_invalidity(const Json& json) {
  const std::string name = text_from_json(json, "invalidity");
  for (const Invalidity& invalidity : invalidities)
    if (invalidity.name == name) return invalidity.outcome;
  throw std::invalid_argument(fmt::format(
      "invalidity: expected correct, timeout, compile, runtime, correctness or constraints, found {}", name));
}

void read_times(const Json& times, RecordedTrial& trial) {
  for (const auto& [name, phase] : phase_fields)
    if (times.contains(name)) trial.phases.*phase = number_from_json(times[name], name);
  if (times.contains("runtimes")) trial.times_ms = numbers_from_json(times["runtimes"], "runtimes");
}

// A failed configuration's measurement can be the name of its error.
void read_measurements(const Json& measurements, RecordedTrial& trial) {
  for (const Json& measurement : measurements) {
    const Json& value = member(measurement, "value", "a measurement");
    if (value.is_number())
      trial.measurements.emplace_back(text_from_json(member(measurement, "name", "a measurement"), "name"),
                                      value.get<double>());
    else if (value.is_string() && !trial.message.empty())
      trial.message = value.get<std::string>();
  }
}

double milliseconds_a_unit(const Json& metadata) {
  // Without a word, seconds: so the methodology's own tool reads it. "miliseconds" is how its files spell it.
  const std::string unit = metadata.contains("timeunit") ? text_from_json(metadata["timeunit"], "timeunit") : "seconds";
  if (unit == "milliseconds" || unit == "miliseconds" || unit == "ms") return 1;
  if (unit == "seconds" || unit == "s") return 1e3;
  if (unit == "microseconds" || unit == "us") return 1e-3;
  if (unit == "nanoseconds" || unit == "ns") return 1e-6;
  throw std::invalid_argument(
      fmt::format("timeunit: expected seconds, milliseconds, microseconds or nanoseconds, found {}", unit));
}

Json write_measurements(const RecordedTrial& trial, const std::string& objective) {
  Json measurements = Json::array();
  for (const auto& [name, number] : trial.measurements)
    measurements.push_back({{"name", name}, {"value", number}, {"unit", name == "time" ? "ms" : ""}});
  if (trial.outcome != search::Outcome::correct && !find_measurement(trial, objective))
    measurements.push_back({{"name", objective}, {"value", trial.message}, {"unit", ""}});
  return measurements;
}

Json write_trial(const RecordedTrial& trial, const RecordedSpace& space) {
  Json record = Json::object();
  if (!trial.timestamp.empty()) record["timestamp"] = trial.timestamp;
  Json& configuration = record["configuration"] = Json::object();
  for (std::size_t i = 0; i < space.parameters.size(); ++i)
    configuration[space.parameters[i].name] = to_json(trial.values[i]);
  Json& times = record["times"] = Json::object();
  for (const auto& [name, phase] : phase_fields)
    if (trial.phases.*phase) times[name] = *(trial.phases.*phase);
  times["runtimes"] = trial.times_ms;
  const Invalidity& invalidity = coarse(trial.outcome);
  record["invalidity"] = invalidity.name;
  record["correctness"] = trial.outcome == search::Outcome::correct ? 1 : 0;
  record["measurements"] = write_measurements(trial, space.objectives.front());
  record["objectives"] = space.objectives;
  add_precise_failure(trial, invalidity.outcome, trial.message, record);
  return record;
}

// T4 has no place for what was tuned; its metadata may hold anything.
Json metadata_json(const RecordedSpace& space) {
  Json metadata{{"timeunit", "milliseconds"},
                {"kernel_name", space.kernel},
                {"device_name", space.device},
                {"problem_size", to_json(space.problem_size)},
                {"tune_params", parameters_to_json(space.parameters)}};
  if (Json names = problem_names_to_json(space); !names.is_null()) metadata[problem_names_field] = std::move(names);
  if (Json senses = senses_to_json(space); !senses.is_null()) metadata[senses_field] = std::move(senses);
  return metadata;
}

}  // namespace

void T4Reader::begin(const Json& record) {
  for (const auto& [name, value] : member(record, "configuration", "a result").items())
    space_.parameters.push_back({name, {}});
  if (record.contains("objectives")) space_.objectives = names_from_json(record["objectives"], "objectives");
  if (space_.objectives.empty()) throw std::invalid_argument("objectives: expected at least one name");
}

void T4Reader::add(const JsonHeader&, const Json& record) {
  if (space_.trials.empty()) begin(record);
  RecordedTrial trial;
  trial.values = configuration_from_json(member(record, "configuration", "a result"), space_.parameters);
  trial.outcome = read_invalidity(member(record, "invalidity", "a result"));
  if (trial.outcome != search::Outcome::correct) trial.message = record["invalidity"].get<std::string>();
  read_times(member(record, "times", "a result"), trial);
  if (record.contains("measurements")) read_measurements(record["measurements"], trial);
  read_precise_failure(record, trial);
  if (record.contains("timestamp")) trial.timestamp = text_from_json(record["timestamp"], "timestamp");
  if (trial.outcome == search::Outcome::correct && !find_measurement(trial, space_.objectives.front()))
    throw std::invalid_argument(fmt::format("a correct result has no measurement \"{}\"", space_.objectives.front()));
  if (trial.outcome == search::Outcome::correct) require_positive_times(trial);
  space_.trials.push_back(std::move(trial));
}

void T4Reader::scale_times(double factor) {
  if (factor == 1) return;
  for (RecordedTrial& trial : space_.trials) {
    for (double& time : trial.times_ms) time *= factor;
    for (const PhaseField& field : phase_fields)
      if (auto& phase = trial.phases.*(field.phase)) *phase *= factor;
  }
}

void T4Reader::set_domains(const Json& metadata) {
  if (metadata.contains("tune_params")) {
    const auto domains = parameters_from_json(metadata["tune_params"], "tune_params");
    for (std::size_t i = 0; i < space_.parameters.size(); ++i)
      for (const search::Parameter& domain : domains)
        if (domain.name == space_.parameters[i].name) space_.parameters[i] = domain;
    if (space_.trials.empty()) space_.parameters = domains;
  }
  set_seen_domains(space_);
}

RecordedSpace T4Reader::finish(const JsonHeader& header) {
  if (header.unfinished) throw std::invalid_argument("the text ends within \"results\"; expected ']' and '}'");
  const Json metadata = header.members.value("metadata", Json::object());
  scale_times(milliseconds_a_unit(metadata));
  set_domains(metadata);
  read_senses(metadata, space_);
  if (metadata.contains("kernel_name")) space_.kernel = text_from_json(metadata["kernel_name"], "kernel_name");
  if (metadata.contains("device_name")) space_.device = text_from_json(metadata["device_name"], "device_name");
  if (metadata.contains("problem_size"))
    space_.problem_size = values_from_json(metadata["problem_size"], "problem_size");
  read_problem_names(metadata, space_);
  return std::move(space_);
}

void write_t4(const RecordedSpace& space, std::ostream& out) {
  out << "{\n\"metadata\": " << metadata_json(space) << ",\n\"results\": [";
  const char* separator = "\n";
  for (const RecordedTrial& trial : space.trials) {
    out << separator << write_trial(trial, space);
    separator = ",\n";
  }
  out << "],\n\"schema_version\": \"1.0.0\"\n}\n";
}

}  // namespace warptune::db
