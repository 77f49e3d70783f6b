// Parses numbers, times, limits and values, keeps the range of a check in the check's name, and refuses limits that
// contradict each other.
#include "tuner/program/cli/grammar/values.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "search/assignments.h"

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

namespace {

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse_limit(const std::string& text, const std::string& expected) {
  throw std::invalid_argument(fmt::format("--budget {}: {}", text, expected));
}

// Returns whether a text reads as a number, whatever its value: also 0, nan and what no double can hold.
bool reads_as_number(std::string_view text) {
  double value = 0;
  return !text.empty() &&
         std::from_chars(text.data(), text.data() + text.size(), value).ptr == text.data() + text.size();
}

// A part of a time is a number with its unit. `time_parts` splits "1m30s" into {"1", 60} and {"30", 1}, where each unit
// is smaller than the one before; it returns nothing for what is no such list.
struct TimePart {
  std::string_view number;
  double unit_s;
};
std::vector<TimePart> time_parts(std::string_view text) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"d", 86400}, {"h", 3600}, {"ms", 1e-3}, {"m", 60}, {"s", 1}};
  std::vector<TimePart> parts;
  while (!text.empty()) {
    double ignored = 0;
    const char* const end = std::from_chars(text.data(), text.data() + text.size(), ignored).ptr;
    const std::string_view number = text.substr(0, static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(number.size());
    const auto* const unit = std::ranges::find_if(units, [&](const auto& one) { return text.starts_with(one.first); });
    if (number.empty() || unit == std::end(units)) return {};
    if (!parts.empty() && unit->second >= parts.back().unit_s) return {};
    parts.push_back({number, unit->second});
    text.remove_prefix(unit->first.size());
  }
  return parts;
}

double seconds(const std::string& text) {
  const auto value = duration_s(text);
  if (!value || *value <= 0 || *value > most_seconds)
    refuse_limit(text,
                 fmt::format("a time must be above 0s and at most {:g}h, as 60s, 1m30s or 1h", most_seconds / 3600));
  return *value;
}

// Returns "5" for "5" and "5 trials", and "1" for "1 trial".
std::string_view without_unit(std::string_view text) {
  for (const std::string_view unit : {"trials", "trial"}) {
    if (!text.ends_with(unit)) continue;
    text.remove_suffix(unit.size());
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }
  return text;
}

std::size_t trials(const std::string& text, std::string_view number) {
  const auto value = whole_number(number);
  if (!value || *value == 0) refuse_limit(text, "trials are a whole number, at least 1");
  return *value;
}

// Parses a target, and refuses it if the limits have another one. Which of two targets is reached first depends on the
// objective, of which more may be better.
double target(const std::string& text, std::string_view number, const search::BudgetLimits& limits) {
  const auto value = finite_number(number);
  if (!value) refuse_limit(text, "a target is a number, as target:1.5");
  if (limits.target && *limits.target != *value)
    refuse_limit(text, fmt::format("there is a target already, {:g}; name one", *limits.target));
  return *value;
}

double improvement(const std::string& text, std::string_view number) {
  const auto value = finite_number(number);
  if (!value || *value < 0 || *value > 1)
    refuse_limit(text, "an improvement is a fraction from 0 to 1, as improvement:0.001 for 0.1 %");
  return *value;
}

// Keeps the smaller of two limits of a kind, which is reached first.
template <class T>
void take_smaller(std::optional<T>& limit, T value) {
  limit = std::min(limit.value_or(value), value);
}

}  // namespace

std::optional<double> duration_s(std::string_view text) {
  const std::vector<TimePart> parts = time_parts(text);
  if (parts.empty()) return std::nullopt;
  double sum_s = 0;
  for (const TimePart& part : parts) {
    const auto value = finite_number(part.number);
    if (!value || *value < 0) return std::nullopt;
    sum_s += *value * part.unit_s;
  }
  return std::min(sum_s, std::numeric_limits<double>::max());
}

std::optional<double> plain_duration_s(std::string_view text) {
  const auto plain = finite_number(text);
  const auto value = plain ? plain : duration_s(text);
  return value && *value >= 0 && *value <= most_seconds ? value : std::nullopt;
}

CLI::Validator plain_duration() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        if (plain_duration_s(text)) return {};
        return fmt::format("'{}' is no time: name seconds, or a time as 90s, 1m30s or 2h", text);
      },
      "");
}

void add_limit(search::BudgetLimits& limits, const std::string& text) {
  const std::string_view name = std::string_view(text).substr(0, text.find(':') + 1);
  const std::string_view value = std::string_view(text).substr(name.size());
  if (name == "idle:")
    take_smaller(limits.stagnation, trials(text, value));
  else if (name == "target:")
    limits.target = target(text, value, limits);
  else if (name == "improvement:")
    limits.min_expected_improvement = std::max(limits.min_expected_improvement.value_or(0), improvement(text, value));
  else if (!time_parts(text).empty())
    take_smaller(limits.seconds, seconds(text));
  else if (const std::string_view number = without_unit(text); reads_as_number(number))
    take_smaller(limits.trials, trials(text, number));
  else
    refuse_limit(text,
                 "expected a time (60s, 1m30s, 1h), a number of trials (500 trials), idle:TRIALS, target:VALUE or "
                 "improvement:FRACTION");
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
  verb.add_option("--preset", preset, "a named set of sizes and variants")->type_name("NAME");
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
    const std::string name = assignment.substr(0, equals);
    if (search::find_value(values, name))
      throw std::invalid_argument(fmt::format("{} {}: {} was given a value before", option, assignment, name));
    values.emplace_back(name, parse_value(assignment.substr(equals + 1)));
  }
  return values;
}

search::NamedValues parse_assignment_list(std::string_view option, const std::string& text) {
  return parse_assignments(option, search::split_assignments(text));
}

void add_restrict_option(CLI::App& verb, std::vector<std::string>& restrictions) {
  verb.add_option("--restrict", restrictions, "a further constraint, as 'BLOCK == 256'")
      ->take_all()
      ->type_name("CONSTRAINT")
      ->allow_extra_args(false);
}

}  // namespace warptune::tuner::cli
