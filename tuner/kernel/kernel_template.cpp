// Looks up parts of a template.
#include "tuner/kernel/kernel_template.h"

#include <algorithm>

namespace warptune::tuner {

const Argument* KernelTemplate::find_argument(const std::string& argument) const {
  for (const auto* list : {&arguments, &temporaries})
    for (const Argument& candidate : *list)
      if (candidate.name == argument) return &candidate;
  return nullptr;
}

const TensorMapArgument* KernelTemplate::find_tensor_map(const std::string& argument) const {
  const auto found = std::ranges::find(tensor_maps, argument, &TensorMapArgument::name);
  return found == tensor_maps.end() ? nullptr : &*found;
}

std::filesystem::path KernelTemplate::shown(const std::filesystem::path& file) const {
  const std::string full = file.string();
  return !root.empty() && full.starts_with(root.string() + '/') ? full.substr(root.string().size()) : full;
}

bool KernelTemplate::runs_on(const std::string& backend) const {
  return backends.empty() || std::ranges::find(backends, backend) != backends.end();
}

std::set<std::string> KernelTemplate::given_macros() const {
  std::set<std::string> names;
  for (const search::Parameter& parameter : parameters) names.insert(parameter.name);
  for (const search::Parameter& variant : variants) names.insert(variant.name);
  for (const auto& define : defines) names.insert(define.first);
  return names;
}

}  // namespace warptune::tuner
