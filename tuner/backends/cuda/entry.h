#pragma once

#include "tuner/device/backend.h"

namespace warptune::tuner::cuda {

BackendEntry entry();

}  // namespace warptune::tuner::cuda
