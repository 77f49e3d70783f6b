// Domains of parameters. Whatever a manifest says, they end: bounds near 2^63 must not wrap around.
#include "tuner/kernel/domain.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_set>

namespace warptune::tuner {

namespace {

constexpr std::uint64_t most_values = 1'000'000;

std::vector<search::Value> integer_range(const Node& node) {
  const auto& bounds = node.array();
  if (bounds.size() < 2 || bounds.size() > 3) node.fail("expected [first, last] or [first, last, step]");
  const std::int64_t first = bounds[0].integer(), last = bounds[1].integer();
  const std::int64_t step = bounds.size() == 3 ? bounds[2].integer() : 1;
  if (step <= 0 || last < first) node.fail("expected first <= last and a positive step");
  // Unsigned: the difference may exceed 2^63.
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

// The same for values that are the same: 1, 1.0 and true are.
std::string identity(const search::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return "'" + *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  const auto* real = std::get_if<double>(&value);
  if (real && std::abs(*real) < 0x1p62 && std::trunc(*real) == *real)
    return std::to_string(static_cast<std::int64_t>(*real));
  return search::to_text(value);
}

}  // namespace

std::vector<search::Value> read_domain(const Node& node) {
  const int given =
      (node.find("values") != nullptr) + (node.find("range") != nullptr) + (node.find("powers_of_two") != nullptr);
  if (given != 1) node.fail("expected exactly one of values, range, powers_of_two");
  if (const Node* range = node.find("range")) return integer_range(*range);
  if (const Node* powers = node.find("powers_of_two")) return powers_of_two(*powers);
  const Node& list = node.at("values");
  if (list.array().empty()) list.fail("expected at least one value");
  if (list.array().size() > most_values) list.fail("more than a million values");
  std::vector<search::Value> values;
  std::unordered_set<std::string> seen;
  for (const Node& item : list.array()) {
    if (!seen.insert(identity(item.value())).second)
      item.fail(fmt::format("the value {} is there twice", search::to_text(item.value())));
    values.push_back(item.value());
  }
  return values;
}

}  // namespace warptune::tuner
