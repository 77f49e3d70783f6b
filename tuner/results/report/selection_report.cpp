// Computes the regrets and speed-ups of the chosen kernels from the measured sizes.
#include "tuner/results/report/selection_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/objective_value.h"
#include "db/settled.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner {

namespace {

// Returns the selection that was asked for, which is empty where nothing could be chosen.
const Selection& asked(const SelectedKernels& selected) {
  static const Selection nothing;
  return selected.by_count.empty() ? nothing : selected.by_count.back().second;
}

// Describes what serves one size in the selection asked for.
struct Serving {
  std::size_t kernel;  // 0-based among the chosen
  const search::NamedValues& configuration;
  double objective, best;
  std::optional<double> default_objective;
  const db::SessionRecord& session;

  // Returns how much slower than the best this is, also for maximised metrics, whose objectives are negative.
  double regret() const { return std::max(0.0, (best < 0 ? best / objective : objective / best) - 1); }
  double shown(double stored) const { return db::objective_value(stored, session); }
  std::optional<double> speed_up() const {
    if (!default_objective) return std::nullopt;
    return db::gain(objective, *default_objective);
  }
};

Serving serving(const SelectedKernels& selected, std::size_t size) {
  const Selection& selection = asked(selected);
  const std::size_t row = selection.at[size];
  const auto kernel = std::ranges::find(selection.chosen, row) - selection.chosen.begin();
  const std::size_t number = selected.numbers[row];
  const MeasuredSize& measured = selected.measured.sizes[size];
  return {static_cast<std::size_t>(kernel),
          selected.measured.configurations[number],
          *selected.measured.objectives[number][size],
          measured.best,
          measured.default_objective,
          measured.session};
}

}  // namespace

namespace {

// Returns how much slower a kernel is than the size's own best.
Cell regret_cell(double regret) {
  return Cell(regret < 2 ? three_digits(regret * 100) + " %" : ratio_text(1 + regret), regret * 100);
}

}  // namespace

Table regret_table(const SelectedKernels& selected) {
  Table table({"kernels", "used", "worst_regret_percent", "mean_regret_percent", "exact", "slower_than_default"});
  table.heading("worst_regret_percent", "WORST REGRET").heading("mean_regret_percent", "MEAN REGRET");
  for (const auto& [k, selection] : selected.by_count)
    table.add({static_cast<std::int64_t>(k), static_cast<std::int64_t>(selection.chosen.size()),
               regret_cell(selection.worst_regret), regret_cell(selection.mean_regret), selection.exact,
               selection.above_default});
  return table;
}

Table serving_table(const SelectedKernels& selected) {
  Table table({"problem_size", "kernel", "value", "best", "regret_percent", "speed_up", "session", "configuration"});
  table.heading("problem_size", "SIZE").heading("regret_percent", "REGRET").less_important({"session", "best"});
  for (std::size_t size = 0; size < selected.measured.sizes.size(); ++size) {
    const db::SessionRecord& session = selected.measured.sizes[size].session;
    const Serving row = serving(selected, size);
    const auto gain = row.speed_up();
    table.add({session.key.problem(), static_cast<std::int64_t>(row.kernel + 1),
               objective_cell(session.objective, row.shown(row.objective)),
               objective_cell(session.objective, row.shown(row.best)), regret_cell(row.regret()),
               gain ? Cell(ratio_text(*gain), *gain) : Cell(), session.id, row.configuration});
  }
  return table;
}

ServedSizes served_by(const SelectedKernels& selected) {
  ServedSizes served;
  const MeasuredSizes& measured = selected.measured;
  for (std::size_t size = 0; size < measured.sizes.size(); ++size) {
    served.sizes.push_back(measured.sizes[size].session.key.problem_size);
    served.serving.push_back(selected.numbers[asked(selected).at[size]]);
  }
  for (const auto& objectives : measured.objectives) {
    auto& row = served.slowdown.emplace_back();
    for (std::size_t size = 0; size < measured.sizes.size(); ++size)
      row.push_back(objectives[size] ? std::optional(slowdown(*objectives[size], measured.sizes[size].best))
                                     : std::nullopt);
  }
  return served;
}

Table predicted_table(const SelectedKernels& selected) {
  Table table({"predicted_size", "kernel", "as_measured_at", "expected_regret_percent", "configuration"});
  table.heading("predicted_size", "NOT MEASURED").heading("expected_regret_percent", "EXPECTED REGRET");
  for (const PredictedSize& one : selected.predicted) {
    const Serving from = serving(selected, one.from);
    table.add({one.size, static_cast<std::int64_t>(from.kernel + 1),
               selected.measured.sizes[one.from].session.key.problem_size,
               selected.rule ? regret_cell(selected.rule->mean_regret) : Cell(), from.configuration});
  }
  return table;
}

std::string prediction_text(const SelectedKernels& selected) {
  if (!selected.rule)
    return "sizes that were not measured get the kernel of the nearest one that was; too few sizes are measured to say "
           "what that costs";
  return fmt::format(
      "sizes that were not measured get the kernel of the nearest one that was: leaving each of {} measured sizes out, "
      "the others predict a kernel that is {} slower than the best known on the average, and {} at worst",
      selected.rule->left_out, three_digits(selected.rule->mean_regret * 100) + " %",
      three_digits(selected.rule->worst_regret * 100) + " %");
}

namespace {

Json predictions_json(const SelectedKernels& selected) {
  Json predictions = Json::array();
  for (const PredictedSize& one : selected.predicted) {
    const auto regret = [&](double SizeRule::*figure) {
      return json_or_null(selected.rule ? std::optional((*selected.rule).*figure) : std::nullopt);
    };
    predictions.push_back(
        {{"problem_size", json_from_values(one.size)},
         {"kernel", serving(selected, one.from).kernel + 1},
         {"as_measured_at", json_from_values(selected.measured.sizes[one.from].session.key.problem_size)},
         {"expected_regret", regret(&SizeRule::mean_regret)},
         {"worst_regret", regret(&SizeRule::worst_regret)},
         {"left_out", selected.rule ? selected.rule->left_out : 0}});
  }
  return predictions;
}

}  // namespace

std::string selection_json(const SelectedKernels& selected) {
  Json document = tuner::document("select");
  document["kernel"] = selected.kernel;
  document["device"] = json_or_null(selected.device);
  document["regret"] = Json::array();
  for (const auto& [k, selection] : selected.by_count)
    document["regret"].push_back({{"kernels", k},
                                  {"worst", selection.worst_regret},
                                  {"mean", selection.mean_regret},
                                  {"exact", selection.exact},
                                  {"slower_than_default", selection.above_default}});
  document["kernels"] = Json::array();
  for (const std::size_t row : asked(selected).chosen)
    document["kernels"].push_back(
        {{"kernel", document["kernels"].size() + 1},
         {"configuration", json_from_values(selected.measured.configurations[selected.numbers[row]])}});
  document["sizes"] = Json::array();
  for (std::size_t size = 0; size < selected.measured.sizes.size(); ++size) {
    const db::SessionRecord& session = selected.measured.sizes[size].session;
    const Serving row = serving(selected, size);
    document["sizes"].push_back(
        {{"problem_size", json_from_values(session.key.problem())},
         {"kernel", row.kernel + 1},
         {"objective", session.objective},
         {"value", row.shown(row.objective)},
         {"best", row.shown(row.best)},
         {"default",
          json_or_null(row.default_objective ? std::optional(row.shown(*row.default_objective)) : std::nullopt)},
         {"speed_up", json_or_null(row.speed_up())},
         {"session", session.id}});
  }
  document["predicted"] = predictions_json(selected);
  return text_of(document);
}

}  // namespace warptune::tuner
