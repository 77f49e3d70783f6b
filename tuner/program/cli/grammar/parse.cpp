// Implements `warptune parse`, which checks whether a command line can be understood, without doing what it says. Tests
// check the examples of every help with it.
#include <algorithm>

#include "tuner/program/cli/grammar/help.h"
#include "tuner/program/cli/grammar/verbs.h"

namespace warptune::tuner::cli {

namespace {

void parse(std::vector<std::string> words) {
  CLI::App program;
  Context context;
  add_verbs(program, context);
  program.parse_complete_callback([] { throw CLI::Success(); });  // before any verb does anything
  std::reverse(words.begin(), words.end());                       // CLI11 takes the last word first
  try {
    program.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw std::invalid_argument(explanation(program, error));
  }
}

}  // namespace

void add_parse(CLI::App& program) {
  CLI::App* verb = program.add_subcommand("parse", "Check a command line: warptune parse -- VERB …");
  verb->group("");  // not listed
  auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("words", *words)->required();
  verb->callback([words] { parse(*words); });
}

}  // namespace warptune::tuner::cli
