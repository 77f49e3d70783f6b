// Provides what the exporters that write source code share: names, literals and comments that any C compiler takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner {

// Returns a name that C++ takes: other characters become '_', and a keyword or a macro such as NULL gets one at its
// end.
std::string identifier(const std::string& name);
// Returns such names for the members of one struct: all different, in the order of `values`.
std::vector<std::string> identifiers(const search::NamedValues& values);

// Returns a name for macros, as "MY_KERNEL".
std::string macro_name(const std::string& name);

// A member is declared with the narrowest of these types that holds a parameter's values in all entries.
enum class MemberType { boolean, integer, real, text };
MemberType member_type(const Wisdom& wisdom, const std::string& parameter);
std::string_view to_string(MemberType type);  // "long long"

// Returns a literal of a double; infinities and NaN become the built-ins that GCC, Clang and nvcc have for them.
std::string literal(double number);
// Returns a literal of that type.
std::string literal(const search::Value& value, MemberType type);

// Returns the value of each member, in the order of `like`.
search::NamedValues in_order_of(const search::NamedValues& like, const search::NamedValues& values);

// Returns the template's default configuration. Throws RequestError if it is not known: nothing else can stand for it.
const search::NamedValues& default_values_of(const Wisdom& wisdom);

// Returns lines of text that say where every entry comes from, numbered from `first`. They have no control characters
// and no comment ends.
std::vector<std::string> provenance_lines(const Wisdom& wisdom, std::size_t first);

}  // namespace warptune::tuner
