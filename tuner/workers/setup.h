// What travels to a worker once, before its jobs.
#pragma once

#include <filesystem>
#include <vector>

#include "tuner/kernel/kernel_template.h"
#include "tuner/measure/device_evaluator.h"

namespace warptune::tuner::workers {

// What a worker must know before its first job: one kernel template for one problem size, and how to compile and
// measure it.
struct Setup {
  std::filesystem::path manifest;
  std::vector<std::filesystem::path> include_directories;  // beside the template's own
  std::filesystem::path capture;                           // empty, or a call whose data are tuned on
  search::NamedValues constants;                           // sizes and device limits
  EvaluatorOptions options;
};

// The template with the setup's include folders, and with the captured data instead of its own. Throws ManifestError,
// RequestError.
KernelTemplate load_template(const Setup& setup);

}  // namespace warptune::tuner::workers
