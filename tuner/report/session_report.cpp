#include "tuner/report/session_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptune {

namespace {

std::vector<const Trial*> ranked(const SessionResult& result) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : result.trials)
    if (trial.correct() && !trial.objectives.empty()) trials.push_back(&trial);
  std::ranges::stable_sort(trials, {}, [](const Trial* trial) { return trial->objectives.front(); });
  return trials;
}

// The first line that says something; logs begin with what matters.
std::string first_line(const std::string& text) {
  constexpr std::size_t longest = 100;
  std::string line = text.substr(0, text.find('\n'));
  if (line.size() > longest) line = line.substr(0, longest) + "…";
  return line;
}

std::string speed_up(const SessionResult& result, const Trial& best) {
  if (!result.fallback) return "The default configuration is not in the space of this device and size.\n";
  const Trial& fallback = result.trials[*result.fallback];
  if (!fallback.correct())
    return fmt::format("The default configuration failed ({}): {}\n", to_string(fallback.outcome),
                       first_line(fallback.message));
  const double ratio = fallback.measurement->median_ms / best.measurement->median_ms;
  return fmt::format("Default   {}; the winner is {:.2f} times as fast\n",
                     duration_text(fallback.measurement->median_ms), ratio);
}

}  // namespace

std::string duration_text(double milliseconds) {
  if (milliseconds < 1e-3) return fmt::format("{:.4g} ns", milliseconds * 1e6);
  if (milliseconds < 1) return fmt::format("{:.4g} µs", milliseconds * 1e3);
  if (milliseconds < 1e3) return fmt::format("{:.4g} ms", milliseconds);
  return fmt::format("{:.4g} s", milliseconds / 1e3);
}

std::string figures(const Trial& trial, const KernelTemplate& kernel) {
  std::string text = duration_text(trial.measurement->median_ms);
  for (const Metric& metric : kernel.metrics)
    if (const auto value = trial.metrics.find(metric.name); value != trial.metrics.end())
      text += fmt::format(", {:.4g} {}", value->second, metric.name);
  return text;
}

Table top_table(const SessionResult& result, const SearchSpace& space, const KernelTemplate& kernel,
                std::size_t count) {
  std::vector<std::string> columns{"rank", "time_ms"};
  for (const Metric& metric : kernel.metrics) columns.push_back(metric.name);
  columns.insert(columns.end(), {"uncertainty", "configuration"});
  Table table(columns);
  const auto trials = ranked(result);
  for (std::size_t i = 0; i < std::min(count, trials.size()); ++i) {
    const Trial& trial = *trials[i];
    std::vector<std::optional<Value>> row{static_cast<std::int64_t>(i + 1), trial.measurement->median_ms};
    for (const Metric& metric : kernel.metrics) {
      const auto value = trial.metrics.find(metric.name);
      row.push_back(value == trial.metrics.end() ? std::nullopt : std::optional<Value>(value->second));
    }
    row.push_back(fmt::format("± {:.2f} %", trial.measurement->relative_error * 100));
    row.push_back(space.key(trial.configuration));
    table.add(std::move(row));
  }
  return table;
}

Table failure_table(const SessionResult& result, const SearchSpace& space) {
  Table table({"outcome", "count", "example", "why"});
  for (const Outcome outcome : all_outcomes()) {
    if (outcome == Outcome::correct) continue;
    std::int64_t count = 0;
    const Trial* example = nullptr;
    for (const Trial& trial : result.trials)
      if (trial.outcome == outcome && ++count == 1) example = &trial;
    if (example)
      table.add(
          {std::string(to_string(outcome)), count, space.key(example->configuration), first_line(example->message)});
  }
  return table;
}

std::string session_report(const SessionResult& result, const SearchSpace& space, const KernelTemplate& kernel) {
  std::string text;
  if (!result.best) {
    text = "No configuration was correct.\n";
  } else {
    const Trial& best = result.trials[*result.best];
    text = fmt::format("Winner    {}\n          {}\n", space.key(best.configuration), figures(best, kernel));
    text += speed_up(result, best);
    text += '\n' + top_table(result, space, kernel, 5).render(Format::table);
  }
  if (const Table failures = failure_table(result, space); !failures.empty())
    text += '\n' + failures.render(Format::table);
  return text;
}

}  // namespace warptune
