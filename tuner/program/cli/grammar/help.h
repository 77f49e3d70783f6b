// The text of --help: groups of options, one line each where it fits, with types that people understand.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace warptune::tuner::cli {

// How a check of an option says that its value is empty; `explanation` makes a sentence of it.
inline constexpr char no_value[] = "nothing was given";

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* verb, std::string name, CLI::AppFormatMode mode) const override;
};

// "--budget LIMIT ...", "-o, --output FILE"; of a positional "TEMPLATE".
std::string name_and_type(const CLI::Option& option);
// What it does, what it chooses from if the type does not say so, and its default in brackets.
std::string meaning(const CLI::Option& option);
// "warptune tune TEMPLATE [OPTIONS]". `name` as the user types it: "warptune tune".
std::string usage_of(const CLI::App& verb, const std::string& name);

// The options of a verb by heading, in the order of help; positionals come first, under "Arguments".
struct OptionGroup {
  std::string heading;
  std::vector<const CLI::Option*> options;
};
std::vector<OptionGroup> option_groups(const CLI::App& verb);

// The verbs of a program (or of a verb that has verbs of its own) by heading; hidden ones left out.
struct VerbGroup {
  std::string heading;
  std::vector<const CLI::App*> verbs;
};
std::vector<VerbGroup> verb_groups(const CLI::App& program);

// The verb that words like {"cache", "stats"} name. Throws std::invalid_argument that suggests the one that was meant.
CLI::App& find_verb(CLI::App& program, const std::vector<std::string>& words);

// What `warptune` alone says.
std::string first_steps();

// What a command line did wrong, in a sentence. The program has just failed to parse it.
std::string explanation(const CLI::App& program, const CLI::ParseError& error);

}  // namespace warptune::tuner::cli
