#include "tuner/cli/limits.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace warptune::tuner::cli {

namespace {

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> seconds(const std::string& text) {
  for (const auto& [unit, factor] : {std::pair("s", 1.0), std::pair("m", 60.0), std::pair("h", 3600.0)})
    if (text.size() > 1 && text.ends_with(unit))
      if (const auto value = number<double>(std::string_view(text).substr(0, text.size() - 1))) return *value * factor;
  return std::nullopt;
}

}  // namespace

void add_limit(search::BudgetLimits& limits, const std::string& text) {
  if (const auto time = seconds(text); time && *time > 0) {
    limits.seconds = *time;
  } else if (const auto trials = number<std::size_t>(text); trials && *trials > 0) {
    limits.trials = *trials;
  } else if (const auto idle =
                 text.starts_with("idle:") ? number<std::size_t>(std::string_view(text).substr(5)) : std::nullopt) {
    limits.stagnation = *idle;
  } else if (const auto target =
                 text.starts_with("target:") ? number<double>(std::string_view(text).substr(7)) : std::nullopt) {
    limits.target = *target;
  } else if (const auto gain =
                 text.starts_with("gain:") ? number<double>(std::string_view(text).substr(5)) : std::nullopt) {
    limits.min_expected_improvement = *gain;
  } else {
    throw std::invalid_argument(
        fmt::format("--budget {}: expected a time (60s, 5m, 1h), a number of trials (500), idle:TRIALS, target:VALUE "
                    "or gain:FRACTION",
                    text));
  }
}

search::Value parse_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto integer = number<std::int64_t>(text)) return *integer;
  if (const auto real = number<double>(text)) return *real;
  return text;
}

search::NamedValues parse_strategy_options(const std::vector<std::string>& options) {
  search::NamedValues values;
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0)
      throw std::invalid_argument(fmt::format("--strategy-option {}: expected NAME=VALUE", option));
    values.emplace_back(option.substr(0, equals), parse_value(option.substr(equals + 1)));
  }
  return values;
}

void add_restrict_option(CLI::App& verb, std::vector<std::string>& restrictions) {
  verb.add_option("--restrict", restrictions,
                  "a further constraint over parameters, sizes and device limits, as 'BLOCK == 256'; repeatable. A "
                  "session of its own: the same restrictions continue it")
      ->take_all()
      ->allow_extra_args(false);
}

}  // namespace warptune::tuner::cli
