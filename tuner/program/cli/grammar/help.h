// Makes the text of --help: groups of options, one line each where it fits, with types that people understand.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace warptune::tuner::cli {

// A check of an option returns this for an empty value; `explanation` makes a sentence of it.
inline constexpr char no_value[] = "nothing was given";

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* verb, std::string name, CLI::AppFormatMode mode) const override;
};

// Returns the names and the type of an option, as "--budget LIMIT ..." or "-o, --output FILE"; for a positional it
// returns its place, as "TEMPLATE".
std::string name_and_type(const CLI::Option& option);
// Returns what the option does, what it chooses from if the type does not say so, and its default in brackets.
std::string meaning(const CLI::Option& option);
// Returns "warptune tune TEMPLATE [OPTIONS]". `name` is the verb as the user types it: "warptune tune".
std::string usage_of(const CLI::App& verb, const std::string& name);

// A group is a heading and the options below it. `option_groups` returns a verb's groups in the order of help;
// positionals come first, under "Arguments".
struct OptionGroup {
  std::string heading;
  std::vector<const CLI::Option*> options;
};
std::vector<OptionGroup> option_groups(const CLI::App& verb);

// A group is a heading and the verbs below it. `verb_groups` returns the groups of a program, or of a verb that has
// verbs of its own, without hidden verbs.
struct VerbGroup {
  std::string heading;
  std::vector<const CLI::App*> verbs;
};
std::vector<VerbGroup> verb_groups(const CLI::App& program);

// Returns the verb that words like {"cache", "stats"} name. Throws std::invalid_argument that suggests the one that was
// meant.
CLI::App& find_verb(CLI::App& program, const std::vector<std::string>& words);

// Returns what `warptune` says when it is called without arguments.
std::string first_steps();

// Returns a sentence that says what is wrong with a command line, which the program has just failed to parse.
std::string explanation(const CLI::App& program, const CLI::ParseError& error);

}  // namespace warptune::tuner::cli
