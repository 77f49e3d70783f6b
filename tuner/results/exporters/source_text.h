// What the exporters that write source code share: names, literals and comments that any C compiler takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner {

// A name that C++ takes: other characters become '_', and a keyword or a macro such as NULL gets one at its end.
std::string identifier(const std::string& name);
// The same for members of one struct: all different, in the order of `values`.
std::vector<std::string> identifiers(const search::NamedValues& values);

// "MY_KERNEL": for macros.
std::string macro_name(const std::string& name);

// What a member can be declared as: the narrowest that holds a parameter's values in all entries.
enum class MemberType { boolean, integer, real, text };
MemberType member_type(const Wisdom& wisdom, const std::string& parameter);
std::string_view to_string(MemberType type);  // "long long"

// A literal of a double; infinities and NaN as the built-ins that GCC, Clang and nvcc have for them.
std::string literal(double number);
// A literal of that type.
std::string literal(const search::Value& value, MemberType type);

// The value of each member, in the order of `like`.
search::NamedValues in_order_of(const search::NamedValues& like, const search::NamedValues& values);

// The template's default configuration. Throws RequestError if it is not known: nothing else can stand for it.
const search::NamedValues& default_values_of(const Wisdom& wisdom);

// Where every entry comes from, numbered from `first`, as lines of text: no control characters, no comment ends.
std::vector<std::string> provenance_lines(const Wisdom& wisdom, std::size_t first);

}  // namespace warptune::tuner
