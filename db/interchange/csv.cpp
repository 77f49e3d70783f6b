// Writes a recorded space as CSV (RFC 4180): a line of names, then one line for each trial.
#include <algorithm>
#include <array>

#include "db/interchange/formats.h"

namespace warptune::db {

namespace {

struct PhaseColumn {
  const char* name;
  std::optional<double> RecordedPhases::*phase;
};

constexpr std::array<PhaseColumn, 5> phase_columns{{
    {"compile_ms", &RecordedPhases::compile_ms},
    {"verify_ms", &RecordedPhases::verify_ms},
    {"benchmark_ms", &RecordedPhases::benchmark_ms},
    {"framework_ms", &RecordedPhases::framework_ms},
    {"strategy_ms", &RecordedPhases::strategy_ms},
}};

// Returns a field as RFC 4180 writes it: quoted if it holds a separator, a quote or a line break.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

// Returns the names of the measurements of all trials, each once, in order of appearance.
std::vector<std::string> measurement_names(const RecordedSpace& space) {
  std::vector<std::string> names;
  for (const RecordedTrial& trial : space.trials)
    for (const auto& [name, number] : trial.measurements)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

void write_line(const std::vector<std::string>& fields, std::ostream& out) {
  for (std::size_t i = 0; i < fields.size(); ++i) out << (i == 0 ? "" : ",") << field(fields[i]);
  out << "\r\n";
}

std::string optional_text(const std::optional<double>& number) {
  return number ? search::to_text(search::Value(*number)) : "";
}

}  // namespace

void write_csv(const RecordedSpace& space, std::ostream& out) {
  const auto measurements = measurement_names(space);
  std::vector<std::string> line;
  for (const search::Parameter& parameter : space.parameters) line.push_back(parameter.name);
  line.push_back("outcome");
  for (const std::string& name : measurements) line.push_back(name == "time" ? "time_ms" : name);
  for (const PhaseColumn& column : phase_columns) line.push_back(column.name);
  line.insert(line.end(), {"timestamp", "message"});
  write_line(line, out);
  for (const RecordedTrial& trial : space.trials) {
    line.clear();
    for (const search::Value& value : trial.values) line.push_back(search::to_text(value));
    line.emplace_back(search::to_string(trial.outcome));
    for (const std::string& name : measurements) line.push_back(optional_text(find_measurement(trial, name)));
    for (const PhaseColumn& column : phase_columns) line.push_back(optional_text(trial.phases.*(column.phase)));
    line.insert(line.end(), {trial.timestamp, trial.message});
    write_line(line, out);
  }
}

}  // namespace warptune::db
