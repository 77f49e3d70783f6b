// A draft as TOML with comments.
#pragma once

#include <string>

#include "tuner/kernel/draft/draft.h"

namespace warptune::tuner::draft {

// `schema`: what the first line names, for editors.
std::string write_manifest(const Draft& draft, const std::string& schema);

}  // namespace warptune::tuner::draft
