// Defines the values that parameters, problem sizes, device limits and expressions share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace warptune::search {

// A Value is the value of a parameter or an expression. Integers are 64-bit; a boolean is a number too (true == 1), as
// in Python.
using Value = std::variant<bool, std::int64_t, double, std::string>;

// NamedValues holds values by name, in the order their owner declares them.
using NamedValues = std::vector<std::pair<std::string, Value>>;

// Returns the value as manifests, keys and -D defines write it: 16, 2.5, true, fp32. A double always shows that it is
// one ("2.0") and reads back to the same bits.
std::string to_text(const Value& value);

// Returns whether both are the same number (1 == 1.0 == true) or the same string.
bool same_value(const Value& a, const Value& b);

// Returns the value under `name`, or nullptr.
const Value* find_value(const NamedValues& values, std::string_view name);

// Returns the values as text such as "BLOCK=256,VECTOR=4", in the order given.
std::string to_text(const NamedValues& values);

}  // namespace warptune::search
