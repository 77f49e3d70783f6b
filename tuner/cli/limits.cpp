#include "tuner/cli/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "tuner/cli/numbers.h"

namespace warptune::tuner::cli {

namespace {

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What follows NAME: in the text.
std::optional<double> behind(std::string_view name, std::string_view text) {
  return text.starts_with(name) ? finite_number(text.substr(name.size())) : std::nullopt;
}

std::optional<double> seconds(const std::string& text) {
  const auto value = duration_s(text);
  return value && *value > 0 ? std::optional(std::min(*value, most_seconds)) : std::nullopt;
}

// "5", "5 trials", "1 trial".
std::optional<std::size_t> trials(std::string_view text) {
  for (const std::string_view unit : {"trials", "trial"}) {
    if (!text.ends_with(unit)) continue;
    text.remove_suffix(unit.size());
    text = text.substr(0, text.find_last_not_of(' ') + 1);
    break;
  }
  const auto number = whole_number(text);
  return number && *number > 0 ? std::optional<std::size_t>(*number) : std::nullopt;
}

}  // namespace

std::optional<double> duration_s(std::string_view text) {
  for (const auto& [unit, factor] : {std::pair('s', 1.0), std::pair('m', 60.0), std::pair('h', 3600.0)})
    if (text.size() > 1 && text.back() == unit)
      if (const auto value = finite_number(text.substr(0, text.size() - 1)); value && *value >= 0)
        return std::min(*value * factor, std::numeric_limits<double>::max());
  return std::nullopt;
}

void add_limit(search::BudgetLimits& limits, const std::string& text) {
  if (const auto time = seconds(text)) {
    limits.seconds = *time;
  } else if (const auto count = trials(text)) {
    limits.trials = *count;
  } else if (const auto idle =
                 text.starts_with("idle:") ? whole_number(std::string_view(text).substr(5)) : std::nullopt;
             idle && *idle > 0) {
    limits.stagnation = *idle;
  } else if (const auto target = behind("target:", text)) {
    limits.target = *target;
  } else if (const auto improvement = behind("improvement:", text); improvement && *improvement >= 0) {
    limits.min_expected_improvement = *improvement;
  } else {
    throw std::invalid_argument(fmt::format(
        "--budget {}: expected a time (60s, 5m, 1h), a number of trials (500 trials), idle:TRIALS, target:VALUE "
        "or improvement:FRACTION",
        text));
  }
}

void add_variant_option(CLI::App& verb, std::vector<std::string>& variants) {
  verb.add_option("--variant", variants, "a choice of the problem, as PRECISION=double")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE")
      ->take_all();
}

void add_size_option(CLI::App& verb, std::string& size) {
  verb.add_option("--size", size, "problem sizes, as M=1024,N=4k")->type_name("SIZES");
}

void add_preset_option(CLI::App& verb, std::string& preset) {
  verb.add_option("--preset", preset, "sizes and variants that the template names")->type_name("NAME");
}

std::string text_of_variants(const std::vector<std::string>& variants) {
  std::string text;
  for (const std::string& one : variants) text += (text.empty() ? "" : ",") + one;
  return text;
}

search::Value parse_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto number = integer(text)) return *number;
  if (const auto real = finite_number(text)) return *real;
  return text;
}

search::NamedValues parse_assignments(std::string_view option, const std::vector<std::string>& assignments) {
  search::NamedValues values;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      throw std::invalid_argument(fmt::format("{} {}: expected NAME=VALUE", option, assignment));
    values.emplace_back(assignment.substr(0, equals), parse_value(assignment.substr(equals + 1)));
  }
  return values;
}

void add_restrict_option(CLI::App& verb, std::vector<std::string>& restrictions) {
  verb.add_option("--restrict", restrictions, "a further constraint, as 'BLOCK == 256'")
      ->take_all()
      ->type_name("CONSTRAINT")
      ->allow_extra_args(false);
}

}  // namespace warptune::tuner::cli
