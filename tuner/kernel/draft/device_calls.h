// Device functions that a kernel hands its buffers to: what they do with them, the kernel does.
#pragma once

#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// The body, behind which the bodies of such functions stand, with variables of their own: `float* p#f1 = in; …`. A call
// of what the source does not have, or of one of several functions of a name, stays what it is.
std::vector<SourceToken> with_calls_followed(std::vector<SourceToken> body, const SourceOutline& outline);

}  // namespace warptune::tuner::draft
