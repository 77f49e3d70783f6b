#include "tuner/kernel/kernel_template.h"

#include <algorithm>

namespace warptune {

const Argument* KernelTemplate::find_argument(const std::string& argument) const {
  for (const auto* list : {&arguments, &temporaries})
    for (const Argument& candidate : *list)
      if (candidate.name == argument) return &candidate;
  return nullptr;
}

bool KernelTemplate::runs_on(const std::string& backend) const {
  return backends.empty() || std::ranges::find(backends, backend) != backends.end();
}

}  // namespace warptune
