#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "tuner/cli/numbers.h"
#include "tuner/cli/trial.h"
#include "tuner/cli/verbs.h"
#include "tuner/kernel/problem.h"
#include "tuner/report/document.h"
#include "tuner/report/session_report.h"

namespace warptune::tuner::cli {

namespace {

struct ShowArguments {
  std::string session;
  db::TrialId trial = 0;
  bool replay = false;
};

// "trial 7: 0.0551 ms ± 0.12 %, 1.84 times as fast as the default".
std::string winner_text(const db::Winner& winner) {
  std::string text = fmt::format("trial {}: {} ± {:.2f} %", winner.trial, duration_text(*winner.time_ms),
                                 100 * winner.time_error.value_or(0));
  if (const auto ratio = db::speed_up(winner)) text += fmt::format(", {:.3g} times as fast as the default", *ratio);
  return text;
}

std::string header_text(const db::SessionRecord& session, const std::optional<db::Winner>& winner) {
  const db::SessionKey& key = session.key;
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<15} {}\n", name, value);
  };
  line("session", fmt::format("{} ({})", session.id, to_string(session.state)));
  line("kernel", key.kernel);
  line("problem size", search::to_text(key.problem()));
  line("device", fmt::format("{}, {}, {} GiB, {} multiprocessors", key.device.name, key.device.architecture,
                             key.device.memory_gib, key.device.multiprocessors));
  line("measured on", fmt::format("{}", fmt::join(session.device_uuids, ", ")));
  line("driver", key.device.driver.empty() ? "-" : key.device.driver);
  line("compiler", fmt::format("{}, options {}", key.compiler, key.options));
  line("source", key.source_hash);
  line("manifest", key.manifest_hash);
  line("policy", key.policy);
  if (!key.restrictions.empty()) line("restrictions", fmt::format("{}", fmt::join(key.restrictions, "; ")));
  if (!key.capture.empty()) line("capture", fmt::format("{} ({})", key.capture, session.capture_file));
  line("strategy", fmt::format("{}, seed {}, objective {}", session.strategy, session.seed, session.objective));
  line("space", fmt::format("{} valid configurations", session.space_size));
  line("trials", fmt::format("{}, {} correct", session.trials, session.correct_trials));
  if (winner && winner->time_ms) line("winner", winner_text(*winner));
  line("started", session.started_at);
  line("updated", session.updated_at);
  if (!session.origin.empty()) line("origin", session.origin);
  if (!session.manifest.empty()) line("template", session.manifest);
  return text;
}

Table trial_table(const std::vector<db::StoredTrial>& trials, const std::optional<db::Winner>& winner) {
  Table table({"trial", "outcome", "time_ms", "relative_error", "search_ms", "registers", "compile_ms", "measure_ms",
               "clock_mhz", "power_w", "temperature_c", "joules", "device_uuid", "configuration", "message"});
  for (const db::StoredTrial& stored : trials) {
    const search::Trial& trial = stored.trial;
    const auto number = [](bool present, double value) { return present ? Cell(value) : Cell(); };
    const bool measured = trial.measurement.has_value();
    const search::Measurement measurement = trial.measurement.value_or(search::Measurement{});
    const auto known = [](std::optional<double> value) { return value ? Cell(*value) : Cell(); };
    const bool rated = trial.correct() && !trial.objectives.empty();
    const db::Settled settled = rated ? db::settled(winner, stored) : db::Settled{};
    table.add({stored.id, std::string(to_string(trial.outcome)), known(settled.time_ms),
               number(settled.time_ms.has_value(), settled.time_error), number(measured, measurement.median_ms),
               trial.resources ? Cell(trial.resources->registers_per_thread) : std::nullopt, trial.phases.compile_ms,
               trial.phases.measure_ms, known(measurement.state.clock_mhz), known(measurement.state.power_w),
               known(measurement.state.temperature_c), known(measurement.joules),
               trial.device_uuid.empty() ? std::nullopt : Cell(trial.device_uuid), stored.values,
               trial.message.empty() ? std::nullopt : Cell(trial.message)});
  }
  return table;
}

Table check_history(const std::vector<db::TrialCheck>& checks) {
  Table table({"checked_at", "trial", "outcome", "recorded", "measured", "differs", "message"});
  const auto number = [](const std::optional<double>& value) { return value ? Cell(std::abs(*value)) : Cell(); };
  const auto text = [](const std::string& content) { return content.empty() ? Cell() : Cell(content); };
  for (const db::TrialCheck& check : checks)
    table.add({check.checked_at, check.trial, std::string(to_string(check.outcome)), number(check.recorded_objective),
               number(check.objective), text(check.differs), text(check.message)});
  return table;
}

std::string session_document(const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials,
                             const std::optional<db::Winner>& winner, const std::vector<db::TrialCheck>& checks) {
  Json json = document("show");
  add_findings(session, trials, winner, json);
  json["trials"] = Json::array();
  for (const db::StoredTrial& trial : trials) json["trials"].push_back(json_of(trial, winner));
  json["checks"] = Json::parse(check_history(checks).render(Format::json));
  return text_of(json);
}

void run_show(const ShowArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = request_error;
    return;
  }
  if (options.trial != 0) return show_trial(context, options.trial, options.replay);
  if (options.session.empty()) throw std::invalid_argument("which session? Give its number, or --trial");
  const db::StoreSet stores = context.open_stores();
  const auto [session, index] = find_session(options.session, stores);
  const db::Store& store = stores.store(index);
  const auto winner = store.winner(session.id);
  const auto trials = store.trials(session.id);
  const auto checks = store.checks(session.id);
  switch (context.output_format()) {
    case Format::json:
      return write_output("", session_document(session, trials, winner, checks));
    case Format::csv:
      return write_output("", trial_table(trials, winner).render(Format::csv));
    case Format::table:
      write_output("", header_text(session, winner) + '\n' + trial_table(trials, winner).render(Format::table));
      if (!checks.empty()) write_output("", '\n' + check_history(checks).render(Format::table));
  }
}

}  // namespace

void add_show(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("show", "Show one session, its key and every trial; or one trial");
  auto options = std::make_shared<ShowArguments>();
  auto* session = verb->add_option("session", options->session,
                                   "a session's number, or STORE:NUMBER in another than the first store");
  auto* trial = verb->add_option("--trial", options->trial, "one trial instead, by its number")
                    ->check(whole(1, INT64_MAX))
                    ->excludes(session);
  verb->add_flag("--replay", options->replay, "print the command that does this trial again")->needs(trial);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->callback([options, &context] { run_show(*options, context); });
}

}  // namespace warptune::tuner::cli
