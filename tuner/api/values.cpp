// See values.h.
#include "tuner/api/values.h"

#include <fmt/format.h>

#include <stdexcept>

#include "search/expression/expression.h"

namespace warptune {

const search::Value& Values::at(std::string_view name) const {
  if (const search::Value* value = search::find_value(values_, name)) return *value;
  throw std::invalid_argument(fmt::format("there is no value '{}'; there are {}", name, search::to_text(values_)));
}

std::int64_t Values::integer(std::string_view name) const {
  return search::to_integer(at(name));
}

double Values::number(std::string_view name) const {
  return search::to_double(at(name));
}

bool Values::flag(std::string_view name) const {
  return search::truth(at(name));
}

std::string Values::text(std::string_view name) const {
  return search::to_text(at(name));
}

}  // namespace warptune
