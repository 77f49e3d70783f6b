// Writes the names of a manifest and their values, as JSON and as rows.
#include "tuner/results/report/template_report.h"

#include <algorithm>

namespace warptune::tuner {

namespace {

Json values_json(const search::Parameter& parameter) {
  Json values = Json::array();
  for (const search::Value& value : parameter.values)
    values.push_back(std::visit([](const auto& one) -> Json { return one; }, value));
  return values;
}

const search::Value& declared_default(const KernelTemplate& kernel, const search::Parameter& parameter) {
  const search::Value* value = search::find_value(kernel.default_values, parameter.name);
  return value ? *value : parameter.values.front();
}

Json parameters_json(const KernelTemplate& kernel) {
  Json parameters = Json::array();
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const search::Parameter& parameter = kernel.parameters[i];
    const search::NamedValues chosen{{"default", declared_default(kernel, parameter)}};
    Json json{{"parameter", parameter.name},
              {"about", json_or_null(i < kernel.about.size() ? kernel.about[i] : "")},
              {"values", values_json(parameter)}};
    json.update(json_from_values(chosen));
    parameters.push_back(std::move(json));
  }
  return parameters;
}

Json techniques_json(const KernelTemplate& kernel) {
  Json techniques = Json::array();
  for (const Technique& technique : kernel.techniques)
    techniques.push_back({{"technique", technique.name},
                          {"about", json_or_null(technique.about)},
                          {"lecture", json_or_null(technique.lecture)},
                          {"parameters", json_from_values(technique.parameters)},
                          {"variants", json_from_values(technique.variants)}});
  return techniques;
}

std::string joined(const search::Parameter& parameter) {
  std::string text;
  for (const search::Value& value : parameter.values) text += (text.empty() ? "" : " ") + search::to_text(value);
  return text;
}

}  // namespace

Table template_table(const std::vector<ListedTemplate>& templates) {
  Table table({"template", "summary", "sizes", "variants", "parameters", "techniques", "manifest", "error"});
  const auto count = [](const auto& list) { return Cell(static_cast<std::int64_t>(list.size())); };
  for (const auto& [name, manifest, kernel, error] : templates)
    table.add({name, kernel.summary.empty() ? Cell() : Cell(kernel.summary), count(kernel.sizes),
               count(kernel.variants), count(kernel.parameters), count(kernel.techniques), manifest.string(),
               error.empty() ? Cell() : Cell(error)});
  return table;
}

Json template_json(const KernelTemplate& kernel) {
  Json json{{"template", kernel.name},
            {"summary", json_or_null(kernel.summary)},
            {"manifest", kernel.manifest.string()},
            {"source", kernel.source.string()},
            {"backends", kernel.backends},
            {"sizes", json_from_values(kernel.sizes)},
            {"size_limits", kernel.size_limits}};
  json["variants"] = Json::array();
  for (const search::Parameter& variant : kernel.variants)
    json["variants"].push_back({{"variant", variant.name}, {"values", values_json(variant)}});
  json["presets"] = Json::object();
  for (const auto& [name, values] : kernel.presets) json["presets"][name] = json_from_values(values);
  json["parameters"] = parameters_json(kernel);
  json["constraints"] = kernel.constraints;
  json["techniques"] = techniques_json(kernel);
  json["metrics"] = Json::array();
  for (const Metric& metric : kernel.metrics) json["metrics"].push_back(metric.name);
  return json;
}

Table template_rows(const KernelTemplate& kernel) {
  Table table({"kind", "name", "values", "default", "about"});
  for (const auto& [name, value] : kernel.sizes) table.add({"size", name, Cell(), search::to_text(value), Cell()});
  for (const search::Parameter& one : kernel.variants)
    table.add({"variant", one.name, joined(one), search::to_text(one.values.front()), Cell()});
  for (const auto& [name, values] : kernel.presets)
    table.add({"preset", name, search::to_text(values), Cell(), Cell()});
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const search::Parameter& one = kernel.parameters[i];
    table.add({"parameter", one.name, joined(one), search::to_text(declared_default(kernel, one)),
               i < kernel.about.size() ? Cell(kernel.about[i]) : Cell()});
  }
  for (const Technique& technique : kernel.techniques) {
    search::NamedValues values = technique.parameters;
    values.insert(values.end(), technique.variants.begin(), technique.variants.end());
    table.add({"technique", technique.name, search::to_text(values), Cell(), technique.about});
  }
  for (const Metric& metric : kernel.metrics) table.add({"metric", metric.name, Cell(), Cell(), Cell()});
  return table;
}

std::string domain_with_default(const search::Parameter& parameter, const search::Value& chosen) {
  constexpr std::size_t most = 12, shown = 3;  // all of a domain, or so many at either end
  const std::size_t count = parameter.values.size();
  std::string text;
  bool left_out = false;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_default = search::to_text(parameter.values[i]) == search::to_text(chosen);
    if (count > most && i >= shown && i + shown < count && !is_default) {
      left_out = true;
      continue;
    }
    if (left_out) text += " …";
    left_out = false;
    const std::string value = search::to_text(parameter.values[i]);
    text += (text.empty() ? "" : " ") + (is_default ? '[' + value + ']' : value);
  }
  return text;
}

}  // namespace warptune::tuner
