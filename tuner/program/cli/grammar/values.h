// Parses what users write behind options: numbers, times, budgets, assignments. Adds the options that choose a problem.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/budget.h"
#include "search/value.h"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace warptune::tuner::cli {

inline constexpr auto any_seed = std::numeric_limits<std::uint64_t>::max();
// This limit of rows is beyond any list that somebody reads, and fits every integer type.
inline constexpr std::uint64_t most_rows = 1'000'000'000;
// This is the limit of compilations in parallel, runs in parallel and configurations in flight.
inline constexpr std::uint64_t most_jobs = 1024;
// This limit of time-outs is a year. A longer time-out would be none.
inline constexpr double most_seconds = 366.0 * 24 * 3600;

// Returns the whole number that the entire text says; nothing for anything else.
std::optional<std::uint64_t> whole_number(std::string_view text);
// Returns the finite number that the entire text says; nothing for anything else.
std::optional<double> finite_number(std::string_view text);

// Parses "2G", "500M" or "4096" into bytes. Throws std::invalid_argument.
std::uint64_t parse_bytes(const std::string& text);

// Return checks of options, for `->check(…)`: the text must be such a number, and within both bounds. `zero_or_real`
// allows 0, too. CLI11's own conversions take -1 for an unsigned number, and its ranges take nan.
CLI::Validator whole(std::uint64_t least, std::uint64_t most);
CLI::Validator real(double least, double most);
CLI::Validator zero_or_real(double least, double most);

// This is the range of numbers that an option takes. `range_of` returns nothing for an option without a check by
// `whole` or `real`.
struct NumberRange {
  bool whole = false;
  double least = 0, most = 0;
};
std::optional<NumberRange> range_of(const CLI::Option& option);

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
