// Looks for the template, capture and device of a stored trial, and writes what is known of it.
#include "tuner/program/cli/tuning/trial.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "tuner/device/backends/device_choice.h"
#include "tuner/device/compile/compiler_log.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/verification/expected_outputs.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/program/cli/templates/template_lookup.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/check/policy_text.h"
#include "tuner/results/explain/explanation.h"
#include "tuner/results/report/text/counters_report.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/launch_view.h"
#include "tuner/results/report/text/wrap.h"
#include "tuner/session/provenance.h"
#include "tuner/system/files.h"

namespace warptune::tuner::cli {

namespace {

std::string resources_text(const search::ResourceUse& use) {
  return fmt::format(
      "{} registers and {} bytes of local memory per thread, {} + {} bytes of shared memory and {} threads per block, "
      "occupancy {:.2f}",
      use.registers_per_thread, use.local_bytes_per_thread, use.static_shared_bytes, use.dynamic_shared_bytes,
      use.threads_per_block, use.occupancy);
}

// Returns a line for each launch, and those for the roofs.
std::string standing_text(const TrialView& view, const search::Work& work, const search::NamedValues& limits,
                          const std::vector<db::Roof>& roofs) {
  std::string text;
  for (const LaunchView& launch : view.launches)
    text += fact(residency_name(limits),
                 (launch.launch.kernel.empty() ? "" : launch.launch.kernel + ": ") + residency_text(launch, limits));
  for (const auto& [name, line] : standing_lines({view.trial, {}, view.attainment, {}}, work, limits, roofs))
    text += fact("roofs", line);
  return text;
}

}  // namespace

KnownTrial find_trial(const Context& context, db::TrialId id) {
  const db::Store store = context.open_store(db::OpenMode::read_only);
  auto trial = store.trial(id);
  auto session = trial ? store.session(trial->session) : std::nullopt;
  if (!session)
    throw RequestError(fmt::format("there is no trial {} in {}; `warptune show SESSION` lists a session's trials", id,
                                   store.file().string()));
  return {std::move(*session), std::move(*trial)};
}

std::filesystem::path template_of(const db::SessionRecord& session) {
  const std::filesystem::path found = template_finder("")(session);
  // Without a stored path there is only the name; looking for it once more says where it was looked for.
  return found.empty() ? find_template(session.key.kernel) : found;
}

std::filesystem::path capture_of(const db::SessionRecord& session) {
  if (session.key.capture.empty()) return {};
  if (is_file(session.capture_file)) return session.capture_file;
  throw RequestError(
      fmt::format("session {} was tuned on a recorded call, whose file {}; name it with --capture", session.id,
                  session.capture_file.empty() ? "is not known" : session.capture_file + " is not there any more"));
}

namespace {

// Returns the very device of the trial if it is here, otherwise one of its model: another model's limits and times
// would prove nothing.
std::string device_like(const KnownTrial& known, const BackendOptions& options) {
  const db::DeviceRecord& wanted = known.session.key.device;
  const std::string& uuid = known.trial.trial.device_uuid;
  const auto devices = with_variants(workers::FirstWorker(worker_program()).list_devices(options).devices);
  for (const DeviceInfo& device : devices)
    if (!uuid.empty() && device.uuid == uuid && device.name == wanted.name) return device.id;
  for (const DeviceInfo& device : devices) {
    if (device.backend != wanted.backend || device.name != wanted.name) continue;
    if (!uuid.empty()) say(fmt::format("the trial was measured on another {}", wanted.name));
    return device.id;
  }
  throw NoDeviceError(fmt::format("the trial was measured on a {} ({}), which is not here; --device names another",
                                  wanted.name, wanted.backend));
}

}  // namespace

void request_again(const KnownTrial& known, TuneRequest& request) {
  request.sizes = known.session.key.problem_size;
  request.variants = known.session.key.variants;
  if (request.manifest.empty()) request.manifest = template_of(known.session);
  if (request.capture.empty()) request.capture = capture_of(known.session);
  if (!request.capture.empty()) {  // a capture brings its own sizes and variants
    request.sizes.clear();
    request.variants.clear();
  }
  if (request.device.empty()) request.device = device_like(known, request.evaluator.backend);
}

std::string replay_command(const KnownTrial& known) {
  const db::SessionKey& key = known.session.key;
  const std::string manifest = std::filesystem::absolute(template_of(known.session)).string();
  std::string command = fmt::format("warptune run {} --device {}", shell_word(manifest), key.device.backend);
  const std::filesystem::path capture = capture_of(known.session);
  if (!capture.empty()) command += fmt::format(" --capture {}", shell_word(capture.string()));
  if (capture.empty() && !key.problem_size.empty())
    command += fmt::format(" --size {}", shell_word(search::to_text(key.problem_size)));
  if (capture.empty() && !key.variants.empty())
    command += fmt::format(" --variant {}", shell_word(search::to_text(key.variants)));
  const auto policy = policy_from_text(key.policy);
  if (policy && policy->as != LaunchAs::automatic)
    command += policy->as == LaunchAs::graph ? " --as graph" : " --as stream";
  return command + fmt::format(" --configuration {}", shell_word(search::to_text(known.trial.values)));
}

std::string trial_text(const search::Trial& trial, const search::NamedValues& configuration,
                       const std::string& launches, const std::vector<search::ExpectedOutput>& expected) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) { text += fact(name, value); };
  add("configuration", search::to_text(configuration));
  add("outcome", std::string(to_string(trial.outcome)));
  if (trial.measurement)
    add("time", fmt::format("{} {}, {}", exact_duration_text(trial.measurement->median_ms),
                            error_text(trial.measurement->relative_error),
                            counted(trial.measurement->samples_ms.size(), "sample")));
  for (const auto& [name, value] : trial.metrics) add(name, fmt::format("{:.5g}", value));
  if (trial.bits)
    add("bits", trial.bits->outputs.empty()
                    ? fmt::format("none to compare: outputs are declared nondeterministic (data {})", trial.bits->data)
                    : fmt::format("{} (data {})", trial.bits->outputs, trial.bits->data));
  for (const search::ExpectedOutput& output : expected)
    add(&output == expected.data() ? "expected" : "", fmt::format("{}: {}", output.name, variety_text(output)));
  if (!launches.empty()) add("launches", launches);
  if (trial.resources) add("resources", resources_text(*trial.resources));
  const search::PhaseTimes& phases = trial.phases;
  add("phases", fmt::format("compiling {:.1f} ms, verifying {:.1f} ms, measuring {:.1f} ms", phases.compile_ms,
                            phases.verify_ms, phases.measure_ms));
  if (!trial.message.empty()) add("message", std::string(without_last_newlines(trial.message)));
  if (trial.counters) text += '\n' + counters_text(*trial.counters, output_width());
  return text;
}

// Returns the text of the launches, which are not stored. It is computed from the template, as long as its manifest has
// not changed since.
static std::string launches_of(const KnownTrial& known) {
  try {
    const KernelTemplate kernel = load_template(template_of(known.session));
    if (!has_manifest_of(kernel, known.session.key)) return "not known: the template's manifest has changed since";
    search::NamedValues constants = known.session.key.problem();
    for (const auto& limit : known.session.key.device.limits) constants.push_back(limit);
    return launches_text(kernel, scope_of(constants, known.trial.values));
  } catch (const std::exception&) {  // the template is gone, or its launch cannot be computed, which the trial tells
    return {};
  }
}

// Returns the trial with its session's winner and its device's roofs, which it is held against.
static Evidence evidence_of(const KnownTrial& known, const db::Store& store) {
  return {known.session, {known.trial}, store.winner(known.session.id), store.roofs(known.session.key.device)};
}

// Returns the trial's document, with its settled figures, as its session shows them.
static std::string trial_document(const Context& context, const KnownTrial& known) {
  Json json = document("show");
  json["session"] = json_of(known.session);
  const db::Store store = context.open_store(db::OpenMode::read_only);
  const Evidence evidence = evidence_of(known, store);
  json["trial"] = json_of(known.trial, evidence.winner, known.session);
  json["attainment"] = json_of(view(evidence, known.trial).attainment);
  try {
    json["replay"] = replay_command(known);
  } catch (const RequestError&) {
    json["replay"] = nullptr;  // its template or its recorded call is gone
  }
  return text_of(json);
}

void say_if_header_is_missing(const search::Trial& trial) {
  if (trial.outcome != search::Outcome::compile_error) return;
  // The headers of what the host backend lacks are in no folder.
  if (trial.message.find("(warptune help host)") != std::string::npos) return;
  if (const std::string header = missing_header(trial.message); !header.empty())
    say(fmt::format("next: add -I FOLDER, the folder that has {}, or name it in the manifest's include_directories",
                    header));
}

void show_trial(const Context& context, db::TrialId id, bool replay) {
  const KnownTrial known = find_trial(context, id);
  if (replay) return write_output("", replay_command(known) + '\n');
  if (context.output_format() == Format::json) return write_output("", trial_document(context, known));
  const db::Store store = context.open_store(db::OpenMode::read_only);
  const Evidence evidence = evidence_of(known, store);
  write_output(
      "", fact("trial", fmt::format("{} of session {}, {} for {} on {}", id, known.session.id, known.session.key.kernel,
                                    search::to_text(known.session.key.problem()), known.session.key.device.name)) +
              trial_text(known.trial.trial, known.trial.values, launches_of(known)) +
              standing_text(view(evidence, known.trial), known.trial.trial.work, known.session.key.device.limits,
                            evidence.roofs));
}

}  // namespace warptune::tuner::cli
