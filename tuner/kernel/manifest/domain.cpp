// Reads domains of parameters. A domain is finite whatever a manifest says: bounds near 2^63 must not wrap around.
#include "tuner/kernel/manifest/domain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tuner/kernel/manifest/keys.h"

namespace warptune::tuner {

namespace {

constexpr std::uint64_t most_values = 1'000'000;

std::vector<search::Value> integer_range(const Node& node) {
  const auto& bounds = node.array();
  if (bounds.size() < 2 || bounds.size() > 3) node.fail("expected [first, last] or [first, last, step]");
  const std::int64_t first = bounds[0].integer(), last = bounds[1].integer();
  const std::int64_t step = bounds.size() == 3 ? bounds[2].integer() : 1;
  if (step <= 0 || last < first) node.fail("expected first <= last and a positive step");
  // The arithmetic is unsigned, because the difference may exceed 2^63.
  const std::uint64_t steps =
      (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)) / static_cast<std::uint64_t>(step);
  if (steps >= most_values) node.fail("more than a million values");
  std::vector<search::Value> values;
  values.reserve(steps + 1);
  for (std::uint64_t i = 0; i <= steps; ++i) values.emplace_back(first + static_cast<std::int64_t>(i) * step);
  return values;
}

std::vector<search::Value> powers_of_two(const Node& node) {
  const auto& bounds = node.array();
  if (bounds.size() != 2) node.fail("expected [first, last]");
  const std::int64_t first = bounds[0].integer(), last = bounds[1].integer();
  if (first < 1 || (first & (first - 1)) != 0 || last < first || last > (std::int64_t{1} << 62))
    node.fail("expected a power of two to start from, and last from it to 2^62");
  std::vector<search::Value> values;
  for (auto value = static_cast<std::uint64_t>(first); value <= static_cast<std::uint64_t>(last); value *= 2)
    values.emplace_back(static_cast<std::int64_t>(value));
  return values;
}

// Returns the same text for values that are the same. 1, 1.0 and true are the same.
std::string identity(const search::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return "'" + *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  const auto* real = std::get_if<double>(&value);
  if (real && std::abs(*real) < 0x1p62 && std::trunc(*real) == *real)
    return std::to_string(static_cast<std::int64_t>(*real));
  return search::to_text(value);
}

const char* kind_of(const search::Value& value) {
  if (std::holds_alternative<std::string>(value)) return "a string";
  return std::holds_alternative<bool>(value) ? "a boolean" : "a number";
}

// Returns whether a value is a number in quotes: "32", "-1", "0.5". A person who writes this wants the number.
bool is_quoted_number(const search::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (!text) return false;
  static constexpr std::string_view characters = "0123456789.eE+-";
  const bool like_one = text->find_first_not_of(characters) == std::string::npos;
  char* end = nullptr;
  std::strtod(text->c_str(), &end);
  return like_one && !text->empty() && end == text->c_str() + text->size();
}

// Fails if values are of several types, or if all are numbers in quotes. Text compares and computes as no number does,
// so that the first expression with the parameter would fail.
void require_one_kind(const Node& list) {
  const auto& items = list.array();
  const search::Value& first = items.front().value();
  for (const Node& item : items)
    if (kind_of(item.value()) != std::string_view(kind_of(first)))
      item.fail(fmt::format("expected values of one type: {} is {}, and {} is {}", search::to_text(first),
                            kind_of(first), search::to_text(item.value()), kind_of(item.value())));
  if (std::ranges::all_of(items, [](const Node& item) { return is_quoted_number(item.value()); }))
    list.fail(
        fmt::format("these are strings, which no expression can compute with. Leave the quotes out: {}, not \"{}\"",
                    search::to_text(first), search::to_text(first)));
}

}  // namespace

std::vector<search::Value> read_domain(const Node& node) {
  const int given =
      (node.find("values") != nullptr) + (node.find("range") != nullptr) + (node.find("powers_of_two") != nullptr);
  if (given != 1)
    node.fail(fmt::format("expected exactly one of {}", fmt::join(keys_of(keys::parameter, Presence::one), ", ")));
  if (const Node* range = node.find("range")) return integer_range(*range);
  if (const Node* powers = node.find("powers_of_two")) return powers_of_two(*powers);
  const Node& list = node.at("values");
  if (list.array().empty()) list.fail("expected at least one value");
  if (list.array().size() > most_values) list.fail("more than a million values");
  require_one_kind(list);
  std::vector<search::Value> values;
  std::unordered_set<std::string> seen;
  for (const Node& item : list.array()) {
    if (!seen.insert(identity(item.value())).second)
      item.fail(fmt::format("the value {} is there twice", search::to_text(item.value())));
    values.push_back(item.value());
  }
  return values;
}

std::string shown_domain(const std::vector<search::Value>& values) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + search::to_text(values[i]);
  return values.size() > most ? fmt::format("{} … ({} values)", text, values.size()) : text;
}

}  // namespace warptune::tuner
