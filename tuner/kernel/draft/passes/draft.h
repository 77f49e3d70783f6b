// Holds a manifest in the making: what `init` knows, guesses and leaves blank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/kernel/draft/expressions/naming.h"

namespace warptune::tuner::draft {

// This text stands where a value is missing. The manifest's reader stops there until somebody writes the value.
inline constexpr char blank[] = "TODO";

// On every device, a block has at most this many threads.
inline constexpr std::int64_t most_threads_of_block = 1024;

struct SizeDraft {
  std::string name;
  std::int64_t value = 0, on_host = 0;
  bool define = false;  // the source knows it as a macro or constant
  std::string comment;
  bool is_guess = false;  // no code gives the value
  std::string macro;      // what the source calls it where `define` is set; empty: its name
};

struct ParameterDraft {
  std::string name;
  std::vector<std::int64_t> values;
  std::int64_t fallback = 0;
  bool flag = false;  // false, true
  std::string about, comment;
  Use use = Use::unknown;
  std::string macro;  // what the source calls it; empty: its name
};

struct ArgumentDraft {
  std::string name, type;
  bool temporary = false;
  std::string value;  // of a scalar
  std::string shape;  // of a buffer
  std::string role = "input", fill, tolerance, symbol, reference_type;
  bool nondeterministic = false;
  bool compares_sum = false;
  std::vector<std::string> comments;
};

struct LaunchDraft {
  std::string kernel;
  std::vector<std::string> grid, block;
  std::string shared;
  bool cooperative = false;
  std::vector<std::string> arguments;
  std::vector<std::string> comments;
};

struct ReferenceDraft {
  std::string source, function;  // of a C++ function; empty: `launches`, or else the default configuration
  std::vector<std::string> arguments;
  std::vector<LaunchDraft> launches;
};

struct Draft {
  std::string name, summary, source;
  bool whole_program = false;
  std::vector<SizeDraft> sizes;
  std::vector<ParameterDraft> parameters, proposals;
  std::vector<std::string> constraints;
  std::vector<ArgumentDraft> arguments;
  std::vector<LaunchDraft> launches;
  ReferenceDraft reference;
  std::vector<std::string> blanks;   // what a person has to fill in, a sentence each
  std::vector<std::string> guesses;  // what a person should look at

  const ParameterDraft* find_parameter(const std::string& name) const;
  const SizeDraft* find_size(const std::string& name) const;
  SizeDraft* find_size(const std::string& name);
  ArgumentDraft* find_argument(const std::string& name);
};

// Adds a parameter with the usual values of such a use, unless there is one of the name, and returns it.
ParameterDraft& add_parameter(Draft& draft, const std::string& name, Use use, std::int64_t value,
                              const std::string& comment);

// Adds the constraint, unless it is there already or holds even for the largest values.
void add_constraint(Draft& draft, const std::string& text);

// Returns the value of the text at the default configuration, or std::nullopt where a name has no value.
std::optional<std::int64_t> value_by_default(const Draft& draft, const std::string& text,
                                             std::int64_t SizeDraft::*of_size);

// Returns whether the condition holds at the default configuration, or cannot be evaluated.
bool holds_by_default(const Draft& draft, const std::string& condition);

// Returns the expression with other names for the sizes and parameters that a manifest takes for something else
// (reserved_names.cpp), so that it can be evaluated.
std::string evaluable(const Draft& draft, std::string expression);

}  // namespace warptune::tuner::draft
