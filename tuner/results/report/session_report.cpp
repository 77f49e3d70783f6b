// Ranks the trials, and lays out the entries and tables of the report.
#include "tuner/results/report/session_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/settled.h"
#include "search/budget.h"
#include "tuner/device/compile/compiler_log.h"
#include "tuner/measure/sampling/same_bits.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner {

namespace {

constexpr std::size_t most_shown = 5;
// Fewer trials say little about a space.
constexpr std::size_t few_trials = 10;

const Finalist* finalist_of(const SessionResult& result, std::size_t trial) {
  if (!result.finals) return nullptr;
  const auto found = std::ranges::find(result.finals->finalists, trial, &Finalist::trial);
  return found == result.finals->finalists.end() ? nullptr : &*found;
}

db::Settled settled(const SessionResult& result, std::size_t trial) {
  return db::settled(result.winner, result.ids[trial], result.trials[trial]);
}

// Holds the indices of measured trials: finalists as the finals ranked them, and the others by their objective. The
// search measured the others at another time, so that the two do not compare.
struct Ranked {
  std::vector<std::size_t> finalists, others;
};

Ranked ranked(const SessionResult& result) {
  Ranked order;
  if (result.finals)
    for (const Finalist& finalist : result.finals->finalists) order.finalists.push_back(finalist.trial);
  for (std::size_t i = 0; i < result.trials.size(); ++i)
    if (may_win(result.trials[i]) && !finalist_of(result, i)) order.others.push_back(i);
  std::ranges::stable_sort(order.others, {}, [&](std::size_t i) {
    return std::pair(i != result.best, result.trials[i].objectives.front());
  });
  return order;
}

std::vector<std::size_t> first(std::vector<std::size_t> trials, std::size_t count) {
  trials.resize(std::min(trials.size(), count));
  return trials;
}

Cell uncertainty(const search::Measurement& measurement, const db::Settled& settled) {
  if (measurement.cut_short && !settled.finals) {
    const auto known = db::known_error(settled.time_error);
    return known ? Cell("cut short", *known) : Cell("cut short", std::nullopt);
  }
  return error_cell(settled.time_error);
}

// Returns the template's metrics and the energy, as far as any of these trials has them; in a front the errors, too.
std::vector<std::string> metric_columns(const SessionResult& result, const std::vector<std::size_t>& trials,
                                        const KernelTemplate& kernel) {
  std::vector<std::string> names;
  for (const Metric& metric : kernel.metrics) names.push_back(metric.name);
  names.push_back("joules");
  if (!result.front.empty()) names.insert(names.end(), {"max_error", "rms_error"});
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::none_of(trials, [&](std::size_t i) { return result.trials[i].metrics.contains(name); });
  });
  return names;
}

// Says which of a session's trials stand in a table. What the finals measured and what the search measured have columns
// of their own.
enum class Measured { at_once, in_finals, either };

std::vector<std::string> trial_columns(const std::vector<std::string>& metrics, Measured measured) {
  std::vector<std::string> columns{"time_ms"};
  columns.insert(columns.end(), metrics.begin(), metrics.end());
  columns.push_back("relative_error");
  if (measured != Measured::at_once) columns.push_back("visits");
  if (measured == Measured::either) columns.push_back("search_ms");
  columns.push_back("configuration");
  return columns;
}

std::vector<Cell> trial_cells(const SessionResult& result, std::size_t index, const std::vector<std::string>& metrics,
                              Measured measured) {
  const search::Trial& trial = result.trials[index];
  const Finalist* finalist = finalist_of(result, index);
  const db::Settled figures = settled(result, index);
  const bool shown = finalist || measured == Measured::at_once;
  std::vector<Cell> cells{shown ? time_cell(figures.time_ms) : Cell()};
  for (const std::string& name : metrics) {
    const auto value = figures.metrics.find(name);
    cells.push_back(value == figures.metrics.end() ? Cell() : Cell(three_digits(value->second), value->second));
  }
  cells.push_back(shown ? uncertainty(*trial.measurement, figures) : Cell());
  if (measured != Measured::at_once)
    cells.push_back(finalist ? Cell(static_cast<std::int64_t>(finalist->visits)) : std::nullopt);
  if (measured == Measured::either) cells.push_back(time_cell(trial.measurement->median_ms));
  return cells;
}

Table trial_table(const SessionResult& result, const std::vector<std::size_t>& trials, const search::SearchSpace& space,
                  const KernelTemplate& kernel, Measured measured, bool with_ranks = true) {
  const std::vector<std::string> metrics = metric_columns(result, trials, kernel);
  std::vector<std::string> columns = trial_columns(metrics, measured);
  if (with_ranks) columns.insert(columns.begin(), "rank");
  Table table(columns);
  table.heading("time_ms", "TIME").heading("relative_error", "ERROR");
  for (const std::string& name : metrics) table.heading(name, name);
  if (measured != Measured::at_once) table.less_important({"visits"});
  if (measured == Measured::either) table.heading("search_ms", "IN SEARCH");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::vector<Cell> row = trial_cells(result, trials[i], metrics, measured);
    if (with_ranks) row.insert(row.begin(), static_cast<std::int64_t>(i + 1));
    row.push_back(configuration_cell(space.values(result.trials[trials[i]].configuration), kernel.default_values));
    table.add(std::move(row));
  }
  return table;
}

// Returns a line of the report, whose second column is broken where the terminal ends.
std::string entry(std::string_view name, const std::string& text, std::size_t width) {
  constexpr std::size_t column = 10;
  return fmt::format("{:<{}}{}\n", name, column, wrapped_text(text, width, column));
}

std::string speed_up(const SessionResult& result, std::size_t width) {
  const auto sentence = [&](const std::string& text) { return wrapped_text(text, width, 0) + '\n'; };
  if (!result.default_exists) return sentence("The default configuration is not in the space of this device and size.");
  if (!result.default_trial) return sentence("The session ended before the default configuration was measured.");
  const search::Trial& default_trial = result.trials[*result.default_trial];
  if (!default_trial.correct())
    return sentence(fmt::format("The default configuration failed ({}): {}", to_string(default_trial.outcome),
                                failure_text(default_trial)));
  if (!result.winner) return {};
  if (result.trials.size() == 1) return entry("Speed-up", "none: only the default configuration was tried", width);
  std::string text = speed_up_text(*result.winner);
  if (result.winner->default_time_ms && result.default_trial != result.best)
    text += fmt::format(" ({})", duration_text(*result.winner->default_time_ms));
  return text.empty() ? "" : entry("Speed-up", text, width);
}

// Says so where few configurations were tried. A short time may go into setting up, and then the winner is no more than
// the first that came.
std::string few_tried(const SessionResult& result, const search::SearchSpace& space, std::size_t width) {
  const bool all = space.size() <= result.trials.size();
  if (all || result.trials.size() >= few_trials || !result.reason.starts_with(search::time_is_up)) return {};
  return entry("Tried",
               fmt::format("only {} of {} configurations in {:.1f} s, {:.1f} s of which were setting up; a longer "
                           "--budget or smaller sizes try more",
                           result.trials.size(), search::to_text(space.size()), result.elapsed_s, result.setup_s),
               width);
}

// Returns the lines on the winner. Ties are counted, not listed: JSON has them.
std::string winner_text(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel,
                        std::size_t width) {
  const search::Trial& best = result.trials[*result.best];
  const db::Settled figures_of_best = settled(result, *result.best);
  const search::NamedValues values = space.values(best.configuration);
  const bool is_default = configuration_text(values, kernel.default_values) == "default";
  std::string text = is_default ? "the default configuration" : configuration_text(values, kernel.default_values);
  if (const std::size_t ties = result.winner ? result.winner->ties.size() : 0; ties > 0)
    text += fmt::format(", and {} more that tie{}", ties, ties == 1 ? "s" : "");
  std::string report = entry("Winner", text, width);
  text = figures(figures_of_best.time_ms.value_or(0), figures_of_best.metrics, kernel);
  return report + entry("", text + ", " + error_text(figures_of_best.time_error), width);
}

}  // namespace

std::string figures(double time_ms, const std::map<std::string, double>& metrics, const KernelTemplate& kernel) {
  std::string text = duration_text(time_ms);
  for (const Metric& metric : kernel.metrics)
    if (const auto value = metrics.find(metric.name); value != metrics.end())
      text += fmt::format(", {} {}", three_digits(value->second), metric.name);
  return text;
}

std::string figures(const search::Trial& trial, const KernelTemplate& kernel) {
  return figures(trial.measurement->median_ms, trial.metrics, kernel);
}

Table top_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel,
                std::size_t count) {
  auto [trials, others] = ranked(result);
  trials.insert(trials.end(), others.begin(), others.end());
  return trial_table(result, first(std::move(trials), count), space, kernel,
                     result.finals ? Measured::either : Measured::at_once);
}

Table front_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel) {
  return trial_table(result, result.front, space, kernel, result.finals ? Measured::either : Measured::at_once);
}

Table result_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel) {
  return result.front.empty() ? top_table(result, space, kernel, most_shown) : front_table(result, space, kernel);
}

std::string finals_text(const SessionResult& result) {
  if (!result.finals) return {};
  const auto& finalists = result.finals->finalists;
  std::string text = counted(finalists.size(), "candidate") + ", " + counted(result.finals->rounds, "round");
  if (result.earlier_stands) text += " of an earlier run, which this one found no reason to overrule";
  if (const auto beaten = std::ranges::find(finalists, false, &Finalist::tied); beaten != finalists.end())
    text += "; the next of them " +
            slower_text(beaten->slower_by, beaten->slower_low, beaten->slower_high, result.objective);
  return text;
}

Table failure_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel) {
  Table table({"outcome", "count", "example", "why"});
  for (const search::Outcome outcome : search::all_outcomes()) {
    if (outcome == search::Outcome::correct) continue;
    std::int64_t count = 0;
    const search::Trial* example = nullptr;
    for (const search::Trial& trial : result.trials)
      if (trial.outcome == outcome && ++count == 1) example = &trial;
    if (example)
      table.add({std::string(to_string(outcome)), count,
                 configuration_cell(space.values(example->configuration), kernel.default_values),
                 failure_text(*example)});
  }
  return table;
}

// Returns the best trials as a terminal shows them: those of the finals, and apart from them what the search measured
// alone.
static std::string top_text(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel,
                            std::size_t width) {
  const Ranked order = ranked(result);
  const auto sentence = [&](const std::string& text) { return wrapped_text(text, width, 0) + '\n'; };
  const auto finalists = first(order.finalists, most_shown);
  const auto others = first(order.others, most_shown - finalists.size());
  if (!result.finals) return trial_table(result, others, space, kernel, Measured::at_once).render(Format::table, width);
  std::string text = trial_table(result, finalists, space, kernel, Measured::in_finals).render(Format::table, width);
  // Finalists are ordered by paired differences, and the order of their medians may be another.
  const auto objective = [&](std::size_t i) { return settled(result, i).objective; };
  if (!std::ranges::is_sorted(finalists, {}, objective))
    text += sentence("Finalists are ranked by their differences within each round, not by their medians.");
  if (others.empty()) return text;
  text += '\n' + sentence("Not in the finals; as the search measured them, at other times:");
  return text + trial_table(result, others, space, kernel, Measured::at_once, false).render(Format::table, width);
}

// Says why there is no winner. A correct trial may lack the objective: a metric of counters that this user may not
// read, for example.
static std::string no_winner_text(const SessionResult& result, std::size_t width) {
  if (result.trials.empty() && result.reason.starts_with(search::time_is_up))
    return wrapped_text(
               "Nothing was measured: the time was up before the first trial. Smaller sizes (--size), or a "
               "longer --budget, leave time for trials.",
               width, 0) +
           '\n';
  if (result.trials.empty()) return "Nothing was measured.\n";
  const auto correct = std::ranges::find_if(result.trials, &search::Trial::correct);
  if (correct == result.trials.end()) return "No configuration was correct.\n";
  std::string text = "There is no winner: no correct configuration has a value of the objective.";
  if (correct->counters && !correct->counters->failure.empty())
    text += " Nothing was counted: " + correct->counters->failure;
  return wrapped_text(text, width, 0) + '\n';
}

Json json_of(const SessionResult& result) {
  return {{"trials", result.trials.size() - result.resumed},
          {"resumed", result.resumed},
          {"elapsed_s", result.elapsed_s},
          {"setup_s", result.setup_s},
          {"search_s", result.search_s},
          {"finals_s", result.finals_s},
          {"interrupted", result.interrupted},
          {"reason", result.reason}};
}

std::string session_report(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel,
                           std::size_t width, const std::vector<std::pair<std::string, std::string>>& standing) {
  std::string text;
  if (!result.best) {
    text = no_winner_text(result, width);
  } else {
    text = winner_text(result, space, kernel, width);
    if (!kernel.default_values.empty()) text += speed_up(result, width);  // a recording names no default
    text += few_tried(result, space, width);
    if (result.finals) text += entry("Finals", finals_text(result), width);
    if (!result.finals && result.earlier_stands)
      text += entry("Kept", "the winner of an earlier run, which this one found no reason to overrule", width);
    for (const auto& [name, line] : standing) text += entry(name, line, width);
    if (!result.front.empty())
      text += "\nPareto front\n" + front_table(result, space, kernel).render(Format::table, width);
    text += '\n' + top_text(result, space, kernel, width);
    if (!kernel.default_values.empty())
      text += wrapped_text("Parameters that a configuration does not name have their default values.", width, 0) + '\n';
  }
  if (const Table failures = failure_table(result, space, kernel); !failures.empty())
    text += '\n' + failures.render(Format::table, width);
  return text;
}

}  // namespace warptune::tuner
