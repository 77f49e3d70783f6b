// Copies the settled figures and the provenance of winners into entries.
#include "tuner/results/exporters/winners.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "db/settled.h"
#include "tuner/kernel/kernel_names.h"

namespace warptune::tuner {

namespace {

std::set<std::string> names_of(const search::NamedValues& values) {
  std::set<std::string> names;
  for (const auto& [name, value] : values) names.insert(name);
  return names;
}

std::set<std::string> names_of(const std::vector<search::Parameter>& variants) {
  std::set<std::string> names;
  for (const search::Parameter& variant : variants) names.insert(variant.name);
  return names;
}

// These are the names of sizes, and those of variants.
using ProblemNames = std::pair<std::set<std::string>, std::set<std::string>>;

ProblemNames problem_names(const db::BestRecord& best) {
  return {names_of(best.session.key.problem_size), names_of(best.session.key.variants)};
}

// Returns 90 for "sm_90", and 0 for anything that is no CUDA architecture.
std::int64_t compute_capability(const std::string& architecture) {
  return architecture.starts_with("sm_") ? std::atoll(architecture.c_str() + 3) : 0;
}

Provenance provenance_of(const db::BestRecord& best) {
  const db::SessionKey& key = best.session.key;
  Provenance from;
  from.uuid = best.trial.trial.device_uuid;
  from.driver = key.device.driver;
  from.compiler = key.compiler;
  from.options = with_values(key.options, best.trial.values);
  from.source_hash = key.source_hash;
  from.manifest_hash = key.manifest_hash;
  from.policy = key.policy;
  from.objective = best.session.objective;
  from.tool_version = best.session.tool_version;
  from.measured_at = best.trial.recorded_at;
  from.session = best.session.id;
  from.trial = best.trial.id;
  return from;
}

// Returns the launch attributes by kernel. Launches of one kernel differ in that the first of a run has nothing to
// overlap with, so their attributes are put together.
AttributesByKernel attributes_of(const std::vector<search::LaunchUse>& launches) {
  AttributesByKernel all;
  for (const search::LaunchUse& launch : launches)
    if (!launch.attributes.empty()) all[launch.kernel].insert(launch.attributes.begin(), launch.attributes.end());
  return all;
}

WisdomEntry entry_of(const db::BestRecord& best) {
  const db::SessionKey& key = best.session.key;
  WisdomEntry entry;
  entry.device = key.device.name;
  entry.backend = key.device.backend;
  entry.compute_capability = compute_capability(key.device.architecture);
  entry.sizes = key.problem_size;
  entry.variants = key.variants;
  entry.values = best.trial.values;
  const db::Settled settled = db::settled(best.winner, best.trial);
  entry.time_ms = settled.time_ms.value_or(0);
  entry.relative_error = settled.time_error;
  entry.gain = db::gain(best.winner);
  entry.separable = db::separable_from_default(best.winner);
  entry.of_search_alone = db::is_of_search_alone(best.winner);
  entry.metrics = settled.metrics;
  entry.provenance = provenance_of(best);
  entry.launch_attributes = attributes_of(best.trial.trial.launches);
  return entry;
}

}  // namespace

const db::BestRecord& deciding_winner(const std::vector<db::BestRecord>& winners) {
  return *std::ranges::max_element(winners, {}, [](const db::BestRecord& best) {
    const bool measured = best.session.key.device.backend != "replay";
    return std::tuple(measured, best.trial.recorded_at, best.trial.id);
  });
}

Wisdom wisdom_of(const std::string& kernel, const std::vector<db::BestRecord>& winners,
                 const search::NamedValues& defaults, std::vector<db::SessionId>& left_out,
                 std::vector<search::Parameter> variants) {
  Wisdom wisdom{kernel, defaults, {}};
  if (winners.empty()) return wisdom;
  const db::BestRecord& decides = deciding_winner(winners);
  const auto parameters = names_of(defaults.empty() ? decides.trial.values : defaults);
  const auto fits = [&](const db::BestRecord& best) { return names_of(best.trial.values) == parameters; };
  std::optional<ProblemNames> problem;
  if (fits(decides)) problem = problem_names(decides);
  for (const db::BestRecord& best : winners) {
    if (fits(best) && !problem) problem = problem_names(best);
    if (fits(best) && problem_names(best) == *problem)
      wisdom.entries.push_back(entry_of(best));
    else
      left_out.push_back(best.session.id);
  }
  if (decides.default_trial) wisdom.default_launch_attributes = attributes_of(decides.default_trial->trial.launches);
  if (problem && problem->second == names_of(variants)) wisdom.variants = std::move(variants);
  normalize(wisdom);
  return wisdom;
}

}  // namespace warptune::tuner
