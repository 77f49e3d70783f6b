#include "tuner/kernel/techniques.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "tuner/kernel/problem.h"

namespace warptune::tuner {

namespace {

void require_technique_name(const std::string& name, const Node& node) {
  const auto word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || !std::ranges::all_of(name, word)) node.fail("expected a name of letters, digits and '_'");
}

// `kind` is what the message calls them: "parameter", "variant".
search::NamedValues read_choices(const Node& node, const std::vector<search::Parameter>& domains, const char* kind) {
  search::NamedValues choices;
  for (const auto& [name, value] : node.table()) {
    const auto domain = std::ranges::find(domains, name, &search::Parameter::name);
    if (domain == domains.end()) value.fail(fmt::format("there is no {} '{}'", kind, name));
    const search::Value& chosen = value.value();
    if (std::ranges::none_of(domain->values,
                             [&](const search::Value& known) { return search::same_value(known, chosen); }))
      value.fail(fmt::format("{} is not a value of the {} {}", search::to_text(chosen), kind, name));
    choices.emplace_back(name, chosen);
  }
  return choices;
}

Technique read_technique(const std::string& name, const Node& table, const KernelTemplate& kernel) {
  require_technique_name(name, table);
  table.allow_only({"about", "lecture", "parameters", "variants"});
  Technique technique{.name = name, .about = table.at("about").string()};
  if (const Node* lecture = table.find("lecture")) technique.lecture = lecture->string();
  if (const Node* node = table.find("parameters"))
    technique.parameters = read_choices(*node, kernel.parameters, "parameter");
  if (const Node* node = table.find("variants")) technique.variants = read_choices(*node, kernel.variants, "variant");
  return technique;
}

}  // namespace

std::vector<Technique> read_techniques(const Node& node, const KernelTemplate& kernel) {
  std::vector<Technique> techniques;
  for (const auto& [name, table] : node.table()) techniques.push_back(read_technique(name, table, kernel));
  return techniques;
}

const Technique& find_technique(const KernelTemplate& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.techniques, name, &Technique::name);
  if (found != kernel.techniques.end()) return *found;
  std::vector<std::string> names;
  for (const Technique& technique : kernel.techniques) names.push_back(technique.name);
  if (names.empty()) throw RequestError(fmt::format("{} names no techniques", kernel.name));
  throw RequestError(fmt::format("{} has no technique '{}'; it has {}", kernel.name, name, fmt::join(names, ", ")));
}

}  // namespace warptune::tuner
