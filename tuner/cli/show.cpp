#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "tuner/cli/numbers.h"
#include "tuner/cli/trial.h"
#include "tuner/cli/verbs.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner::cli {

namespace {

struct ShowArguments {
  std::string session;
  db::TrialId trial = 0;
  bool replay = false;
};

std::string header_text(const db::SessionRecord& session) {
  const db::SessionKey& key = session.key;
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<15} {}\n", name, value);
  };
  line("session", fmt::format("{} ({})", session.id, session.state));
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
  line("started", session.started_at);
  line("updated", session.updated_at);
  if (!session.origin.empty()) line("origin", session.origin);
  if (!session.manifest.empty()) line("template", session.manifest);
  return text;
}

Table trial_table(const std::vector<db::StoredTrial>& trials) {
  Table table({"trial", "outcome", "time_ms", "relative_error", "registers", "compile_ms", "measure_ms", "clock_mhz",
               "power_w", "temperature_c", "joules", "device_uuid", "configuration", "message"});
  for (const db::StoredTrial& stored : trials) {
    const search::Trial& trial = stored.trial;
    const auto number = [](bool present, double value) {
      return present ? std::optional<search::Value>(value) : std::nullopt;
    };
    const bool measured = trial.measurement.has_value();
    const search::Measurement measurement = trial.measurement.value_or(search::Measurement{});
    const auto known = [](std::optional<double> value) {
      return value ? std::optional<search::Value>(*value) : std::nullopt;
    };
    table.add({stored.id, std::string(to_string(trial.outcome)), number(measured, measurement.median_ms),
               number(measured, measurement.relative_error),
               trial.resources ? std::optional<search::Value>(trial.resources->registers_per_thread) : std::nullopt,
               trial.phases.compile_ms, trial.phases.measure_ms, known(measurement.state.clock_mhz),
               known(measurement.state.power_w), known(measurement.state.temperature_c), known(measurement.joules),
               trial.device_uuid.empty() ? std::nullopt : std::optional<search::Value>(trial.device_uuid),
               search::to_text(stored.values),
               trial.message.empty() ? std::nullopt : std::optional<search::Value>(trial.message)});
  }
  return table;
}

Table check_history(const std::vector<db::TrialCheck>& checks) {
  Table table({"checked_at", "trial", "outcome", "recorded", "measured", "differs", "message"});
  const auto number = [](const std::optional<double>& value) {
    return value ? std::optional<search::Value>(std::abs(*value)) : std::nullopt;
  };
  for (const db::TrialCheck& check : checks)
    table.add({check.checked_at, check.trial, std::string(to_string(check.outcome)), number(check.recorded_objective),
               number(check.objective), check.differs, check.message});
  return table;
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
  if (context.output_format() == Format::table) write_output("", header_text(session) + '\n');
  write_output("", trial_table(store.trials(session.id)).render(context.output_format()));
  const auto checks = store.checks(session.id);
  if (!checks.empty() && context.output_format() == Format::table)
    write_output("", '\n' + check_history(checks).render(Format::table));
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
