// Defines what is sent to a worker once, before its jobs.
#pragma once

#include "tuner/kernel/files/session_files.h"
#include "tuner/measure/device_evaluator.h"

namespace warptune::tuner::workers {

// What a worker must know before its first job: one kernel template for one problem size, and how to compile and
// measure it.
struct Setup {
  TemplatePlace place;
  search::NamedValues constants;  // sizes and device limits
  EvaluatorOptions options;
};

}  // namespace warptune::tuner::workers
