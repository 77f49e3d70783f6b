// Gives launchers, lambdas and metrics a configuration's values with sizes and limits, by name. Rejected: the bare list
// of search/value.h, which every access would have to search and to take apart by kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "search/value.h"

namespace warptune {

// Values are read by name, as a program reads them. Every access throws std::invalid_argument for an unknown name or a
// value of another kind: an integer is a number too, and a whole number an integer; nothing else is of two kinds. They
// are immutable, and safe to read from many threads.
class Values {
 public:
  explicit Values(search::NamedValues values) : values_(std::move(values)) {}

  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string text(std::string_view name) const;

  const search::NamedValues& named() const { return values_; }

 private:
  const search::Value& at(std::string_view name) const;
  // Returns a value that is no boolean and no text. `expected` is for the error.
  const search::Value& numeric(std::string_view name, const char* expected) const;

  search::NamedValues values_;
};

}  // namespace warptune
