// Ranges of numeric options.
#include "tuner/cli/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace warptune::tuner::cli {

namespace {

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
  const std::string range = fmt::format("INT in [{} - {}]", least, most);
  return CLI::Validator(
      [=](const std::string& text) {
        const auto number = whole_number(text);
        if (number && *number >= least && *number <= most) return std::string();
        return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
      },
      range);
}

CLI::Validator real(double least, double most) {
  const std::string range = fmt::format("FLOAT in [{} - {}]", least, most);
  return CLI::Validator(
      [=](const std::string& text) {
        const auto number = finite_number(text);
        if (number && *number >= least && *number <= most) return std::string();
        return fmt::format("'{}' is no number from {} to {}", text, least, most);
      },
      range);
}

}  // namespace warptune::tuner::cli
