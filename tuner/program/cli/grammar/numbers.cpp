// Parses numbers, and keeps the range of a check in the check's name.
#include "tuner/program/cli/grammar/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace warptune::tuner::cli {

namespace {

// Checks have no description, since help shows options without their ranges. Only the message about a number outside
// the range names it.
constexpr char nothing_to_describe[] = "";

// A check keeps its kind and its range in its name, which nobody is shown; `range_of` reads them back.
constexpr char whole_name[] = "whole", real_name[] = "real";

template <class T>
std::string range_name(const char* kind, T least, T most) {
  return fmt::format("{} {} {}", kind, least, most);
}

template <class T>
std::optional<T> parse_all(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  return parse_all<std::uint64_t>(text);
}

std::optional<double> finite_number(std::string_view text) {
  const auto number = parse_all<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

CLI::Validator whole(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [=](const std::string& text) {
        const auto number = whole_number(text);
        if (number && *number >= least && *number <= most) return std::string();
        return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
      },
      nothing_to_describe, range_name(whole_name, least, most));
}

CLI::Validator real(double least, double most) {
  return CLI::Validator(
      [=](const std::string& text) {
        const auto number = finite_number(text);
        if (number && *number >= least && *number <= most) return std::string();
        return fmt::format("'{}' is no number from {} to {}", text, least, most);
      },
      nothing_to_describe, range_name(real_name, least, most));
}

CLI::Validator zero_or_real(double least, double most) {
  return CLI::Validator(
      [=](const std::string& text) {
        const auto number = finite_number(text);
        if (number && (*number == 0 || (*number >= least && *number <= most))) return std::string();
        return fmt::format("'{}' is neither 0 nor a number from {} to {}", text, least, most);
      },
      nothing_to_describe);
}

std::optional<NumberRange> range_of(const CLI::Option& option) {
  for (int i = 0;; ++i) {
    try {
      // CLI11 cannot say how many checks an option has, and gives no check of a constant option.
      std::istringstream name(const_cast<CLI::Option&>(option).get_validator(i)->get_name());
      std::string kind;
      NumberRange range;
      if (name >> kind >> range.least >> range.most && (kind == whole_name || kind == real_name)) {
        range.whole = kind == whole_name;
        return range;
      }
    } catch (const CLI::OptionNotFound&) {
      return std::nullopt;
    }
  }
}

std::uint64_t parse_bytes(const std::string& text) {
  const std::string_view units = "kMGT";
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const std::size_t power = unit.empty() ? 0 : units.find(unit) + 1;
  if (error != std::errc() || unit.size() > 1 || (!unit.empty() && power == 0))
    throw std::invalid_argument(fmt::format("'{}' is no size: expected bytes, or a number with k, M, G or T", text));
  if (number > UINT64_MAX >> (10 * power))
    throw std::invalid_argument(fmt::format("'{}' is more than 2^64 bytes", text));
  return number << (10 * power);
}

}  // namespace warptune::tuner::cli
