// Writes the parts of an explanation as JSON, and the single changes as a table.
#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/results/report/explanation/explanation.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/launch_view.h"

namespace warptune::tuner {

namespace {

const char* state_name(Change::State state) {
  switch (state) {
    case Change::State::measured:
      return "measured";
    case Change::State::failed:
      return "failed";
    case Change::State::excluded:
      return "excluded";
    case Change::State::untried:
      break;
  }
  return "untried";
}

Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json difference_json(const std::optional<Difference>& difference) {
  if (!difference) return nullptr;
  return {
      {"estimate", finite(difference->estimate)}, {"low", finite(difference->low)}, {"high", finite(difference->high)}};
}

Json value_json(const search::Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json change_json(const Change& change) {
  const bool run = change.trial != 0;
  return {{"value", value_json(change.value)},
          {"state", state_name(change.state)},
          {"trial", run ? Json(change.trial) : Json(nullptr)},
          {"outcome", run ? Json(search::to_string(change.outcome)) : Json(nullptr)},
          {"slower_by", difference_json(change.difference)},
          {"rough", change.rough}};
}

Json changes_json(const std::vector<ParameterChanges>& all) {
  Json json = Json::array();
  for (const ParameterChanges& one : all) {
    Json changes = Json::array();
    for (const Change& change : one.changes) changes.push_back(change_json(change));
    json.push_back({{"parameter", one.parameter}, {"value", value_json(one.value)}, {"others", std::move(changes)}});
  }
  return json;
}

Json interactions_json(const Interactions& found) {
  const auto side = [](const Interaction::Side& one) {
    return Json{{"parameter", one.parameter}, {"value", value_json(one.value)}, {"cost", one.cost}};
  };
  Json strong = Json::array();
  for (const Interaction& one : found.strong)
    strong.push_back({{"changes", Json::array({side(one.a), side(one.b)})},
                      {"together", one.together},
                      {"expected", one.expected},
                      {"trial", one.trial}});
  return {{"pairs", found.pairs}, {"strong", std::move(strong)}};
}

Json importance_json(const ImportanceReport& report) {
  Json parameters = Json::array();
  for (const Importance& one : report.parameters)
    parameters.push_back({{"parameter", one.parameter}, {"loss", one.loss}});
  return {{"trials", report.trials},
          {"explained", report.explained},
          {"median_error", report.median_error},
          {"parameters", std::move(parameters)}};
}

Json coverage_json(const std::vector<ParameterCoverage>& all) {
  Json json = Json::array();
  for (const ParameterCoverage& one : all) {
    Json values = Json::array();
    for (const ValueCount& count : one.values)
      values.push_back({{"value", value_json(count.value)}, {"trials", count.trials}, {"correct", count.correct}});
    json.push_back({{"parameter", one.parameter}, {"values", std::move(values)}});
  }
  return json;
}

Json exclusions_json(const std::optional<Exclusions>& exclusions) {
  if (!exclusions) return nullptr;
  Json constraints = Json::array();
  for (const Exclusions::One& one : exclusions->constraints)
    constraints.push_back({{"constraint", one.constraint}, {"share", one.share}});
  return {{"combinations", count_json(exclusions->combinations)},
          {"valid", count_json(exclusions->valid)},
          {"constraints", std::move(constraints)}};
}

Json accuracy_json(const std::optional<AccuracyFront>& accuracy) {
  if (!accuracy) return nullptr;
  Json front = Json::array();
  for (const AccuracyFront::Point& point : accuracy->front)
    front.push_back({{"trial", point.trial}, {"time_ms", point.time_ms}, {"error", point.error}});
  return {{"metric", accuracy->metric}, {"front", std::move(front)}};
}

Json advice_json(const std::vector<Advice>& all) {
  Json json = Json::array();
  for (const Advice& one : all)
    json.push_back({{"kind", to_string(one.kind)},
                    {"parameter", json_or_null(one.parameter)},
                    {"value", one.value ? value_json(*one.value) : Json(nullptr)},
                    {"text", advice_text(one)}});
  return json;
}

Json view_json(const TrialView& view) {
  Json launches = Json::array();
  for (const LaunchView& launch : view.launches) launches.push_back(json_of(launch));
  return {{"trial", view.trial},
          {"launches", std::move(launches)},
          {"attainment", json_of(view.attainment)},
          {"roof_time_ms", json_or_null(view.roof_time_ms)}};
}

Json trial_json(const Evidence& evidence, const ExplainedTrial& trial) {
  if (!trial.trial) return nullptr;
  Json json = view_json(trial.view);
  json["slower_by"] = difference_json(cost_beside_winner(evidence, *trial.trial));
  json["differences"] = Json::array();
  for (const TrialDifference& one : trial.differences)
    json["differences"].push_back({{"parameter", one.parameter},
                                   {"value", value_json(one.value)},
                                   {"winner", value_json(one.winners)},
                                   {"alone", one.alone ? difference_json(one.alone->difference) : Json(nullptr)}});
  return json;
}

}  // namespace

Table change_table(const Explanation& explanation) {
  Table table({"parameter", "winner", "value", "state", "slower_by", "low", "high", "rough", "trial"});
  const auto cell = [](double value) { return std::isfinite(value) ? Cell(value) : Cell(); };
  for (const ParameterChanges& one : explanation.changes)
    for (const Change& change : one.changes) {
      const auto& difference = change.difference;
      table.add({one.parameter, one.value, change.value, std::string(state_name(change.state)),
                 difference ? cell(difference->estimate) : Cell(), difference ? cell(difference->low) : Cell(),
                 difference ? cell(difference->high) : Cell(), change.rough,
                 change.trial != 0 ? Cell(change.trial) : Cell()});
    }
  return table;
}

Json explanation_json(const Evidence& evidence, const Explanation& explanation, const ExplainedTrial& trial) {
  Json json = document("explain");
  add_findings(evidence.session, evidence.trials, evidence.winner, json);
  const SearchProgress& progress = explanation.progress;
  json["explanation"] = {{"winner", explanation.winner ? view_json(*explanation.winner) : Json(nullptr)},
                         {"single_changes", changes_json(explanation.changes)},
                         {"interactions", interactions_json(explanation.interactions)},
                         {"importance", importance_json(explanation.importance)},
                         {"progress",
                          {{"trials", progress.trials},
                           {"correct", progress.correct},
                           {"best_after", progress.best_after},
                           {"second_half_brought", json_or_null(progress.last_doubling)}}},
                         {"coverage", coverage_json(explanation.coverage)},
                         {"exclusions", exclusions_json(explanation.exclusions)},
                         {"accuracy", accuracy_json(explanation.accuracy)},
                         {"advice", advice_json(explanation.advice)}};
  json["trial"] = trial_json(evidence, trial);
  return json;
}

}  // namespace warptune::tuner
