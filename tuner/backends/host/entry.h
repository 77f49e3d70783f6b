#pragma once

#include "tuner/backends/backend.h"

namespace warptune::host {

BackendEntry entry();

}  // namespace warptune::host
