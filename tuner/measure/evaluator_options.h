// The options by which configurations are compiled and measured. They are the same in this process and in workers, and
// for templates from manifests and from functions.
#pragma once

#include <cstddef>
#include <string>

#include "tuner/device/backend_options.h"
#include "tuner/measure/cache/cache_options.h"
#include "tuner/measure/sampling/policy.h"

namespace warptune::tuner {

struct EvaluatorOptions {
  BackendOptions backend;
  MeasurePolicy policy;
  CacheOptions cache;      // the cache of machine code; none by default
  std::string cache_salt;  // whatever else the compiler's output depends on (tuner/measure/cache/cached_compiler.h)
  std::size_t compile_jobs = 0;  // 0: as many as cores
};

}  // namespace warptune::tuner
