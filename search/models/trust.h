// Weighs what was presumed of configurations before any trial.
#pragma once

#include "search/models/history.h"

namespace warptune::search {

// Returns the weight, 0 … 1, that is now given to what was presumed of configurations before any trial. It is the
// agreement of the presumed with what this session has measured itself, and falls as more is measured (Hvarfner et al.
// 2022). `presumed` is a logarithm. With several objectives, or one that has no logarithm, the weight is 0, because
// there is nothing to compare.
double trust_in(const History& history, double Observation::*presumed);

// Returns the mean over the correct observations, or 0 without any.
double mean_of(const History& history, double Observation::*presumed);

}  // namespace warptune::search
