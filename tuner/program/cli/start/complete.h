// Finds what may follow on a command line, for all shells. Their scripts (completions.cpp) ask the program itself, so
// that they are never older than it.
#pragma once

#include <string>
#include <vector>

#include "tuner/program/cli/grammar/context.h"

namespace CLI {
class App;
}  // namespace CLI

namespace warptune::tuner::cli {

struct Candidate {
  std::string word;
  std::string meaning = {};
};

struct Candidates {
  std::vector<Candidate> words;
  bool files = false;    // names of files fit as well
  bool folders = false;  // or of folders alone
};

// A shell's script asks with this as the first argument, before the words of the line up to the cursor. It is handled
// before the options are parsed, for an unfinished line is no valid one.
inline constexpr char complete_verb[] = "complete";

// Returns what may stand in the place of the last word, which may be empty or begun. `words` are those of the line
// without the program's name. Never throws for what a user may have typed.
Candidates complete(const CLI::App& program, const std::vector<std::string>& words, const Context& context);

// Returns a line for each candidate, with a tab before what it means, and ":files" or ":folders" in the end.
std::string lines_of(const Candidates& candidates);

}  // namespace warptune::tuner::cli
