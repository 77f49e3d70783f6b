// What may follow on a command line: the one place that knows, for all shells. Their scripts (completions.cpp) ask the
// program itself, so that they are never older than it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tuner/program/cli/grammar/context.h"

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

// The first argument with which a shell's script asks, before the words of the line up to the cursor. Handled before
// the options are parsed, for an unfinished line is no valid one.
inline constexpr char complete_verb[] = "complete";

// What may stand in the place of the last word, which may be empty or begun; the words before it are those of the line
// without the program's name. Never throws for what a user may have typed.
Candidates complete(const CLI::App& program, const std::vector<std::string>& words, const Context& context);

// A candidate a line, with a tab before what it means; ":files" or ":folders" in the end.
std::string lines_of(const Candidates& candidates);

}  // namespace warptune::tuner::cli
