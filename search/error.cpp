// Names the kinds of errors, and is the one place that goes from a kind at run time to its type.
#include "search/error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <utility>

namespace warptune::search {

namespace {

// The names are in the order of the enumerators.
constexpr std::array<std::string_view, 13> error_names = {
    "internal",    "usage",  "manifest", "request",   "expression",  "data", "workload",
    "interchange", "wisdom", "device",   "no_device", "device_lost", "store"};
static_assert(error_names.size() == static_cast<std::size_t>(ErrorKind::store) + 1);

template <std::size_t... kinds>
[[noreturn]] void throw_one_of(ErrorKind kind, const std::string& message, std::index_sequence<kinds...>) {
  ((static_cast<std::size_t>(kind) == kinds ? throw ErrorOf<static_cast<ErrorKind>(kinds)>(message) : void()), ...);
  throw ErrorOf<ErrorKind::internal>(message);
}

}  // namespace

std::string_view to_string(ErrorKind kind) {
  return error_names.at(static_cast<std::size_t>(kind));
}

ErrorKind error_kind_from_string(std::string_view name) {
  const auto found = std::ranges::find(error_names, name);
  return found == error_names.end() ? ErrorKind::internal : static_cast<ErrorKind>(found - error_names.begin());
}

ErrorKind kind_of(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known ? known->kind() : ErrorKind::internal;
}

void throw_error(ErrorKind kind, const std::string& message) {
  throw_one_of(kind, message, std::make_index_sequence<error_names.size()>());
}

}  // namespace warptune::search
