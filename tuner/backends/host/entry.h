#pragma once

#include "tuner/device/backend.h"

namespace warptune::tuner::host {

BackendEntry entry();

}  // namespace warptune::tuner::host
