// Converts sessions to recorded spaces and back, and makes the keys of imported sessions.
#include "db/interchange/sessions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <sstream>

#include "db/interchange/formats.h"
#include "db/objective_value.h"
#include "db/objectives.h"

namespace warptune::db {

namespace {

RecordedTrial recorded_trial(const StoredTrial& stored) {
  const search::Trial& trial = stored.trial;
  RecordedTrial recorded;
  for (const auto& [name, value] : stored.values) recorded.values.push_back(value);
  recorded.outcome = trial.outcome;
  recorded.message = trial.message;
  recorded.phases = {.compile_ms = trial.phases.compile_ms,
                     .verify_ms = trial.phases.verify_ms,
                     .benchmark_ms = trial.phases.measure_ms,
                     .framework_ms = trial.phases.framework_ms,
                     .strategy_ms = std::nullopt};
  recorded.timestamp = stored.recorded_at;
  if (!trial.measurement) return recorded;
  recorded.times_ms = trial.measurement->samples_ms;
  if (!trial.metrics.contains("time")) recorded.measurements.emplace_back("time", trial.measurement->median_ms);
  recorded.measurements.insert(recorded.measurements.end(), trial.metrics.begin(), trial.metrics.end());
  if (trial.counters)
    for (const auto& [name, value] : trial.counters->values)
      recorded.measurements.emplace_back("counter." + name, value);
  return recorded;
}

// Returns a hash of a recording's content. By it, two recordings of one kernel, device and size are two sessions; one
// recording, in whichever file and format, is one. An unfinished file that goes on becomes another recording.
std::string content_hash(const RecordedSpace& space) {
  std::ostringstream text;
  write_t4(space, text);
  const std::string content = std::move(text).str();
  const XXH128_hash_t value = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", value.high64, value.low64);
}

// Names the values by their places, since other tools do not name them: "n" if there is one, else "n0", "n1", ….
// Integers are sizes, of which a near one may serve. Any other value is a variant, which is a named choice.
void name_by_place(const std::vector<search::Value>& values, SessionKey& key) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& named = std::holds_alternative<std::int64_t>(values[i]) ? key.problem_size : key.variants;
    named.emplace_back(values.size() == 1 ? "n" : fmt::format("n{}", i), values[i]);
  }
}

void name_problem(const RecordedSpace& space, SessionKey& key) {
  if (space.size_names.empty() && space.variant_names.empty()) return name_by_place(space.problem_size, key);
  const std::size_t sizes = space.size_names.size();
  for (std::size_t i = 0; i < sizes; ++i) key.problem_size.emplace_back(space.size_names[i], space.problem_size[i]);
  for (std::size_t i = 0; i < space.variant_names.size(); ++i)
    key.variants.emplace_back(space.variant_names[i], space.problem_size[sizes + i]);
}

std::vector<std::string> names_of(const search::NamedValues& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

// Names that a reader gives by itself are not written, so that another tool's file comes out as it went in.
void take_problem(const SessionKey& key, RecordedSpace& space) {
  for (const auto& [name, value] : key.problem()) space.problem_size.push_back(value);
  SessionKey by_place;
  name_by_place(space.problem_size, by_place);
  if (by_place.problem_size == key.problem_size && by_place.variants == key.variants) return;
  space.size_names = names_of(key.problem_size);
  space.variant_names = names_of(key.variants);
}

std::string maximised_of(const RecordedSpace& space) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < space.objectives.size(); ++i)
    if (higher_is_better(space, i)) names.push_back(space.objectives[i]);
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

RecordedSpace recorded_space(const SessionRecord& session, const std::vector<StoredTrial>& trials) {
  RecordedSpace space;
  space.kernel = session.key.kernel;
  space.device = session.key.device.name;
  take_problem(session.key, space);
  if (!session.objective.empty()) space.objectives = objective_names(session.objective);
  for (std::size_t i = 0; i < space.objectives.size(); ++i) space.higher_is_better.push_back(is_maximised(session, i));
  for (const StoredTrial& trial : trials) space.trials.push_back(recorded_trial(trial));
  if (!trials.empty())
    for (const auto& [name, value] : trials.front().values) space.parameters.push_back({name, {}});
  set_seen_domains(space);
  space.unfinished = session.state != SessionState::finished;
  return space;
}

SessionRecord session_record(const RecordedSpace& space) {
  SessionRecord session;
  session.key.kernel = space.kernel;
  session.key.device.backend = "replay";
  session.key.device.name = space.device;
  name_problem(space, session.key);
  session.key.policy = "imported";
  session.key.source_hash = content_hash(space);
  session.strategy = "imported";
  session.objective = fmt::format("{}", fmt::join(space.objectives, ","));
  session.maximised = maximised_of(space);
  session.space_size = std::to_string(space.trials.size());
  session.state = space.unfinished ? SessionState::interrupted : SessionState::finished;
  return session;
}

std::vector<StoredTrial> stored_trials(const RecordedSpace& space) {
  std::vector<StoredTrial> trials;
  for (const RecordedTrial& recorded : space.trials) {
    StoredTrial stored;
    for (std::size_t i = 0; i < space.parameters.size(); ++i)
      stored.values.emplace_back(space.parameters[i].name, recorded.values[i]);
    stored.trial = to_trial(space, recorded);
    stored.recorded_at = recorded.timestamp;
    trials.push_back(std::move(stored));
  }
  return trials;
}

}  // namespace warptune::db
