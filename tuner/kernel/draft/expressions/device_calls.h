// Follows the calls of device functions that a kernel hands its buffers to, so that what they do with the buffers
// counts as done by the kernel.
#pragma once

#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the body, followed by the bodies of such functions with variables of their own: `float* p#f1 = in; …`. A call
// stays as it is if the source does not have the function, or has several functions of that name.
std::vector<SourceToken> with_calls_followed(std::vector<SourceToken> body, const SourceOutline& outline);

}  // namespace warptune::tuner::draft
