#include "tuner/cli/trial.h"

#include <fmt/format.h>

#include <string_view>

#include "tuner/cli/stored_sessions.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/template_file.h"
#include "tuner/report/document.h"
#include "tuner/report/figures.h"
#include "tuner/report/launch_text.h"
#include "tuner/report/wrap.h"
#include "tuner/session/provenance.h"

namespace warptune::tuner::cli {

namespace {

// A word as a POSIX shell reads it back.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Wide enough for most metrics' names; two spaces at least.
std::string line(std::string_view name, const std::string& value) {
  constexpr std::size_t column = 20;
  return fmt::format("{:<{}}{}{}\n", name, column, name.size() < column ? "" : "  ",
                     wrapped_text(value, output_width(), column));
}

std::string resources_text(const search::ResourceUse& use) {
  return fmt::format(
      "{} registers and {} bytes of local memory per thread, {} + {} bytes of shared memory and {} threads per block, "
      "occupancy {:.2f}",
      use.registers_per_thread, use.local_bytes_per_thread, use.static_shared_bytes, use.dynamic_shared_bytes,
      use.threads_per_block, use.occupancy);
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
  if (std::filesystem::is_regular_file(session.capture_file)) return session.capture_file;
  throw RequestError(
      fmt::format("session {} was tuned on a recorded call, whose file {}; name it with --capture", session.id,
                  session.capture_file.empty() ? "is not known" : session.capture_file + " is not there any more"));
}

std::string replay_command(const KnownTrial& known) {
  const db::SessionKey& key = known.session.key;
  const std::string manifest = std::filesystem::absolute(template_of(known.session)).string();
  std::string command = fmt::format("warptune run {} --device {}", quoted(manifest), key.device.backend);
  const std::filesystem::path capture = capture_of(known.session);
  if (!capture.empty()) command += fmt::format(" --capture {}", quoted(capture.string()));
  if (capture.empty() && !key.problem_size.empty())
    command += fmt::format(" --size {}", quoted(search::to_text(key.problem_size)));
  if (capture.empty() && !key.variants.empty())
    command += fmt::format(" --variant {}", quoted(search::to_text(key.variants)));
  return command + fmt::format(" --configuration {}", quoted(search::to_text(known.trial.values)));
}

std::string trial_text(const search::Trial& trial, const search::NamedValues& configuration,
                       const std::string& launches) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) { text += line(name, value); };
  add("configuration", search::to_text(configuration));
  add("outcome", std::string(to_string(trial.outcome)));
  if (trial.measurement)
    add("time", fmt::format("{} {}, {} samples", exact_duration_text(trial.measurement->median_ms),
                            error_text(trial.measurement->relative_error), trial.measurement->samples_ms.size()));
  for (const auto& [name, value] : trial.metrics) add(name, fmt::format("{:.5g}", value));
  if (!launches.empty()) add("launches", launches);
  if (trial.resources) add("resources", resources_text(*trial.resources));
  const search::PhaseTimes& phases = trial.phases;
  add("phases", fmt::format("compiling {:.1f} ms, verifying {:.1f} ms, measuring {:.1f} ms", phases.compile_ms,
                            phases.verify_ms, phases.measure_ms));
  if (!trial.message.empty()) add("message", trial.message);
  return text;
}

// From the template, as long as that says what it said then; it is not stored.
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

// With its settled figures, as its session shows them.
static std::string trial_document(const Context& context, const KnownTrial& known) {
  Json json = document("show");
  json["session"] = json_of(known.session);
  json["trial"] = json_of(known.trial, context.open_store(db::OpenMode::read_only).winner(known.session.id));
  try {
    json["replay"] = replay_command(known);
  } catch (const RequestError&) {
    json["replay"] = nullptr;  // its template or its recorded call is gone
  }
  return text_of(json);
}

void show_trial(const Context& context, db::TrialId id, bool replay) {
  const KnownTrial known = find_trial(context, id);
  if (replay) return write_output("", replay_command(known) + '\n');
  if (context.output_format() == Format::json) return write_output("", trial_document(context, known));
  write_output(
      "", line("trial", fmt::format("{} of session {}, {} for {} on {}", id, known.session.id, known.session.key.kernel,
                                    search::to_text(known.session.key.problem()), known.session.key.device.name)) +
              trial_text(known.trial.trial, known.trial.values, launches_of(known)));
}

}  // namespace warptune::tuner::cli
