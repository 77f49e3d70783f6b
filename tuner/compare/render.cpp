#include "tuner/compare/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace warptune::compare {

namespace {

using Json = nlohmann::ordered_json;

std::string number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string with_error(const Figure& figure, int digits) {
  if (!std::isfinite(figure.value)) return "-";
  return fmt::format("{:.{}f} ±{:.{}f}", figure.value, digits, figure.error, digits);
}

using Rows = std::vector<std::vector<std::string>>;

// Characters, not bytes: "±" is one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Columns two spaces apart; the first to the left, figures to the right.
std::string aligned(const Rows& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - width(row[i]), ' ');
      text += i == 0 ? row[i] + pad : "  " + pad + row[i];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::vector<const StrategyResults*> best_first(const Comparison& comparison) {
  std::vector<const StrategyResults*> order;
  for (const StrategyResults& results : comparison.strategies) order.push_back(&results);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->overall.score.p_direct.value > b->overall.score.p_direct.value;
  });
  return order;
}

std::string overall_table(const Comparison& comparison) {
  Rows rows(1, {"strategy", "P_direct", "P"});
  for (std::size_t n : checkpoints) rows[0].push_back(fmt::format("ratio@{}", n));
  for (double target : targets) rows[0].push_back(fmt::format("to {:g} %", target * 100));
  if (comparison.cpu_measured) rows[0].push_back("CPU ms/eval");
  for (const StrategyResults* results : best_first(comparison)) {
    const Score& score = results->overall.score;
    auto& row = rows.emplace_back(
        std::vector<std::string>{results->strategy, with_error(score.p_direct, 3), with_error(score.p, 3)});
    for (const Figure& ratio : score.ratio) row.push_back(number(ratio.value, 3));
    for (const Figure& evaluations : score.evaluations_to) row.push_back(number(evaluations.value, 1));
    if (comparison.cpu_measured) row.push_back(number(results->overall.cpu_ms_per_evaluation, 3));
  }
  return aligned(rows);
}

std::string table_by_space(const Comparison& comparison) {
  Rows rows(1, {"P_direct"});
  for (const SpaceSummary& space : comparison.spaces) rows[0].push_back(space.name);
  for (const StrategyResults* results : best_first(comparison)) {
    auto& row = rows.emplace_back(std::vector<std::string>{results->strategy});
    for (const Result& result : results->spaces) row.push_back(with_error(result.score.p_direct, 2));
  }
  return aligned(rows);
}

Json to_json(const Figure& figure) {
  return {{"value", figure.value}, {"error", figure.error}};
}

Json to_json(const Result& result) {
  Json json{{"p_direct", to_json(result.score.p_direct)}, {"p", to_json(result.score.p)}};
  for (std::size_t i = 0; i < checkpoints.size(); ++i)
    json["ratio_after"][std::to_string(checkpoints[i])] = to_json(result.score.ratio[i]);
  for (std::size_t i = 0; i < targets.size(); ++i)
    json["evaluations_to_within"][fmt::format("{:g}", targets[i])] = to_json(result.score.evaluations_to[i]);
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
  Json json{{"strategy", results.strategy}, {"overall", to_json(results.overall)}};
  for (std::size_t i = 0; i < results.spaces.size(); ++i)
    json["spaces"][comparison.spaces[i].name] = to_json(results.spaces[i]);
  return json;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string csv_figure(const Figure& figure) {
  return std::isfinite(figure.value) ? fmt::format(",{},{}", figure.value, figure.error) : ",,";
}

std::string csv_line(const std::string& strategy, const std::string& space, const Result& result) {
  std::string line = csv_field(strategy) + ',' + csv_field(space);
  line += csv_figure(result.score.p_direct) + csv_figure(result.score.p);
  for (const Figure& ratio : result.score.ratio) line += csv_figure(ratio);
  for (const Figure& evaluations : result.score.evaluations_to) line += csv_figure(evaluations);
  return line + fmt::format(",{},{}\r\n", result.evaluations, result.cpu_ms_per_evaluation);
}

std::string csv_header() {
  std::string line = "strategy,space,p_direct,p_direct_error,p,p_error";
  for (std::size_t n : checkpoints) line += fmt::format(",ratio_{0},ratio_{0}_error", n);
  for (double target : targets) line += fmt::format(",evaluations_to_{0:g},evaluations_to_{0:g}_error", target);
  return line + ",evaluations,cpu_ms_per_evaluation\r\n";
}

}  // namespace

std::string to_table(const Comparison& comparison) {
  return overall_table(comparison) + '\n' + table_by_space(comparison);
}

std::string to_json(const Comparison& comparison) {
  Json json{{"repeats", comparison.repeats},
            {"seed", comparison.seed},
            {"cutoff", {{"start", comparison.cutoff.start}, {"end", comparison.cutoff.end}}},
            {"in_flight", comparison.in_flight},
            {"slots", comparison.slots},
            {"cpu_measured", comparison.cpu_measured},
            {"cpu_charged", comparison.cpu_charged},
            {"spaces", Json::array()},
            {"strategies", Json::array()}};
  for (const SpaceSummary& space : comparison.spaces) json["spaces"].push_back(to_json(space));
  for (const StrategyResults& results : comparison.strategies)
    json["strategies"].push_back(to_json(results, comparison));
  return json.dump(2) + '\n';
}

std::string to_csv(const Comparison& comparison) {
  std::string text = csv_header();
  for (const StrategyResults& results : comparison.strategies) {
    for (std::size_t i = 0; i < results.spaces.size(); ++i)
      text += csv_line(results.strategy, comparison.spaces[i].name, results.spaces[i]);
    text += csv_line(results.strategy, "*", results.overall);
  }
  return text;
}

}  // namespace warptune::compare
