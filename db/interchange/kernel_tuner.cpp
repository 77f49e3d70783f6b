// Reads and writes Kernel Tuner's cache files. Failures are read in both their forms, old and new, and written in both.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "db/interchange/formats.h"
#include "db/interchange/json_values.h"
#include "db/interchange/record_readers.h"

namespace warptune::db {

namespace {

struct ErrorName {
  std::string_view name;
  search::Outcome outcome;
};

// These are Kernel Tuner's classes of failure. The generic one, ErrorConfig, names no reason; a run that went wrong is
// the closest.
constexpr std::array<ErrorName, 4> error_names{{
    {"InvalidConfig", search::Outcome::constraint_violation},
    {"CompilationFailedConfig", search::Outcome::compile_error},
    {"RuntimeFailedConfig", search::Outcome::launch_error},
    {"ErrorConfig", search::Outcome::crash},
}};

// Before there were names, a failed configuration's time was this (Kernel Tuner 0.3 and older).
constexpr double sentinel_time = 1e20;

struct PhaseField {
  const char* name;
  std::optional<double> RecordedPhases::*phase;
};

constexpr std::array<PhaseField, 5> phase_fields{{
    {"compile_time", &RecordedPhases::compile_ms},
    {"verification_time", &RecordedPhases::verify_ms},
    {"benchmark_time", &RecordedPhases::benchmark_ms},
    {"strategy_time", &RecordedPhases::strategy_ms},
    {"framework_time", &RecordedPhases::framework_ms},
}};

const ErrorName* find_error(const Json& value) {
  if (!value.is_string()) return nullptr;
  const auto found =
      std::find_if(error_names.begin(), error_names.end(), [&](const ErrorName& error) { return value == error.name; });
  return found == error_names.end() ? nullptr : found;
}

std::string_view error_name(search::Outcome outcome) {
  switch (outcome) {
    case search::Outcome::constraint_violation:
    case search::Outcome::resource_limit:
      return "InvalidConfig";
    case search::Outcome::compile_error:
      return "CompilationFailedConfig";
    default:
      return "RuntimeFailedConfig";
  }
}

bool is_parameter(const std::string& name, const std::vector<search::Parameter>& parameters) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const search::Parameter& parameter) { return parameter.name == name; });
}

// Reads whether the configuration failed. Any field may say so: the objective (old form), "__error__" (new form).
void read_failure(const Json& record, const RecordedSpace& space, RecordedTrial& trial) {
  for (const auto& [name, value] : record.items())
    if (const ErrorName* error = find_error(value); error && !is_parameter(name, space.parameters)) {
      trial.outcome = error->outcome;
      trial.message = error->name;
    }
  const auto time = record.find("time");
  if (trial.outcome == search::Outcome::correct && time != record.end() && time->is_number() &&
      *time >= sentinel_time) {
    trial.outcome = search::Outcome::launch_error;
    trial.message = "RuntimeFailedConfig";
  }
  read_precise_failure(record, trial);
}

void read_field(const std::string& name, const Json& value, RecordedTrial& trial) {
  const auto field =
      std::find_if(phase_fields.begin(), phase_fields.end(), [&](const PhaseField& f) { return name == f.name; });
  if (value.is_null()) return;  // NaN is null here, too
  if (field != phase_fields.end()) {
    trial.phases.*(field->phase) = number_from_json(value, name);
  } else if (name == "times") {
    trial.times_ms = numbers_from_json(value, name);
  } else if (name == "timestamp" && value.is_string()) {
    trial.timestamp = value.get<std::string>();
  } else if (value.is_number() && !(name == "time" && value >= sentinel_time)) {
    trial.measurements.emplace_back(name, value.get<double>());
  }  // what observers add (texts, arrays) is not kept
}

RecordedTrial read_trial(const Json& record, const RecordedSpace& space, std::string& doubt) {
  RecordedTrial trial;
  trial.values = configuration_from_json(record, space.parameters);
  read_failure(record, space, trial);
  for (const auto& [name, value] : record.items())
    if (!is_parameter(name, space.parameters)) read_field(name, value, trial);
  const std::string& objective = space.objectives.front();
  doubt = doubt_times(trial);
  if (trial.outcome != search::Outcome::correct || find_measurement(trial, objective)) return trial;
  if (const auto found = record.find(objective); found == record.end() || !found->is_null())
    throw std::invalid_argument(
        fmt::format("a configuration has neither a number under \"{}\" nor the name of an error", objective));
  doubt = spoil(trial, fmt::format("a configuration's {} is no number (NaN, Infinity or null)", objective));
  return trial;
}

// Returns a value as Python's str() writes it. Kernel Tuner finds configurations by this text.
std::string python_text(const search::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  const double* number = std::get_if<double>(&value);
  if (!number || *number == 0 || std::abs(*number) < 1e-4 || std::abs(*number) >= 1e16) return search::to_text(value);
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, *number, std::chars_format::fixed).ptr;
  std::string text(buffer, end);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string cache_key(const RecordedTrial& trial) {
  std::string key;
  for (const search::Value& value : trial.values) {
    if (!key.empty()) key += ',';
    key += python_text(value);
  }
  return key;
}

Json write_trial(const RecordedTrial& trial, const RecordedSpace& space) {
  Json record = Json::object();
  for (std::size_t i = 0; i < space.parameters.size(); ++i) record[space.parameters[i].name] = to_json(trial.values[i]);
  for (const auto& [name, number] : trial.measurements) record[name] = number;
  if (trial.outcome != search::Outcome::correct) {  // both forms, for old and new readers
    const std::string_view name = error_name(trial.outcome);
    const ErrorName* coarse = find_error(name);
    if (!record.contains(space.objectives.front())) record[space.objectives.front()] = name;
    record["__error__"] = name;
    add_precise_failure(trial, coarse->outcome, std::string(name), record);
  }
  if (!trial.times_ms.empty()) record["times"] = trial.times_ms;
  for (const auto& [name, phase] : phase_fields)
    if (trial.phases.*phase) record[name] = *(trial.phases.*phase);
  if (!trial.timestamp.empty()) record["timestamp"] = trial.timestamp;
  return record;
}

Json header_json(const RecordedSpace& space) {
  Json names = Json::array();
  for (const search::Parameter& parameter : space.parameters) names.push_back(parameter.name);
  Json header{{"device_name", space.device},
              {"kernel_name", space.kernel},
              {"problem_size", to_json(space.problem_size)},
              {"tune_params_keys", std::move(names)},
              {"tune_params", parameters_to_json(space.parameters)},
              {"objective", space.objectives.size() == 1 ? Json(space.objectives.front()) : Json(space.objectives)}};
  if (Json problem = problem_names_to_json(space); !problem.is_null()) header[problem_names_field] = std::move(problem);
  if (Json senses = senses_to_json(space); !senses.is_null()) header[senses_field] = std::move(senses);
  return header;
}

}  // namespace

void KernelTunerReader::begin(const Json& header) {
  space_ = {};
  const std::string what = "the part before \"cache\"";
  const auto domains = parameters_from_json(member(header, "tune_params", what), "tune_params");
  for (const std::string& name : names_from_json(member(header, "tune_params_keys", what), "tune_params_keys")) {
    const auto found = std::find_if(domains.begin(), domains.end(), [&](const auto& p) { return p.name == name; });
    if (found == domains.end()) throw std::invalid_argument(fmt::format("tune_params: has no values for {}", name));
    space_.parameters.push_back(*found);
  }
  if (header.contains("device_name")) space_.device = text_from_json(header["device_name"], "device_name");
  if (header.contains("kernel_name")) space_.kernel = text_from_json(header["kernel_name"], "kernel_name");
  if (header.contains("problem_size")) space_.problem_size = values_from_json(header["problem_size"], "problem_size");
  read_problem_names(header, space_);
  if (header.contains("objective")) space_.objectives = names_from_json(header["objective"], "objective");
  if (space_.objectives.empty()) throw std::invalid_argument("objective: expected at least one name");
  read_senses(header, space_);
  begun_ = true;
}

std::string KernelTunerReader::add(const JsonHeader& header, const Json& record) {
  if (!begun_) begin(header.members);
  std::string doubt;
  space_.trials.push_back(read_trial(record, space_, doubt));
  return doubt;
}

RecordedSpace KernelTunerReader::finish(const JsonHeader& header) {
  if (!begun_) begin(header.members);  // the cache has no records yet
  space_.unfinished = header.unfinished;
  return std::move(space_);
}

void write_kernel_tuner(const RecordedSpace& space, std::ostream& out) {
  const Json header = header_json(space);
  out << '{';
  for (const auto& [name, value] : header.items()) out << '\n' << Json(name) << ": " << value << ',';
  out << "\n\"cache\": {";
  const char* separator = "\n";
  for (const RecordedTrial& trial : space.trials) {
    out << separator << Json(cache_key(trial)) << ": " << write_trial(trial, space);
    separator = ",\n";
  }
  out << "}\n}";
}

}  // namespace warptune::db
