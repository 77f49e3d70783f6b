// struct Body { float x, y, z, m; }; is 4 floats to a manifest, whose buffers hold numbers of one type.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tuner/kernel/init/naming.h"
#include "tuner/kernel/source_outline.h"

namespace warptune::tuner::init {

// The name and what one value holds, of a declaration of a structure all of whose members have one type; arrays count
// as so many members. Nothing for others: those with pointers, functions, bases, or of several types.
std::optional<std::pair<std::string, Element>> read_structure(TokenSpan tokens);

}  // namespace warptune::tuner::init
