// Computes the threads per block of a template's configurations, for strategies that ask for thousands in one decision.
#pragma once

#include <vector>

#include "search/space/search_space.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/session/first_guess/parameter_scope.h"

namespace warptune::tuner {

// Returns the threads per block of a configuration's largest launch, in its first pass. A geometry that cannot be
// evaluated never runs, so it counts as a block of one thread. Values are looked up in the space and not copied. The
// object refers to the space, which must outlive it. It is immutable and thread-safe.
class BlockThreads {
 public:
  // `constants` are what expressions see beside the configuration's values.
  BlockThreads(const KernelTemplate& kernel, const search::NamedValues& constants, const search::SearchSpace& space);

  double operator()(const search::Configuration& configuration) const;

 private:
  using Block = std::vector<search::Expression>;

  double threads(const Block& block, const search::Configuration& configuration) const;

  std::vector<Block> blocks_;  // without repetitions
  ParameterScope scope_;
};

}  // namespace warptune::tuner
