// Finds the variables of the host that statements and calls may write to, and which code a condition or a loop
// controls.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/draft/facts/source_facts.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

struct WrittenArgument {
  std::size_t place = 0, position = 0;  // the variable's index among the body's tokens, and among the arguments
};

// Returns what the call whose function is at `at` may write to: &n, and n where one of the source's own functions takes
// a reference. What is known to be only read, as by printf and as the source of a copy, is left out.
std::vector<WrittenArgument> arguments_written_by(const SourceFacts& facts, TokenSpan body, std::size_t at);

// ControlledCode is the code that a condition or a loop controls: if (…) …; else …; for (…) …; while (…) …; do …;
struct ControlledCode {
  bool is_loop = false;
  std::size_t header = 0;          // the first token of the condition; `begin` if it has none
  std::size_t begin = 0, end = 0;  // the controlled code; `end` is behind it
  TokenSpan condition = {};        // only that of an `if`

  bool controls(std::size_t place) const { return begin <= place && place < end; }
  bool has_in_header(std::size_t place) const { return header <= place && place < begin; }
};

std::vector<ControlledCode> controlled_code(TokenSpan body);

// Returns the names that the tokens write to: n = 1, n += 2, n++, grid.x = 3 as "grid.x".
std::set<std::string> assigned_names(TokenSpan tokens);

// The next two functions return whether an operator at `at` changes the variable, as += and ++ do. `at` is the place
// behind the variable's name.
bool is_compound_assignment(TokenSpan tokens, std::size_t at);
bool is_step(TokenSpan tokens, std::size_t at);  // ++ or --

}  // namespace warptune::tuner::draft
