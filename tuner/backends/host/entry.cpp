#include "tuner/backends/host/entry.h"

namespace warptune::host {

BackendEntry entry() {
  return {"host", nullptr, nullptr, nullptr};
}

}  // namespace warptune::host
