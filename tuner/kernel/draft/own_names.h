// Gives each variable of a kernel a name of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the body with variables of the same name told apart: from the second on, each has a name that no source has.
// Each loop of a kernel may have an i of its own, and what was the column of the tile that is read may become that of
// the tile that is written.
std::vector<SourceToken> with_own_names(TokenSpan body);

// Returns the namespaces that the source opens, and std.
std::set<std::string> namespaces_of(const SourceOutline& outline);
// Returns the tokens without the names of namespaces: img::TILE becomes TILE. Members of types keep the name of the
// type: Pack::size.
std::vector<SourceToken> without_namespaces(TokenSpan tokens, const std::set<std::string>& namespaces);

}  // namespace warptune::tuner::draft
