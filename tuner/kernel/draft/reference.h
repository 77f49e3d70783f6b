// Drafts what says which results are right: a second file with kernels or a C++ function.
#pragma once

#include <string>

#include "tuner/kernel/draft/passes/draft.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Fills in draft.reference from the file. Throws RequestError for a file that has no reference.
void add_reference(const std::string& file, const std::string& text, const HeaderReader& read, Draft& draft);

}  // namespace warptune::tuner::draft
