#pragma once

#include "search/models/history.h"

namespace warptune::search {

// How much what was presumed of configurations before any trial counts now, 0 … 1: as far as it agrees with what this
// session has measured itself, and less and less the more that is (Hvarfner et al. 2022). `presumed` is a logarithm.
// With several objectives, or one that has no logarithm, it is 0: then there is nothing to compare.
double trust_in(const History& history, double Observation::*presumed);

// The mean over the correct observations; 0 without any.
double mean_of(const History& history, double Observation::*presumed);

}  // namespace warptune::search
