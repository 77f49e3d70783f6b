// Implements `warptune show`, which shows a session with all its trials, or one trial.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "db/objective_value.h"
#include "tuner/device/compile/compiler_log.h"
#include "tuner/device/counters.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/program/cli/tuning/trial.h"
#include "tuner/results/report/session_report.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner::cli {

namespace {

struct ShowArguments {
  std::string session;
  db::TrialId trial = 0;
  bool replay = false;
};

// Returns "trial 7: 55.1 µs ± 0.12 %, speed-up 1.84 times the default".
std::string winner_text(const db::Winner& winner) {
  std::string text = fmt::format("trial {}: {} {}", winner.trial, duration_text(*winner.time_ms),
                                 error_text(winner.time_error.value_or(0)));
  if (const std::string ratio = speed_up_text(winner); !ratio.empty()) text += ", speed-up " + ratio;
  if (!winner.ties.empty())
    text += fmt::format(", {} more tie{}", winner.ties.size(), winner.ties.size() == 1 ? "s" : "");
  return text;
}

// Returns where the session's figures come from, if they were not measured here.
std::string kind_text(const db::SessionRecord& session) {
  const std::string from = session.merged_from.empty() ? "" : " from " + session.merged_from;
  if (session.key.device.backend != "replay") return "imported" + from;
  return session.strategy == "imported" ? "imported, a recording" + from : "replay of a recording" + from;
}

std::string device_text(const db::DeviceRecord& device) {
  std::string text = device.name;
  if (!device.architecture.empty()) text += ", " + device.architecture;
  if (device.memory_gib > 0) text += fmt::format(", {} GiB", device.memory_gib);
  if (device.multiprocessors > 0) text += fmt::format(", {} multiprocessors", device.multiprocessors);
  return text;
}

std::string header_text(const db::SessionRecord& session, const std::optional<db::Winner>& winner) {
  const db::SessionKey& key = session.key;
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    constexpr std::size_t column = 16;
    text += fmt::format("{:<{}}{}\n", name, column, wrapped_text(value, output_width(), column));
  };
  line("session", fmt::format("{} ({})", session.id, state_text(session)));
  if (!session.name.empty()) line("name", session.name);
  if (!session.note.empty()) line("note", session.note);
  if (const db::SessionKind kind = kind_of(session); kind != db::SessionKind::measured)
    line("kind", kind_text(session));
  line("kernel", key.kernel);
  line("problem size", search::to_text(key.problem()));
  line("device", device_text(key.device));
  // A recording may lack some of the following.
  const auto known = [&](const char* name, const std::string& value) { line(name, value.empty() ? "-" : value); };
  known("measured on", fmt::format("{}", fmt::join(session.device_uuids, ", ")));
  known("driver", key.device.driver);
  known("compiler", key.compiler.empty() ? "" : fmt::format("{}, options {}", key.compiler, key.options));
  known("source", key.source_hash);
  known("manifest", key.manifest_hash);
  line("policy", key.policy);
  if (!key.restrictions.empty()) line("restrictions", fmt::format("{}", fmt::join(key.restrictions, "; ")));
  if (!key.capture.empty()) line("capture", fmt::format("{} ({})", key.capture, session.capture_file));
  line("strategy", fmt::format("{}, seed {}, objective {}", session.strategy, session.seed, session.objective));
  line("space", fmt::format("{} valid configurations", session.space_size));
  line("trials", fmt::format("{}, {} correct", session.trials, session.correct_trials));
  if (winner && winner->time_ms) line("winner", winner_text(*winner));
  line("started", moment_text(session.started_at));
  line("updated", moment_text(session.updated_at));
  if (!session.origin.empty()) line("origin", session.origin);
  if (!session.manifest.empty()) line("template", session.manifest);
  return text;
}

// Returns the cell of a value that only measured trials have.
Cell measured_cell(bool present, double value) {
  return present ? Cell(three_digits(value), value) : Cell();
}

// Returns what is wrong with a trial, in one line. `show --trial` shows the other lines of a compiler's message.
Cell message_cell(const search::Trial& trial) {
  return trial.message.empty() ? Cell() : Cell(failure_text(trial), trial.message);
}

search::NamedValues default_of(const std::vector<db::StoredTrial>& trials, const std::optional<db::Winner>& winner) {
  const auto found = winner && winner->default_trial
                         ? std::ranges::find(trials, *winner->default_trial, &db::StoredTrial::id)
                         : trials.end();
  return found == trials.end() ? search::NamedValues{} : found->values;
}

bool held_finals(const std::optional<db::Winner>& winner) {
  return winner && !winner->finalists.empty();
}

std::vector<Cell> trial_cells(const db::StoredTrial& stored, const std::optional<db::Winner>& winner,
                              const search::NamedValues& defaults) {
  const search::Trial& trial = stored.trial;
  const bool measured = trial.measurement.has_value();
  const search::Measurement measurement = trial.measurement.value_or(search::Measurement{});
  const auto known = [](std::optional<double> value) { return measured_cell(value.has_value(), value.value_or(0)); };
  const bool rated = trial.correct() && !trial.objectives.empty();
  const db::Settled settled = rated ? db::settled(winner, stored) : db::Settled{};
  // Trials outside of the finals were measured at another time, by the search. Their time stands in the search's column
  // alone.
  const bool timed = settled.time_ms && (settled.finals || !held_finals(winner));
  return {stored.id,
          std::string(to_string(trial.outcome)),
          timed ? time_cell(settled.time_ms) : Cell(),
          timed ? error_cell(settled.time_error) : Cell(),
          measured ? time_cell(measurement.median_ms) : Cell(),
          trial.resources ? Cell(trial.resources->registers_per_thread) : std::nullopt,
          measured_cell(true, trial.phases.compile_ms),
          measured_cell(true, trial.phases.measure_ms),
          known(measurement.state.clock_mhz),
          known(measurement.state.power_w),
          known(measurement.state.temperature_c),
          known(measurement.joules),
          trial.device_uuid.empty() ? std::nullopt : Cell(trial.device_uuid),
          configuration_cell(stored.values, defaults),
          message_cell(trial)};
}

// Returns the counters of any of the trials, in the order of `all_counters`.
std::vector<std::string> counters_in(const std::vector<db::StoredTrial>& trials) {
  std::vector<std::string> names;
  for (const CounterInfo& counter : all_counters()) {
    const std::string name(counter.name);
    const auto has = [&](const db::StoredTrial& stored) {
      return stored.trial.counters && stored.trial.counters->values.contains(name);
    };
    if (std::ranges::any_of(trials, has)) names.push_back(name);
  }
  return names;
}

Cell counter_cell(const search::Trial& trial, const std::string& name) {
  if (!trial.counters) return {};
  const auto found = trial.counters->values.find(name);
  return found == trial.counters->values.end() ? Cell() : Cell(found->second);
}

Table trial_table(const std::vector<db::StoredTrial>& trials, const std::optional<db::Winner>& winner) {
  const std::vector<std::string> counters = counters_in(trials);
  std::vector<std::string> columns{"trial",         "outcome",    "time_ms",     "relative_error", "search_ms",
                                   "registers",     "compile_ms", "measure_ms",  "clock_mhz",      "power_w",
                                   "temperature_c", "joules",     "device_uuid", "configuration",  "message"};
  std::vector<std::string> counted;
  for (const std::string& name : counters) counted.push_back(name_in_expressions(name));
  columns.insert(columns.end(), counted.begin(), counted.end());
  Table table(columns);
  table.only_for_programs(counted)
      .heading("time_ms", "TIME")
      .heading("relative_error", "ERROR")
      .heading("search_ms", "IN SEARCH");
  std::vector<std::string> less{"device_uuid", "temperature_c", "power_w",   "clock_mhz",     "joules",
                                "measure_ms",  "compile_ms",    "registers", "relative_error"};
  if (!held_finals(winner)) less.insert(less.begin(), "search_ms");  // the same as the time
  table.less_important(less);
  const search::NamedValues defaults = default_of(trials, winner);
  for (const db::StoredTrial& stored : trials) {
    std::vector<Cell> cells = trial_cells(stored, winner, defaults);
    for (const std::string& name : counters) cells.push_back(counter_cell(stored.trial, name));
    table.add(std::move(cells));
  }
  return table;
}

// Prints a trial as a row of its session's table.
void show_trial_row(const Context& context, db::TrialId id) {
  const KnownTrial known = find_trial(context, id);
  const auto winner = context.open_store(db::OpenMode::read_only).winner(known.session.id);
  write_output("", trial_table({known.trial}, winner).render(Format::csv));
}

void run_show(const ShowArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = request_error;
    return;
  }
  if (options.trial != 0 && !options.replay && context.output_format() == Format::csv)
    return show_trial_row(context, options.trial);
  if (options.trial != 0) return show_trial(context, options.trial, options.replay);
  const db::StoreSet stores = context.open_stores();
  const auto [session, index] = find_session_or_latest(options.session, stores);
  const db::Store& store = stores.store(index);
  const auto winner = store.winner(session.id);
  const auto trials = store.trials(session.id);
  const auto checks = store.checks(session.id);
  switch (context.output_format()) {
    case Format::json:
      return write_output("", text_of(session_document(session, trials, winner, checks)));
    case Format::csv:
      return write_output("", trial_table(trials, winner).render(Format::csv));
    case Format::table:
      write_output(
          "", header_text(session, winner) + '\n' + trial_table(trials, winner).render(Format::table, output_width()));
      if (!checks.empty())
        write_output("", '\n' + check_history(checks, session).render(Format::table, output_width()));
  }
}

}  // namespace

void add_show(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("show", "Show one session, its key and every trial; or one trial");
  auto options = std::make_shared<ShowArguments>();
  auto* session = verb->add_option("session", options->session,
                                   "a session's number or name (STORE:NUMBER in another store), or a kernel for its "
                                   "latest session; default: the latest")
                      ->type_name("SESSION");
  auto* trial = verb->add_option("--trial", options->trial, "show this trial instead")
                    ->check(whole(1, INT64_MAX))
                    ->type_name("TRIAL")
                    ->excludes(session);
  verb->add_flag("--replay", options->replay, "print the command that repeats this trial")->needs(trial);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::results);
  add_examples(*verb, {{"a session and its trials", "warptune show 3"},
                       {"the command that does a trial again", "warptune show --trial 42 --replay"}});
  verb->callback([options, &context] { run_show(*options, context); });
}

}  // namespace warptune::tuner::cli
