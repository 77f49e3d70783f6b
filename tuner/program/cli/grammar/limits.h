// Parses budgets, times and assignments of command lines, and adds the options that choose a problem.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/budget.h"
#include "search/value.h"

namespace warptune::tuner::cli {

// Parses "60s", "1500ms", "1m30s", "1h" or "1d" into seconds; returns nothing for anything else, also for less than 0.
std::optional<double> duration_s(std::string_view text);
// Parses such a time or plain seconds, for options that once took plain seconds alone. Returns nothing for more than
// `most_seconds`.
std::optional<double> plain_duration_s(std::string_view text);
// Returns the check of such an option.
CLI::Validator plain_duration();

// Adds a limit to the limits: "60s", "1m30s", "1h" (time), "500" (trials), "idle:100" (trials without improvement),
// "target:1.5" (the objective), "improvement:0.001" (the improvement that the strategy still expects, relative to the
// best). Throws std::invalid_argument that says what was expected.
void add_limit(search::BudgetLimits& limits, const std::string& text);

// Parses assignments such as "kick=3" into values: integers, floats, true/false, else text. Throws
// std::invalid_argument that names the `option` that they were given with.
search::NamedValues parse_assignments(std::string_view option, const std::vector<std::string>& assignments);
// Parses assignments in one text, with commas between them: "TILE=16,UNROLL=4". An empty text has none.
search::NamedValues parse_assignment_list(std::string_view option, const std::string& text);

// Adds --restrict to a verb that builds a template's space.
void add_restrict_option(CLI::App& verb, std::vector<std::string>& restrictions);

// Adds --variant to a verb that chooses a problem; `text_of_variants` returns what parse_variants() takes.
void add_variant_option(CLI::App& verb, std::vector<std::string>& variants);
// Add --size and --preset to a verb that chooses a problem.
void add_size_option(CLI::App& verb, std::string& size);
void add_preset_option(CLI::App& verb, std::string& preset);
std::string text_of_variants(const std::vector<std::string>& variants);

// Parses a value as users write it.
search::Value parse_value(const std::string& text);

}  // namespace warptune::tuner::cli
