// Looks values up, and refuses those of another kind.
#include "tuner/library/api/values.h"

#include <fmt/format.h>

#include <stdexcept>

#include "search/expression/expression.h"

namespace warptune {

namespace {

const char* kind_of(const search::Value& value) {
  if (std::holds_alternative<bool>(value)) return "a boolean";
  if (std::holds_alternative<std::string>(value)) return "a text";
  return std::holds_alternative<double>(value) ? "a floating-point number" : "an integer";
}

[[noreturn]] void refuse(std::string_view name, const search::Value& value, const char* expected) {
  throw std::invalid_argument(fmt::format("the value '{}' is {}, {}; it was read as {}", name, search::to_text(value),
                                          kind_of(value), expected));
}

}  // namespace

const search::Value& Values::at(std::string_view name) const {
  if (const search::Value* value = search::find_value(values_, name)) return *value;
  throw std::invalid_argument(fmt::format("there is no value '{}'; there are {}", name, search::to_text(values_)));
}

std::int64_t Values::integer(std::string_view name) const {
  const search::Value& value = numeric(name, "an integer");
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  try {
    return search::to_integer(value);
  } catch (const std::invalid_argument&) {
    refuse(name, value, "an integer");
  }
}

double Values::number(std::string_view name) const {
  return search::to_double(numeric(name, "a number"));
}

bool Values::flag(std::string_view name) const {
  const search::Value& value = at(name);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  refuse(name, value, "a boolean");
}

std::string Values::text(std::string_view name) const {
  const search::Value& value = at(name);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  refuse(name, value, "a text");
}

const search::Value& Values::numeric(std::string_view name, const char* expected) const {
  const search::Value& value = at(name);
  if (std::holds_alternative<bool>(value) || std::holds_alternative<std::string>(value)) refuse(name, value, expected);
  return value;
}

}  // namespace warptune
