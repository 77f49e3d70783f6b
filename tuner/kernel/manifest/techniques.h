// Reads the named configurations of a template. A technique is what a lecture or a paper calls by a name ("tiled",
// "first add at load"), with the parameters that show it. Techniques are data of the manifest, so that a student asks
// for one without knowing the parameters.
#pragma once

#include <string>
#include <vector>

#include "search/value.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/manifest/document.h"

namespace warptune::tuner {

// Reads the table [techniques]. The template's parameters and variants are read already. Throws ManifestError for a
// parameter or variant that is not there, and for a value that it does not have.
std::vector<Technique> read_techniques(const Node& node, const KernelTemplate& kernel);

// Returns the technique of this name. Throws RequestError with the names that there are.
const Technique& find_technique(const KernelTemplate& kernel, const std::string& name);

}  // namespace warptune::tuner
