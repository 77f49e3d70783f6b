// What can be wrong with the C++ compiler and the processor: for `warptune doctor`.
#pragma once

#include <vector>

#include "tuner/device/examination.h"

namespace warptune::tuner::host {

std::vector<Examination> examinations();

// "150000 100000" of cpu.max: 1.5 cores; nothing for "max 100000" or another text.
double cores_of_quota(const std::string& text);

}  // namespace warptune::tuner::host
