// Defines what is behind the Runtime handle of runtime.h.
#pragma once

#include <memory>

#include "tuner/library/runtime/programs.h"
#include "tuner/library/runtime/runtime.h"
#include "tuner/library/runtime/target.h"

namespace warptune::runtime {

struct Runtime::Impl {
  Impl(std::unique_ptr<Target> device, const Options& options) : target(std::move(device)), code(*target, options) {}

  std::unique_ptr<Target> target;
  Programs code;
};

}  // namespace warptune::runtime
