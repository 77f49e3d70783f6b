// Writes a draft as TOML with comments.
#pragma once

#include <string>

#include "tuner/kernel/draft/passes/draft.h"

namespace warptune::tuner::draft {

// Returns the manifest's text. Its first line names `schema`, for editors.
std::string write_manifest(const Draft& draft, const std::string& schema);

}  // namespace warptune::tuner::draft
