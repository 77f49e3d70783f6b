// Splits texts that assign values to names, such as "BX=32,TYPE=Shape<8, 4>".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::search {

// Splits a text that to_text(NamedValues) made into its assignments. A comma separates two assignments only where it
// stands outside of brackets and a name and "=" follow it, because a value may hold commas of its own.
std::vector<std::string> split_assignments(std::string_view text);

}  // namespace warptune::search
