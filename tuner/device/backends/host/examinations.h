// Examines what can be wrong with the C++ compiler, the processor and the memory, for `warptune doctor`.
#pragma once

#include <vector>

#include "tuner/device/examination.h"

namespace warptune::tuner::host {

std::vector<Examination> examinations();

}  // namespace warptune::tuner::host
