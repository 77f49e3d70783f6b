// Reads the members of structures: struct Body { float x, y, z, m; }; is 4 floats to a manifest, whose buffers hold
// numbers of one type.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/kernel/draft/expressions/naming.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the name and what one value holds, of a declaration of a structure all of whose members have one type; arrays
// count as so many members. It returns nothing for other structures: those with pointers, constructors or virtual
// functions, and those of several types.
std::optional<std::pair<std::string, Element>> read_structure(TokenSpan tokens);

struct FunctionParameter;

// Returns the name and the members, as a function would take them, of a declaration of a structure of numbers and
// pointers that {a, b, c} fills. It returns nothing for other structures: those with arrays, constructors, virtual
// functions or structures in them.
std::optional<std::pair<std::string, std::vector<FunctionParameter>>> read_members(TokenSpan tokens);
// Returns the members of float4 and the like; none for other types.
std::vector<FunctionParameter> members_of_vector(const std::string& type);

}  // namespace warptune::tuner::draft
