// Values by name as texts write them: "BX=32,TYPE=Shape<8, 4>".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::search {

// The parts of what to_text(NamedValues) makes. A comma parts only where a name and "=" follow it outside of brackets:
// a value may hold commas of its own.
std::vector<std::string> split_assignments(std::string_view text);

}  // namespace warptune::search
