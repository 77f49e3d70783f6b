// Declares what verbs' options have in common: the groups that `--help` shows them in, sets of words to choose from,
// and examples.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace warptune::tuner::cli {

// These are the headings of options, in the order in which help shows them. `verb.option_defaults()->group(…)` puts all
// options that follow under one.
namespace group {
inline constexpr char problem[] = "What to tune";
inline constexpr char budget[] = "When to stop";
inline constexpr char search[] = "How to search";
inline constexpr char measuring[] = "Measuring";
inline constexpr char compiling[] = "Compiling";
inline constexpr char sessions[] = "Which sessions";
inline constexpr char list[] = "The list";
inline constexpr char output[] = "Store and output";
}  // namespace group

// These are the headings of the list of verbs.
namespace verbs {
inline constexpr char start[] = "Start";
inline constexpr char tune[] = "Tune";
inline constexpr char results[] = "Results";
inline constexpr char store[] = "Store";
inline constexpr char program[] = "The program";
}  // namespace verbs

// Returns a check of an option that its value is one of these words. Help and completions read the words back from the
// check (`choices_of`).
CLI::Validator one_of(const std::vector<std::string>& words);
// Returns the words that an option chooses from; none if it takes anything.
std::vector<std::string> choices_of(const CLI::Option& option);

// An example is a command as users type it, and what it is for.
struct Example {
  std::string what;
  std::string command;
};
// Adds examples, which are shown at the end of the verb's help. Tests parse every command.
void add_examples(CLI::App& verb, const std::vector<Example>& examples);

}  // namespace warptune::tuner::cli
