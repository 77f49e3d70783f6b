// Lays out strategies and spaces, with the best strategy first.
#include "tuner/results/report/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner::compare {

namespace {

// Returns an empty cell for what was never reached, which has no figure.
Cell cell(double value) {
  return std::isfinite(value) ? Cell(value) : std::nullopt;
}

Cell rounded(double value, int digits) {
  const double unit = std::pow(10, digits);
  return cell(std::round(value * unit) / unit);
}

Cell with_error(const search::compare::Figure& figure, int digits) {
  return fmt::format("{:.{}f} ±{:.{}f}", figure.value, digits, figure.error, digits);
}

std::vector<const StrategyResults*> best_first(const Comparison& comparison) {
  std::vector<const StrategyResults*> order;
  for (const StrategyResults& results : comparison.strategies) order.push_back(&results);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->overall.score.p_direct.value > b->overall.score.p_direct.value;
  });
  return order;
}

Table overall_table(const Comparison& comparison) {
  std::vector<std::string> columns{"strategy", "p_direct", "p"};
  for (std::size_t n : comparison.checkpoints) columns.push_back(fmt::format("ratio@{}", n));
  for (double target : search::compare::targets) columns.push_back(fmt::format("to_{:g}_%", target * 100));
  columns.push_back("cpu_ms");
  Table table(columns);
  std::vector<std::string> going{"cpu_ms", "p"};  // these go first; then what is told of few evaluations
  going.insert(going.end(), columns.begin() + 3, columns.end() - 1);
  table.less_important(going);
  for (const StrategyResults* results : best_first(comparison)) {
    const search::compare::Score& score = results->overall.score;
    std::vector<Cell> row{results->strategy, with_error(score.p_direct, 3), with_error(score.p, 3)};
    for (const search::compare::Figure& ratio : score.ratio) row.push_back(rounded(ratio.value, 3));
    for (const search::compare::Figure& evaluations : score.evaluations_to)
      row.push_back(rounded(evaluations.value, 1));
    row.push_back(comparison.cpu_measured ? rounded(results->overall.cpu_ms_per_evaluation, 4) : std::nullopt);
    table.add(std::move(row));
  }
  return table;
}

// Returns the table of `count` spaces from `first` on.
Table table_by_space(const Comparison& comparison, std::size_t first, std::size_t count) {
  std::vector<std::string> columns{"p_direct"};
  for (std::size_t i = first; i < first + count; ++i) columns.push_back(comparison.spaces[i].name);
  Table table(columns);
  for (const StrategyResults* results : best_first(comparison)) {
    std::vector<Cell> row{results->strategy};
    for (std::size_t i = first; i < first + count; ++i) row.push_back(with_error(results->spaces[i].score.p_direct, 2));
    table.add(std::move(row));
  }
  return table;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : wrapped(text, 0)) widest = std::max(widest, text_width(line));
  return widest;
}

// Puts as many spaces beside each other as a line has room for, and the others below.
std::string tables_by_space(const Comparison& comparison, std::size_t width) {
  std::string text;
  const std::size_t all = comparison.spaces.size();
  for (std::size_t first = 0; first < all;) {
    std::size_t count = all - first;
    std::string table = table_by_space(comparison, first, count).render(Format::table);
    while (width > 0 && count > 1 && widest_line(table) > width)
      table = table_by_space(comparison, first, --count).render(Format::table);
    text += '\n' + table;
    first += count;
  }
  return text;
}

Json to_json(const search::compare::Figure& figure) {
  return {{"value", figure.value}, {"error", figure.error}};
}

Json to_json(const Result& result, const std::vector<std::size_t>& checkpoints) {
  Json json{{"p_direct", to_json(result.score.p_direct)}, {"p", to_json(result.score.p)}};
  for (std::size_t i = 0; i < checkpoints.size(); ++i)
    json["ratio_after"][std::to_string(checkpoints[i])] = to_json(result.score.ratio[i]);
  for (std::size_t i = 0; i < search::compare::targets.size(); ++i)
    json["evaluations_to_within"][fmt::format("{:g}", search::compare::targets[i])] =
        to_json(result.score.evaluations_to[i]);
  json["evaluations"] = result.evaluations;
  json["cpu_ms_per_evaluation"] = result.cpu_ms_per_evaluation;
  return json;
}

Json to_json(const SpaceSummary& space) {
  return {{"name", space.name},     {"kernel", space.kernel},
          {"device", space.device}, {"configurations", space.configurations},
          {"failed", space.failed}, {"optimum", space.optimum},
          {"median", space.median}, {"start_s", space.start_s},
          {"end_s", space.end_s},   {"end_evaluations", space.end_evaluations}};
}

Json to_json(const StrategyResults& results, const Comparison& comparison) {
  Json json{{"strategy", results.strategy}, {"overall", to_json(results.overall, comparison.checkpoints)}};
  for (std::size_t i = 0; i < results.spaces.size(); ++i)
    json["spaces"][comparison.spaces[i].name] = to_json(results.spaces[i], comparison.checkpoints);
  return json;
}

std::vector<std::string> csv_columns(const std::vector<std::size_t>& checkpoints) {
  std::vector<std::string> columns{"strategy", "space"};
  const auto add = [&](const std::string& name) { columns.insert(columns.end(), {name, name + "_error"}); };
  add("p_direct");
  add("p");
  for (std::size_t n : checkpoints) add(fmt::format("ratio_{}", n));
  for (double target : search::compare::targets) add(fmt::format("evaluations_to_{:g}", target));
  columns.insert(columns.end(), {"evaluations", "cpu_ms_per_evaluation"});
  return columns;
}

std::vector<Cell> csv_row(const std::string& strategy, const std::string& space, const Result& result) {
  std::vector<Cell> row{strategy, space};
  const auto add = [&](const search::compare::Figure& figure) {
    row.insert(row.end(), {cell(figure.value), cell(figure.error)});
  };
  add(result.score.p_direct);
  add(result.score.p);
  for (const search::compare::Figure& ratio : result.score.ratio) add(ratio);
  for (const search::compare::Figure& evaluations : result.score.evaluations_to) add(evaluations);
  row.insert(row.end(), {cell(result.evaluations), cell(result.cpu_ms_per_evaluation)});
  return row;
}

}  // namespace

std::string to_table(const Comparison& comparison, std::size_t width) {
  return overall_table(comparison).render(Format::table, width) + tables_by_space(comparison, width);
}

std::string to_json(const Comparison& comparison) {
  Json json = document("compare");
  json.update(Json{{"repeats", comparison.repeats},
                   {"seed", comparison.seed},
                   {"cutoff", {{"start", comparison.cutoff.start}, {"end", comparison.cutoff.end}}},
                   {"in_flight", comparison.in_flight},
                   {"slots", comparison.slots},
                   {"cpu_measured", comparison.cpu_measured},
                   {"cpu_charged", comparison.cpu_charged},
                   {"spaces", Json::array()},
                   {"strategies", Json::array()}});
  for (const SpaceSummary& space : comparison.spaces) json["spaces"].push_back(to_json(space));
  for (const StrategyResults& results : comparison.strategies)
    json["strategies"].push_back(to_json(results, comparison));
  return text_of(json);
}

std::string to_csv(const Comparison& comparison) {
  Table table(csv_columns(comparison.checkpoints));
  for (const StrategyResults& results : comparison.strategies) {
    for (std::size_t i = 0; i < results.spaces.size(); ++i)
      table.add(csv_row(results.strategy, comparison.spaces[i].name, results.spaces[i]));
    table.add(csv_row(results.strategy, "*", results.overall));
  }
  return table.render(Format::csv);
}

std::string render(const Comparison& comparison, Format format, std::size_t width) {
  if (format == Format::table) return to_table(comparison, width);
  return format == Format::csv ? to_csv(comparison) : to_json(comparison);
}

}  // namespace warptune::tuner::compare
