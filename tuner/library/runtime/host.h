// Declares the runtime on the host backend, for tests and for machines without a GPU. It has a build target of its own,
// warptune::runtime_host, so that warptune::runtime links none of it.
#pragma once

#include "tuner/library/runtime/runtime.h"

namespace warptune::runtime {

// Buffers are plain pointers, streams are ignored, and a launch returns when the kernel has ended. May be called from
// many threads at once. Throws Error.
Runtime host_runtime(const Options& options = {});

}  // namespace warptune::runtime
