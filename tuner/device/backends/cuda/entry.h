// Declares the CUDA backend's entries in the registry.
#pragma once

#include "tuner/device/backend.h"
#include "tuner/device/examination.h"

namespace warptune::tuner::cuda {

BackendEntry entry();
SelfExamination self_examination();

}  // namespace warptune::tuner::cuda
