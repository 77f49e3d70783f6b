// Reads techniques, and checks the names in their effects.
#include "tuner/kernel/manifest/techniques.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "search/spelling.h"
#include "tuner/device/access_report.h"
#include "tuner/kernel/manifest/keys.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {

namespace {

void require_technique_name(const std::string& name, const Node& node) {
  const auto word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || !std::ranges::all_of(name, word)) node.fail("expected a name of letters, digits and '_'");
}

// Reads the values that a technique gives parameters or variants. `kind` is what the message calls them: "parameter",
// "variant".
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

// "naive.global_loads" becomes a name that expressions can have.
Effect read_effect(const Node& node, const std::string& text) {
  static const std::regex of_another("([A-Za-z_]\\w*)\\.([A-Za-z_]\\w*)");
  Effect effect{.text = text};
  std::string plain;
  auto rest = text.begin();
  for (std::sregex_iterator found(text.begin(), text.end(), of_another), end; found != end; ++found) {
    const std::string technique = (*found)[1], count = (*found)[2];
    const Effect::Term term{fmt::format("{}__of__{}", count, technique), technique, count};
    plain.append(rest, (*found)[0].first).append(term.name);
    rest = (*found)[0].second;
    if (std::ranges::find(effect.terms, term.name, &Effect::Term::name) == effect.terms.end())
      effect.terms.push_back(term);
  }
  try {
    effect.holds = search::Expression::parse(plain.append(rest, text.end()));
  } catch (const search::ExpressionError& error) {
    node.fail(fmt::format("{} in '{}'", error.what(), text));
  }
  return effect;
}

Technique read_technique(const std::string& name, const Node& table, const KernelTemplate& kernel) {
  require_technique_name(name, table);
  check_keys(table, keys::technique);
  Technique technique{.name = name, .about = table.at("about").string()};
  if (const Node* lecture = table.find("lecture")) technique.lecture = lecture->string();
  if (const Node* node = table.find("parameters"))
    technique.parameters = read_choices(*node, kernel.parameters, "parameter");
  if (const Node* node = table.find("variants")) technique.variants = read_choices(*node, kernel.variants, "variant");
  if (const Node* node = table.find("effect"))
    for (const std::string& text : node->strings()) technique.effects.push_back(read_effect(*node, text));
  return technique;
}

bool is_count(const std::string& name, const KernelTemplate& kernel) {
  for (std::size_t i = 0; i < count_kinds; ++i)
    if (name == name_of(static_cast<Count>(i))) return true;
  for (const std::string_view suffix : {"_loads", "_stores", "_atomics"})
    if (name.ends_with(suffix) && kernel.find_argument(name.substr(0, name.size() - suffix.size())) != nullptr)
      return true;
  return false;
}

bool is_of_problem(const std::string& name, const KernelTemplate& kernel) {
  const auto is_named = [&](const auto& each) { return each.name == name; };
  return search::find_value(kernel.sizes, name) != nullptr || std::ranges::any_of(kernel.parameters, is_named) ||
         std::ranges::any_of(kernel.variants, is_named);
}

void check_effect(const Effect& effect, const Node& node, const KernelTemplate& kernel,
                  const std::vector<Technique>& techniques) {
  for (const std::string& name : effect.holds.names()) {
    const auto term = std::ranges::find(effect.terms, name, &Effect::Term::name);
    const std::string& count = term == effect.terms.end() ? name : term->count;
    if (term != effect.terms.end() &&
        std::ranges::find(techniques, term->technique, &Technique::name) == techniques.end())
      node.fail(fmt::format("there is no technique '{}'", term->technique));
    if (!is_count(count, kernel) && !is_of_problem(count, kernel))
      node.fail(
          fmt::format("'{}' is no count, parameter, variant or size; `warptune run {} --count --format csv` "
                      "lists the counts",
                      count, kernel.name));
  }
}

}  // namespace

std::vector<Technique> read_techniques(const Node& node, const KernelTemplate& kernel) {
  std::vector<Technique> techniques;
  for (const auto& [name, table] : node.table()) techniques.push_back(read_technique(name, table, kernel));
  for (std::size_t i = 0; i < techniques.size(); ++i)
    for (const Effect& effect : techniques[i].effects)
      check_effect(effect, node.table()[i].second.at("effect"), kernel, techniques);
  return techniques;
}

const Technique& find_technique(const KernelTemplate& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.techniques, name, &Technique::name);
  if (found != kernel.techniques.end()) return *found;
  std::vector<std::string> names;
  for (const Technique& technique : kernel.techniques) names.push_back(technique.name);
  if (names.empty()) throw RequestError(fmt::format("{} names no techniques", kernel.name));
  throw RequestError(fmt::format("{} has no technique '{}'{}; it has {}", kernel.name, name,
                                 search::did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace warptune::tuner
