// Collects what users are told of a template before it runs.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns the template's notes and those that hold on this backend alone, each with the file that it is of.
std::vector<std::string> notes_on(const KernelTemplate& kernel, const std::string& backend);

}  // namespace warptune::tuner
