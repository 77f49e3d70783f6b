// Adds the notes that depend on the backend.
#include "tuner/kernel/template_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warptune::tuner {

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
