// Declares the host backend's entries in the registry.
#pragma once

#include "tuner/device/backend.h"
#include "tuner/device/examination.h"

namespace warptune::tuner::host {

BackendEntry entry();
SelfExamination self_examination();

}  // namespace warptune::tuner::host
