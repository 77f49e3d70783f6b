// Converts what schema 1 of wisdom had in place of variants.
#pragma once

#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner {

// The library's templates had kinds of a problem as sizes numbered from 1 (PRECISION=2 was double). Turns those of the
// kernel into variants; other sizes, and those of other kernels, stay.
void name_numbered_kinds(Wisdom& wisdom);

}  // namespace warptune::tuner
