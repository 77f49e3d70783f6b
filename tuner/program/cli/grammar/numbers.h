// Parses numbers, and checks the ranges of numeric options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace warptune::tuner::cli
