// Holds the one list of strategies, and makes a strategy by its name.
#include <algorithm>
#include <stdexcept>

#include "search/spelling.h"
#include "search/strategies/checked.h"
#include "search/strategies/entries.h"
#include "search/strategies/strategy.h"

namespace warptune::search {

namespace {

// Returns a text such as "'tabo' (did you mean tabu?); <there> a, b, c", for anything with names.
template <class Items>
std::string unknown_name(std::string_view name, const std::string& there, const Items& items) {
  std::vector<std::string> known;
  for (const auto& item : items) known.emplace_back(item.name);
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  if (list.empty()) list = "none";
  return "'" + std::string(name) + "'" + did_you_mean(name, known) + "; " + there + " " + list;
}

// Requires a number where the default is one, and so on. The strategy itself says which numbers are allowed.
void require_kind(const StrategyEntry& entry, const Hyperparameter& parameter, const Value& value) {
  const auto number = [](const Value& one) {
    return std::holds_alternative<std::int64_t>(one) || std::holds_alternative<double>(one);
  };
  const Value& usual = parameter.default_value;
  if (number(usual) ? number(value) : usual.index() == value.index()) return;
  const char* expected = number(usual) ? "a number" : std::holds_alternative<bool>(usual) ? "true or false" : "a word";
  throw std::invalid_argument("strategy " + std::string(entry.name) + ": the option " + std::string(parameter.name) +
                              " is " + to_text(value) + "; expected " + expected);
}

// Returns the user's options, with the strategy's defaults for those that are not given.
NamedValues complete_options(const StrategyEntry& entry, const NamedValues& given) {
  NamedValues options;
  for (const Hyperparameter& parameter : entry.hyperparameters) {
    const Value* value = find_value(given, parameter.name);
    if (value) require_kind(entry, parameter, *value);
    options.emplace_back(parameter.name, value ? *value : parameter.default_value);
  }
  for (const auto& [name, value] : given)
    if (!find_value(options, name))
      throw std::invalid_argument("strategy " + std::string(entry.name) + " has no option " +
                                  unknown_name(name, "it has", entry.hyperparameters));
  return options;
}

}  // namespace

const std::vector<StrategyEntry>& strategies() {
  static const std::vector<StrategyEntry> all = {
      automatic_strategy(),      random_strategy(),           spread_strategy(),
      exhaustive_strategy(),     hill_climbing_strategy(),    multi_start_strategy(),
      local_search_strategy(),   basin_hopping_strategy(),    tabu_strategy(),
      annealing_strategy(),      genetic_strategy(),          differential_evolution_strategy(),
      particle_swarm_strategy(), firefly_strategy(),          distribution_strategy(),
      bandit_strategy(),         gaussian_process_strategy(), random_forest_strategy(),
      parzen_strategy(),         repeat_strategy(),
  };
  return all;
}

bool learns_from_earlier(std::string_view name) {
  const auto entry = std::ranges::find(strategies(), name, &StrategyEntry::name);
  return entry != strategies().end() && entry->learns_from_earlier;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const StrategyContext& context) {
  const auto entry = std::ranges::find(strategies(), name, &StrategyEntry::name);
  if (entry == strategies().end())
    throw std::invalid_argument("there is no strategy " + unknown_name(name, "there are", strategies()));
  StrategyContext complete{context.space,
                           context.seed,
                           context.default_configuration,
                           context.trial_budget,
                           complete_options(*entry, context.options),
                           context.threads_per_block,
                           context.first_guess,
                           context.earlier};
  return checked(entry->make(complete), context.space);
}

}  // namespace warptune::search
