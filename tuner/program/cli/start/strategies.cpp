// Implements `warptune strategies`, which lists the search strategies and their options.
#include "search/strategies/strategy.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"

namespace warptune::tuner::cli {

namespace {

void show_strategies(const Context& context) {
  Table table({"strategy", "option", "default", "summary"});
  for (const search::StrategyEntry& entry : search::strategies()) {
    table.add({std::string(entry.name), std::nullopt, std::nullopt, std::string(entry.summary)});
    for (const search::Hyperparameter& parameter : entry.hyperparameters)
      table.add({std::string(entry.name), std::string(parameter.name), parameter.default_value,
                 std::string(parameter.summary)});
  }
  context.print("strategies", "strategies", table);
}

}  // namespace

void add_strategies(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("strategies", "List the search strategies and their options");
  add_format_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(*verb, {{"the names and options for `tune --strategy`", "warptune strategies"}});
  verb->callback([&context] { show_strategies(context); });
}

}  // namespace warptune::tuner::cli
