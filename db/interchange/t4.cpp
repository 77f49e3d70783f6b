// Reads and writes T4 results. Times that do not say their unit become milliseconds once the whole file is read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "db/interchange/formats.h"
#include "db/interchange/json_values.h"
#include "db/interchange/record_readers.h"
#include "search/plain_text.h"

namespace warptune::db {

namespace {

struct TimeUnit {
  std::string_view name;
  double milliseconds;
};

// Microseconds have both characters that are printed as a micro sign, and the letter that stands for it.
constexpr std::array<TimeUnit, 24> time_units{{
    {"s", 1e3},        {"sec", 1e3},       {"secs", 1e3},         {"second", 1e3},        {"seconds", 1e3},
    {"ms", 1},         {"msec", 1},        {"msecs", 1},          {"millisecond", 1},     {"milliseconds", 1},
    {"milisecond", 1}, {"miliseconds", 1}, {"us", 1e-3},          {"usec", 1e-3},         {"usecs", 1e-3},
    {"\u00b5s", 1e-3}, {"\u03bcs", 1e-3},  {"microsecond", 1e-3}, {"microseconds", 1e-3}, {"ns", 1e-6},
    {"nsec", 1e-6},    {"nsecs", 1e-6},    {"nanosecond", 1e-6},  {"nanoseconds", 1e-6},
}};

// Returns how many milliseconds one unit is: "ms", "milliseconds", "Microseconds", "µs", "s" and their like, in any
// case, and "miliseconds", as the autotuning methodology's files spell it. Returns nothing for a unit of something
// else.
std::optional<double> milliseconds_in(std::string_view unit) {
  const std::string name = search::lower_case(std::string(unit));
  const auto found =
      std::find_if(time_units.begin(), time_units.end(), [&](const TimeUnit& known) { return known.name == name; });
  return found == time_units.end() ? std::nullopt : std::optional(found->milliseconds);
}

// Returns whether a measurement of this name is a time even where no unit is said: "time", "TotalDuration", "runtime".
bool names_a_time(std::string_view measurement) {
  const std::string name = search::lower_case(std::string(measurement));
  return name == "time" || name == "runtime" || name.ends_with("duration");
}

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

// This is the schema's own word for "compilation", which KTT writes. Kernel Tuner writes the word above.
constexpr const char* compilation_of_schema = "compilation_time";

// Returns the closest of T4's words for an outcome.
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
  const auto read = [&](const char* name, std::optional<double>& phase) {
    if (times.contains(name) && !times[name].is_null()) phase = number_from_json(times[name], name);
  };
  read(compilation_of_schema, trial.phases.compile_ms);
  for (const auto& [name, phase] : phase_fields) read(name, trial.phases.*phase);
  if (times.contains("runtimes")) trial.times_ms = numbers_from_json(times["runtimes"], "runtimes");
}

std::string unit_of(const Json& measurement) {
  const auto unit = measurement.find("unit");
  return unit != measurement.end() && unit->is_string() ? unit->get<std::string>() : "";
}

constexpr const char* known_units = "expected seconds, milliseconds, microseconds or nanoseconds (s, ms, us, ns)";

std::optional<double> unit_of_file(const Json& metadata) {
  const auto found = metadata.is_object() ? metadata.find("timeunit") : metadata.end();
  if (!metadata.is_object() || found == metadata.end() || found->is_null()) return std::nullopt;
  const std::string unit = text_from_json(*found, "timeunit");
  const auto milliseconds = milliseconds_in(unit);
  if (!milliseconds) throw std::invalid_argument(fmt::format("timeunit: {}, found {}", known_units, unit));
  return milliseconds;
}

Json write_measurements(const RecordedTrial& trial, const std::string& objective) {
  Json measurements = Json::array();
  for (const auto& [name, number] : trial.measurements)
    measurements.push_back({{"name", name}, {"value", number}, {"unit", names_a_time(name) ? "ms" : ""}});
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
  std::vector<search::Parameter> parameters;
  for (const auto& [name, value] : member(record, "configuration", "a result").items())
    parameters.push_back({name, {}});
  std::vector<std::string> objectives = space_.objectives;
  if (record.contains("objectives")) objectives = names_from_json(record["objectives"], "objectives");
  if (objectives.empty()) throw std::invalid_argument("objectives: expected at least one name");
  space_.objectives = std::move(objectives);
  space_.parameters = std::move(parameters);
}

// Reads the measurements of a record. A failed configuration's measurement can be the name of its error. Returns why
// the primary objective is no number; empty if nothing is wrong with it.
std::string T4Reader::read_measurements(const Json& record, RecordedTrial& trial, Units& units) const {
  std::string doubt;
  if (!record.contains("measurements")) return doubt;
  for (const Json& measurement : record["measurements"]) {
    const Json& value = member(measurement, "value", "a measurement");
    const std::string name = text_from_json(member(measurement, "name", "a measurement"), "name");
    if (value.is_string() && trial.outcome != search::Outcome::correct) trial.message = value.get<std::string>();
    if (value.is_null() && name == space_.objectives.front())
      doubt = fmt::format("a configuration's {} is no number (NaN, Infinity or null)", name);
    if (!value.is_number()) continue;
    const std::string unit = unit_of(measurement);
    const auto milliseconds = milliseconds_in(unit);
    if (!milliseconds && !unit.empty() && names_a_time(name))
      throw std::invalid_argument(fmt::format("{} has the unit '{}'; {}", name, unit, known_units));
    if (milliseconds && (!units.times || name == space_.objectives.front())) units.times = milliseconds;
    if (unit.empty() && names_a_time(name)) units.unsaid.push_back(trial.measurements.size());
    trial.measurements.emplace_back(name, value.get<double>() * milliseconds.value_or(1));
  }
  return doubt;
}

std::string T4Reader::add(const JsonHeader&, const Json& record) {
  if (space_.parameters.empty()) begin(record);
  RecordedTrial trial;
  Units units;
  trial.values = configuration_from_json(member(record, "configuration", "a result"), space_.parameters);
  trial.outcome = read_invalidity(member(record, "invalidity", "a result"));
  if (trial.outcome != search::Outcome::correct) trial.message = record["invalidity"].get<std::string>();
  if (trial.outcome == search::Outcome::correct && record.value("correctness", Json(1)) == 0) {
    trial.outcome = search::Outcome::wrong_result;
    trial.message = "correctness is 0";
  }
  if (record.contains("times")) read_times(record["times"], trial);
  std::string doubt = read_measurements(record, trial, units);
  read_precise_failure(record, trial);
  if (record.contains("timestamp")) trial.timestamp = text_from_json(record["timestamp"], "timestamp");
  doubt = trial.outcome == search::Outcome::correct ? complete(trial, units, std::move(doubt)) : "";
  if (!doubt.empty()) units.unsaid.clear();
  space_.trials.push_back(std::move(trial));
  units_.push_back(std::move(units));
  return doubt;
}

// Completes a correct trial, which must have its objective; a time may be told by the runs alone. Returns why the trial
// became a failure; empty if it did not.
std::string T4Reader::complete(RecordedTrial& trial, Units& units, std::string doubt) const {
  const std::string& objective = space_.objectives.front();
  if (!doubt.empty()) return spoil(trial, std::move(doubt));
  if (!find_measurement(trial, objective)) {
    if (trial.times_ms.empty() || !names_a_time(objective))
      throw std::invalid_argument(fmt::format("a correct result has no measurement \"{}\"", objective));
    units.unsaid.push_back(trial.measurements.size());
    trial.measurements.emplace_back(objective, median_of(trial.times_ms));
  }
  return doubt_times(trial);
}

// Scales the times to milliseconds. Numbers that say their unit were scaled when they were read. All others have the
// file's unit, else the one that their record's measurements have, else seconds, as the autotuning methodology's tools
// read T4.
void T4Reader::scale_times(const Json& metadata) {
  const std::optional<double> of_file = unit_of_file(metadata);
  bool guessed = false;
  for (std::size_t i = 0; i < space_.trials.size(); ++i) {
    RecordedTrial& trial = space_.trials[i];
    const std::optional<double> said = of_file ? of_file : units_[i].times;
    const double factor = said.value_or(1e3);
    guessed = guessed || (!said && (!trial.times_ms.empty() || !units_[i].unsaid.empty()));
    for (double& time : trial.times_ms) time *= factor;
    for (const PhaseField& field : phase_fields)
      if (auto& phase = trial.phases.*(field.phase)) *phase *= factor;
    for (const std::size_t place : units_[i].unsaid) trial.measurements[place].second *= factor;
  }
  if (guessed)
    space_.notes.emplace_back(
        "no unit of time is said, neither in metadata.timeunit nor by the measurements: taken as seconds");
}

void T4Reader::set_domains(const Json& metadata) {
  if (!metadata.contains("tune_params")) return;
  const auto domains = parameters_from_json(metadata["tune_params"], "tune_params");
  for (std::size_t i = 0; i < space_.parameters.size(); ++i)
    for (const search::Parameter& domain : domains)
      if (domain.name == space_.parameters[i].name) space_.parameters[i] = domain;
  if (space_.trials.empty()) space_.parameters = domains;
}

RecordedSpace T4Reader::finish(const JsonHeader& header) {
  if (header.unfinished) throw std::invalid_argument("the text ends within \"results\"; expected ']' and '}'");
  const Json metadata = header.members.value("metadata", Json::object());
  scale_times(metadata);
  set_domains(metadata);
  read_senses(metadata, space_);
  const auto take_text = [&](const char* name, std::string& into) {
    const auto found = metadata.find(name);
    if (into.empty() && found != metadata.end() && found->is_string()) into = found->get<std::string>();
  };
  take_text("kernel_name", space_.kernel);
  take_text("device_name", space_.device);
  take_text("device", space_.device);  // KTT's name for it
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
