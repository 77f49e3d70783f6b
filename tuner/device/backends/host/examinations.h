// What can be wrong with the C++ compiler and the processor: for `warptune doctor`.
#pragma once

#include <vector>

#include "tuner/device/examination.h"

namespace warptune::tuner::host {

std::vector<Examination> examinations();

}  // namespace warptune::tuner::host
