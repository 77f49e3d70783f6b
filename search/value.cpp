// Compares values, and writes them as text.
#include "search/value.h"

#include <charconv>
#include <cmath>

namespace warptune::search {

namespace {

std::string double_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  char buffer[32];  // the shortest form that reads back the same takes at most 24
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool is_number(const Value& value) {
  return !std::holds_alternative<std::string>(value);
}

bool is_integer(const Value& value) {
  return std::holds_alternative<bool>(value) || std::holds_alternative<std::int64_t>(value);
}

std::int64_t integer(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  return std::get<std::int64_t>(value);
}

double real(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return *number;
  return static_cast<double>(integer(value));
}

}  // namespace

std::string to_text(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const double* number = std::get_if<double>(&value)) return double_text(*number);
  return std::get<std::string>(value);
}

bool same_value(const Value& a, const Value& b) {
  if (is_number(a) != is_number(b)) return false;
  if (!is_number(a)) return std::get<std::string>(a) == std::get<std::string>(b);
  // Two integers are not compared as doubles: 2^53 and 2^53 + 1 differ.
  if (is_integer(a) && is_integer(b)) return integer(a) == integer(b);
  return real(a) == real(b);
}

const Value* find_value(const NamedValues& values, std::string_view name) {
  for (const auto& [key, value] : values)
    if (key == name) return &value;
  return nullptr;
}

std::string to_text(const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    if (!text.empty()) text += ',';
    text += name;
    text += '=';
    text += to_text(value);
  }
  return text;
}

}  // namespace warptune::search
