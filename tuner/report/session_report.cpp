#include "tuner/report/session_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "db/settled.h"
#include "tuner/device/compiler_log.h"

namespace warptune::tuner {

namespace {

// Indices of measured trials: finalists as the finals ranked them, then the others by their objective.
std::vector<std::size_t> ranked(const SessionResult& result) {
  std::vector<std::size_t> order, others;
  if (result.finals)
    for (const Finalist& finalist : result.finals->finalists) order.push_back(finalist.trial);
  for (std::size_t i = 0; i < result.trials.size(); ++i)
    if (result.trials[i].correct() && !result.trials[i].objectives.empty() &&
        std::ranges::find(order, i) == order.end())
      others.push_back(i);
  std::ranges::stable_sort(others, {}, [&](std::size_t i) { return result.trials[i].objectives.front(); });
  // The default configuration is among the finalists even if it is slow.
  const auto place = [&](std::size_t finalist) {
    const double objective = result.trials[finalist].objectives.front();
    return std::ranges::find_if(others, [&](std::size_t i) { return result.trials[i].objectives.front() > objective; });
  };
  if (result.default_trial && !order.empty() && order.back() == *result.default_trial && order.size() > 1) {
    order.pop_back();
    others.insert(place(*result.default_trial), *result.default_trial);
  }
  order.insert(order.end(), others.begin(), others.end());
  return order;
}

const Finalist* finalist_of(const SessionResult& result, std::size_t trial) {
  if (!result.finals) return nullptr;
  const auto found = std::ranges::find(result.finals->finalists, trial, &Finalist::trial);
  return found == result.finals->finalists.end() ? nullptr : &*found;
}

db::Settled settled(const SessionResult& result, std::size_t trial) {
  return db::settled(result.winner, result.ids[trial], result.trials[trial]);
}

Cell uncertainty(const search::Measurement& measurement, const db::Settled& settled) {
  if (measurement.cut_short && !settled.finals) return Cell("cut short", settled.time_error);
  return error_cell(settled.time_error);
}

// The template's metrics and the energy, as far as any of these trials has them; in a front the errors, too.
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

Table trial_table(const SessionResult& result, const std::vector<std::size_t>& trials, const search::SearchSpace& space,
                  const KernelTemplate& kernel) {
  const std::vector<std::string> metrics = metric_columns(result, trials, kernel);
  std::vector<std::string> columns{"rank", "time_ms"};
  columns.insert(columns.end(), metrics.begin(), metrics.end());
  columns.push_back("relative_error");
  if (result.finals) columns.push_back("visits");
  columns.push_back("configuration");
  Table table(columns);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::size_t index = trials[i];
    const search::Trial& trial = result.trials[index];
    const db::Settled figures = settled(result, index);
    std::vector<Cell> row{static_cast<std::int64_t>(i + 1), figures.time_ms.value_or(0)};
    for (const std::string& name : metrics) {
      const auto value = figures.metrics.find(name);
      row.push_back(value == figures.metrics.end() ? std::nullopt : Cell(value->second));
    }
    row.push_back(uncertainty(*trial.measurement, figures));
    const Finalist* finalist = finalist_of(result, index);
    if (result.finals) row.push_back(finalist ? Cell(static_cast<std::int64_t>(finalist->visits)) : std::nullopt);
    row.push_back(space.values(trial.configuration));
    table.add(std::move(row));
  }
  return table;
}

std::string speed_up(const SessionResult& result) {
  if (!result.default_exists) return "The default configuration is not in the space of this device and size.\n";
  if (!result.default_trial) return "The session ended before the default configuration was measured.\n";
  const search::Trial& default_trial = result.trials[*result.default_trial];
  if (!default_trial.correct())
    return fmt::format("The default configuration failed ({}): {}\n", to_string(default_trial.outcome),
                       failure_text(default_trial));
  const double default_ms = settled(result, *result.default_trial).time_ms.value_or(0);
  return fmt::format("Default   {}; the winner is {:.2f} times as fast\n", duration_text(default_ms),
                     default_ms / settled(result, *result.best).time_ms.value_or(default_ms));
}

}  // namespace

std::string duration_text(double milliseconds) {
  if (milliseconds < 1e-3) return fmt::format("{:.4g} ns", milliseconds * 1e6);
  if (milliseconds < 1) return fmt::format("{:.4g} µs", milliseconds * 1e3);
  if (milliseconds < 1e3) return fmt::format("{:.4g} ms", milliseconds);
  return fmt::format("{:.4g} s", milliseconds / 1e3);
}

std::string figures(double time_ms, const std::map<std::string, double>& metrics, const KernelTemplate& kernel) {
  std::string text = duration_text(time_ms);
  for (const Metric& metric : kernel.metrics)
    if (const auto value = metrics.find(metric.name); value != metrics.end())
      text += fmt::format(", {:.4g} {}", value->second, metric.name);
  return text;
}

std::string figures(const search::Trial& trial, const KernelTemplate& kernel) {
  return figures(trial.measurement->median_ms, trial.metrics, kernel);
}

Table top_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel,
                std::size_t count) {
  std::vector<std::size_t> trials = ranked(result);
  if (trials.size() > count) trials.resize(count);
  return trial_table(result, trials, space, kernel);
}

Table front_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel) {
  return trial_table(result, result.front, space, kernel);
}

Table result_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel) {
  return result.front.empty() ? top_table(result, space, kernel, 5) : front_table(result, space, kernel);
}

Cell error_cell(double relative_error) {
  return Cell(fmt::format("± {:.2f} %", relative_error * 100), relative_error);
}

std::string difference_text(double difference, double low, double high) {
  const double error = std::max(difference - low, high - difference);
  if (!std::isfinite(error)) return fmt::format("{:.1f} %", difference * 100);
  // A ratio's interval may be lopsided: with ± it would reach below zero where it does not.
  if ((low > 0) != (difference > error))
    return fmt::format("{:.1f} % ({:.1f} to {:.1f} %)", difference * 100, low * 100, high * 100);
  return fmt::format("{:.1f} % ± {:.1f} %", difference * 100, error * 100);
}

std::string finals_text(const SessionResult& result, const search::SearchSpace& space) {
  if (!result.finals) return {};
  const auto& finalists = result.finals->finalists;
  std::string text =
      fmt::format("Finals    {} candidates, {} rounds: {} ± {:.2f} %\n", finalists.size(), result.finals->rounds,
                  duration_text(finalists.front().time_ms), finalists.front().time_error * 100);
  const auto key = [&](const Finalist& finalist) { return space.key(result.trials[finalist.trial].configuration); };
  for (const Finalist& finalist : finalists)
    if (finalist.tied && &finalist != &finalists.front())
      text += fmt::format("          a tie with {} ({})\n", key(finalist),
                          difference_text(finalist.slower_by, finalist.slower_low, finalist.slower_high));
  const auto beaten = std::ranges::find(finalists, false, &Finalist::tied);
  if (beaten != finalists.end())
    text += fmt::format("          the winner is {} faster than {}\n",
                        difference_text(beaten->slower_by, beaten->slower_low, beaten->slower_high), key(*beaten));
  return text;
}

Table failure_table(const SessionResult& result, const search::SearchSpace& space) {
  Table table({"outcome", "count", "example", "why"});
  for (const search::Outcome outcome : search::all_outcomes()) {
    if (outcome == search::Outcome::correct) continue;
    std::int64_t count = 0;
    const search::Trial* example = nullptr;
    for (const search::Trial& trial : result.trials)
      if (trial.outcome == outcome && ++count == 1) example = &trial;
    if (example)
      table.add({std::string(to_string(outcome)), count, space.values(example->configuration), failure_text(*example)});
  }
  return table;
}

std::string session_report(const SessionResult& result, const search::SearchSpace& space,
                           const KernelTemplate& kernel) {
  std::string text;
  if (!result.best) {
    text = "No configuration was correct.\n";
  } else {
    const search::Trial& best = result.trials[*result.best];
    const db::Settled settled_best = settled(result, *result.best);
    text = fmt::format("Winner    {}\n          {}\n", space.key(best.configuration),
                       figures(settled_best.time_ms.value_or(0), settled_best.metrics, kernel));
    text += finals_text(result, space);
    if (!kernel.default_values.empty()) text += speed_up(result);  // a recording names no default
    if (!result.front.empty()) text += "\nPareto front\n" + front_table(result, space, kernel).render(Format::table);
    text += '\n' + top_table(result, space, kernel, 5).render(Format::table);
  }
  if (const Table failures = failure_table(result, space); !failures.empty())
    text += '\n' + failures.render(Format::table);
  return text;
}

}  // namespace warptune::tuner
