#pragma once

#include "tuner/backends/backend.h"

namespace warptune::cuda {

BackendEntry entry();

}  // namespace warptune::cuda
