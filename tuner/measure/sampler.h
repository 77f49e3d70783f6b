#pragma once

#include <functional>

#include "search/trial.h"
#include "tuner/measure/policy.h"

namespace warptune {

// Samples one verified configuration under the stopping rule of `policy`. `timed(n)` restores the inputs, runs the
// launches n times back to back and returns the device's milliseconds for all n; `now_s` is a clock for the caps.
Measurement sample(const std::function<double(int)>& timed, const std::function<double()>& now_s,
                   const MeasurePolicy& policy);

}  // namespace warptune
