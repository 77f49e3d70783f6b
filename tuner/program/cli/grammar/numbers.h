// Ranges of numeric options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace warptune::tuner::cli {

inline constexpr auto any_seed = std::numeric_limits<std::uint64_t>::max();
// Beyond any list that somebody reads, and what fits every integer type.
inline constexpr std::uint64_t most_rows = 1'000'000'000;
// Compiles in parallel, runs in parallel, configurations in flight.
inline constexpr std::uint64_t most_jobs = 1024;
// Longer time-outs are none; a year.
inline constexpr double most_seconds = 366.0 * 24 * 3600;

// A number that is the whole text; nothing for anything else.
std::optional<std::uint64_t> whole_number(std::string_view text);
// The same, and finite.
std::optional<double> finite_number(std::string_view text);

// "2G", "500M", "4096" -> bytes. Throws std::invalid_argument.
std::uint64_t parse_bytes(const std::string& text);

// Checks of options, for `->check(…)`: the text is such a number, and within both bounds. CLI11's own conversions take
// -1 for an unsigned number, and its ranges take nan.
CLI::Validator whole(std::uint64_t least, std::uint64_t most);
CLI::Validator real(double least, double most);
CLI::Validator zero_or_real(double least, double most);

// The range of an option with such a check; nothing for any other.
struct NumberRange {
  bool whole = false;
  double least = 0, most = 0;
};
std::optional<NumberRange> range_of(const CLI::Option& option);

}  // namespace warptune::tuner::cli
