// Makes names and texts from stores and wisdom files harmless in source code.
#include "tuner/results/exporters/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "db/settled.h"
#include "search/expression/expression.h"
#include "search/plain_text.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {

namespace {

// No member, enumerator or namespace can be called by one of these names. They are the keywords of C++ and C with their
// alternative tokens; macros that GNU dialects and the standard library's usual headers define; and a header's own
// types (header.cpp).
constexpr std::string_view taken =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class "
    "compl concept const const_cast consteval constexpr constinit continue co_await co_return co_yield decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
    "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast "
    "struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned using "
    "virtual void volatile wchar_t while xor xor_eq EOF INFINITY NAN NULL i386 linux unix Configuration "
    "ProblemSize ";

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') result += '\\';  // two question marks begin a trigraph
    if (byte < 0x20 || byte >= 0x7f)
      result += fmt::format("\\{:03o}", byte);
    else
      result += c;
  }
  return result + '"';
}

// Makes a text safe within a comment of either kind, wherever the line ends. The result has nothing that ends or begins
// a comment, and no trigraph, which could be a backslash at the line's end.
std::string comment_text(const std::string& text) {
  std::string result;
  for (char c : search::printable(text, search::Lines::escape)) {
    if (c == '\\') c = ' ';
    const char last = result.empty() ? '\0' : result.back();
    if ((last == '*' && c == '/') || (last == '/' && (c == '*' || c == '/')) || (last == '?' && c == '?'))
      result += ' ';
    result += c;
  }
  return result;
}

std::string figures(const WisdomEntry& entry) {
  // After one visit in the finals the error is unknown.
  const auto known = db::known_error(entry.relative_error);
  const std::string error = known ? fmt::format("{:.1f} %", 100 * *known) : "unknown";
  std::string text = fmt::format("{:.4g} ms +- {}", entry.time_ms, error);
  if (!entry.separable)
    text += ", not separable from the default";
  else if (entry.gain)
    text += fmt::format(", {:.3g} times as good as the default ({}){}", *entry.gain, entry.provenance.objective,
                        entry.of_search_alone ? " in the search, not confirmed by finals" : "");
  return text;
}

}  // namespace

std::string identifier(const std::string& name) {
  std::string result = name;
  std::ranges::replace_if(
      result, [](unsigned char c) { return !std::isalnum(c); }, '_');
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result.front()))) result.insert(result.begin(), '_');
  if (taken.find(' ' + result + ' ') != taken.npos) result += '_';
  return result;
}

std::vector<std::string> identifiers(const search::NamedValues& values) {
  std::vector<std::string> names;
  std::unordered_set<std::string> given;
  for (const auto& [name, value] : values) {
    std::string unique = identifier(name);
    while (!given.insert(unique).second) unique += '_';
    names.push_back(std::move(unique));
  }
  return names;
}

std::string macro_name(const std::string& name) {
  return search::upper_case(identifier(name));
}

std::string literal(double number) {
  if (std::isnan(number)) return "__builtin_nan(\"\")";
  if (std::isinf(number)) return number < 0 ? "-__builtin_huge_val()" : "__builtin_huge_val()";
  return search::to_text(search::Value(number));
}

std::string literal(const search::Value& value, MemberType type) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (type == MemberType::text) return quoted(search::to_text(value));
  if (type == MemberType::real) return literal(search::to_double(value));
  // The smallest integer has no literal: the minus sign is an operator on a number that is too large.
  if (value == search::Value(std::numeric_limits<std::int64_t>::min())) return "(-9223372036854775807 - 1)";
  return search::to_text(value);
}

MemberType member_type(const Wisdom& wisdom, const std::string& parameter) {
  static_assert(std::is_same_v<search::Value, std::variant<bool, std::int64_t, double, std::string>>);
  std::size_t widest = 0;
  const auto widen = [&](const search::NamedValues& values) {
    if (const search::Value* value = search::find_value(values, parameter)) widest = std::max(widest, value->index());
  };
  widen(wisdom.defaults);
  for (const WisdomEntry& entry : wisdom.entries) widen(entry.values);
  return static_cast<MemberType>(widest);
}

std::string_view to_string(MemberType type) {
  constexpr std::array<std::string_view, 4> names = {"bool", "long long", "double", "const char*"};
  return names[static_cast<std::size_t>(type)];
}

search::NamedValues in_order_of(const search::NamedValues& like, const search::NamedValues& values) {
  search::NamedValues ordered;
  for (const auto& [name, ignored] : like)
    if (const search::Value* value = search::find_value(values, name)) ordered.emplace_back(name, *value);
  return ordered;
}

const search::NamedValues& default_values_of(const Wisdom& wisdom) {
  if (!wisdom.defaults.empty()) return wisdom.defaults;
  throw RequestError(
      fmt::format("the default configuration of {} is not known, which is what devices get that nothing is known "
                  "about: its template "
                  "is neither where it was tuned nor found by name, and was not measured; name it with --template",
                  wisdom.kernel));
}

std::vector<std::string> provenance_lines(const Wisdom& wisdom, std::size_t first) {
  std::vector<std::string> lines;
  for (const WisdomEntry& entry : wisdom.entries) {
    const Provenance& from = entry.provenance;
    lines.push_back(fmt::format("[{}] {}, {}", first++, entry.device, Problem{entry.sizes, entry.variants}.text()));
    lines.push_back("    " + figures(entry));
    lines.push_back(fmt::format("    measured {} by warptune {}, session {}, trial {}", from.measured_at,
                                from.tool_version, from.session, from.trial));
    lines.push_back(fmt::format("    driver {}, {}, options {}", from.driver.empty() ? "none" : from.driver,
                                from.compiler, from.options));
    lines.push_back(fmt::format("    source {}, manifest {}", from.source_hash, from.manifest_hash));
  }
  for (std::string& line : lines) line = comment_text(line);
  return lines;
}

}  // namespace warptune::tuner
