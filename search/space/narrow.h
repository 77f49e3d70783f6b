// Shrinks large domains before the search. This header is private to search/.
#pragma once

#include "search/space/constraint_problem.h"

namespace warptune::search {

// A constraint over few combinations of its other parameters leaves a large domain few values (the divisors of a size,
// of 1 … 1024): finding them constraint by constraint spares the search from trying the rest at every state.
void narrow_large_domains(ConstraintProblem& problem);

}  // namespace warptune::search
