// Looks up parts of a template, and collects its notes.
#include "tuner/kernel/kernel_template.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::vector<std::string> notes_on(const KernelTemplate& kernel, const std::string& backend) {
  const std::string place = kernel.manifest.empty() ? "" : kernel.shown(kernel.manifest).string() + ": ";
  std::vector<std::string> notes;
  for (const std::string& note : kernel.notes) notes.push_back(place + note);
  // A manifest says itself which options are for GPUs. A T1 file has one list, of nvcc's options.
  const auto options = kernel.backend_options.find("cuda");
  if (backend == "host" && kernel.manifest.extension() == ".json" && options != kernel.backend_options.end())
    notes.push_back(
        fmt::format("{}KernelSpecification.CompilerOptions: {}: no effect on the host, whose compiler has no "
                    "such option",
                    place, fmt::join(options->second, ", ")));
  return notes;
}

}  // namespace warptune::tuner
