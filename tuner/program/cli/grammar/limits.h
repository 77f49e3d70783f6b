#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/budget.h"
#include "search/value.h"

namespace warptune::tuner::cli {

// "60s", "1500ms", "1m30s", "1h", "1d" -> seconds; nothing for anything else, also for less than 0.
std::optional<double> duration_s(std::string_view text);
// The same, and plain seconds; of an option that took them alone once. At most `most_seconds`.
std::optional<double> plain_duration_s(std::string_view text);
CLI::Validator plain_duration();

// "60s", "1m30s", "1h" (time), "500" (trials), "idle:100" (trials without improvement), "target:1.5" (the objective),
// "improvement:0.001" (the improvement that the strategy still expects, relative to the best) into the limits. Throws
// std::invalid_argument that says what was expected.
void add_limit(search::BudgetLimits& limits, const std::string& text);

// "kick=3" … -> values: integers, floats, true/false, else text. Throws std::invalid_argument that names the `option`
// that they were given with.
search::NamedValues parse_assignments(std::string_view option, const std::vector<std::string>& assignments);
// The same of one text, with commas between: "TILE=16,UNROLL=4"; empty: none.
search::NamedValues parse_assignment_list(std::string_view option, const std::string& text);

// --restrict, of verbs that build a template's space.
void add_restrict_option(CLI::App& verb, std::vector<std::string>& restrictions);

// --variant, of verbs that choose a problem; `text_of_variants` is what parse_variants() takes.
void add_variant_option(CLI::App& verb, std::vector<std::string>& variants);
// --size, --preset, likewise.
void add_size_option(CLI::App& verb, std::string& size);
void add_preset_option(CLI::App& verb, std::string& preset);
std::string text_of_variants(const std::vector<std::string>& variants);

// A value as users write it.
search::Value parse_value(const std::string& text);

}  // namespace warptune::tuner::cli
