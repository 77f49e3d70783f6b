#include "tuner/kernel/kernel_template.h"

namespace warptune {

const Argument* KernelTemplate::find_argument(const std::string& argument) const {
  for (const auto* list : {&arguments, &temporaries})
    for (const Argument& candidate : *list)
      if (candidate.name == argument) return &candidate;
  return nullptr;
}

}  // namespace warptune
