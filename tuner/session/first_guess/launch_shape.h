// Computes how large a configuration's launches are, from the manifest alone.
#pragma once

#include <vector>

#include "tuner/kernel/kernel_template.h"
#include "tuner/session/first_guess/parameter_scope.h"

namespace warptune::tuner {

struct LaunchShape {
  double blocks = 1, threads = 1, shared_bytes = 0;  // of the launch with the most threads, in its first pass
  double launches = 0;                               // kernels that a run launches
  double clears = 0;                                 // buffers that a run clears
};

// Computes the launch shapes of a space's configurations. It refers to the space, which must outlive it. It is
// immutable and thread-safe.
class LaunchShapes {
 public:
  // `constants` are what expressions see beside the configuration's values.
  LaunchShapes(const KernelTemplate& kernel, const search::NamedValues& constants, const search::SearchSpace& space);

  // Throws search::ExpressionError or std::invalid_argument for a geometry that cannot be evaluated; such a launch
  // never runs.
  LaunchShape of(const search::Configuration& configuration) const;

 private:
  std::vector<Launch> launches_;  // of kernels
  ParameterScope scope_;
};

}  // namespace warptune::tuner
