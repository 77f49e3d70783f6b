// Writes the names of a manifest and their values, as JSON and as rows, and builds the tables of domains and
// constraints.
#include "tuner/results/report/template_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/wrap.h"
#include "tuner/session/empty_space.h"

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

namespace {

// Lists the values that survive the constraints; long domains are cut.
std::string domain_text(const search::Parameter& parameter, const std::vector<std::uint32_t>& indices) {
  constexpr std::size_t longest = 70;
  std::string text;
  for (const std::uint32_t index : indices) {
    text += (text.empty() ? "" : " ") + search::to_text(parameter.values[index]);
    if (text.size() > longest) return text + " …";
  }
  return text;
}

const search::Value* default_of(const KernelTemplate* kernel, const std::string& parameter) {
  return kernel ? search::find_value(kernel->default_values, parameter) : nullptr;
}

// Returns what the template says the parameter is; empty if it does not.
std::string about(const KernelTemplate* kernel, const std::string& parameter) {
  if (!kernel) return {};
  const auto found = std::ranges::find(kernel->parameters, parameter, &search::Parameter::name);
  const auto number = static_cast<std::size_t>(found - kernel->parameters.begin());
  return number < kernel->about.size() ? kernel->about[number] : "";
}

Table domain_table(const search::SearchSpace& space, const KernelTemplate* kernel) {
  Table table({"parameter", "default", "declared", "possible", "values", "about"});
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const search::Parameter& parameter = space.parameters()[i];
    const auto& domain = space.domains()[i];
    const search::Value* usual = default_of(kernel, parameter.name);
    const std::string meaning = about(kernel, parameter.name);
    table.add({parameter.name, usual ? Cell(*usual) : Cell(), static_cast<std::int64_t>(parameter.values.size()),
               static_cast<std::int64_t>(domain.size()), domain_text(parameter, domain),
               meaning.empty() ? Cell() : Cell(meaning)});
  }
  return table;
}

// Lists what constraints reject, and only counts those that reject nothing: of many constraints most are limits of the
// device that nothing exceeds.
std::string kill_report(const search::SearchSpace& space, std::size_t width) {
  Table table({"constraint", "rejects_alone"});
  std::size_t idle = 0;
  for (const search::KillCount& count : space.kill_counts())
    if (count.alone && *count.alone == 0)
      ++idle;
    else
      table.add({count.constraint, count.alone ? Cell(search::to_text(*count.alone)) : std::nullopt});
  std::string text;
  if (!table.empty()) text += '\n' + table.render(Format::table, width);
  if (idle > 0)
    text += fmt::format("\n{} {} nothing\n", counted(idle, table.empty() ? "constraint" : "other constraint"),
                        idle == 1 ? "rejects" : "reject");
  return text;
}

std::string empty_text(const search::SearchSpace& space, std::size_t width) {
  std::vector<std::string> lines = why_empty(space);
  lines.front() = "The space is empty. " + lines.front();
  std::string text = "\n" + wrapped_text(lines.front(), width, 2) + '\n';
  for (std::size_t i = 1; i < lines.size(); ++i) text += "  " + wrapped_text(lines[i], width, 2) + '\n';
  return text;
}

}  // namespace

std::string space_report(const search::SearchSpace& space, const KernelTemplate* kernel, std::size_t width) {
  std::string text =
      fmt::format("Cartesian  {}\nValid      {}{}\n\n", space.cartesian_text(), search::to_text(space.size()),
                  space.exact() ? "" : " at most: counting was cut short");
  text += domain_table(space, kernel).render(Format::table, width);
  text += kill_report(space, width);
  if (space.empty()) text += empty_text(space, width);
  return text;
}

Table space_summary(const search::SearchSpace& space) {
  Table table({"cartesian", "valid", "exact", "parameter", "declared", "possible"});
  for (std::size_t i = 0; i < space.parameters().size(); ++i)
    table.add({space.cartesian_text(), search::to_text(space.size()), space.exact(), space.parameters()[i].name,
               static_cast<std::int64_t>(space.parameters()[i].values.size()),
               static_cast<std::int64_t>(space.domains()[i].size())});
  return table;
}

Json space_json(const search::SearchSpace& space, const KernelTemplate* kernel) {
  Json json = document("space");
  json["cartesian"] = count_json(space.cartesian_text());
  json["valid"] = count_json(search::to_text(space.size()));
  json["exact"] = space.exact();
  json["parameters"] = Json::array();
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const search::Parameter& parameter = space.parameters()[i];
    Json values = Json::array();
    for (const std::uint32_t index : space.domains()[i])
      values.push_back(std::visit([](const auto& value) -> Json { return value; }, parameter.values[index]));
    json["parameters"].push_back({{"parameter", parameter.name},
                                  {"declared", parameter.values.size()},
                                  {"possible", space.domains()[i].size()},
                                  {"values", std::move(values)}});
    const search::Value* usual = default_of(kernel, parameter.name);
    json["parameters"].back()["default"] =
        usual ? std::visit([](const auto& value) -> Json { return value; }, *usual) : Json(nullptr);
    json["parameters"].back()["about"] = json_or_null(about(kernel, parameter.name));
  }
  json["constraints"] = Json::array();
  for (const search::KillCount& count : space.kill_counts())
    json["constraints"].push_back(
        {{"constraint", count.constraint},
         {"rejects_alone", count.alone ? count_json(search::to_text(*count.alone)) : Json(nullptr)}});
  json["contradiction"] = space.empty() ? Json(space.contradiction()) : Json::array();
  return json;
}

Table configuration_table(const search::SearchSpace& space, const std::vector<search::Configuration>& configurations) {
  std::vector<std::string> columns;
  for (const search::Parameter& parameter : space.parameters()) columns.push_back(parameter.name);
  Table table(columns);
  for (const search::Configuration& configuration : configurations) {
    std::vector<Cell> row;
    for (auto& [name, value] : space.values(configuration)) row.emplace_back(value);
    table.add(std::move(row));
  }
  return table;
}

}  // namespace warptune::tuner
