// Finds the statements of a function's body that a condition or a loop controls.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

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
