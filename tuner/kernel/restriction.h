// Restricts a template's space for one session by the further constraints of a request. They are part of the session's
// key, because they change which configurations the session could find.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Adds each restriction to the template's constraints. It may use parameters, and `constants`: sizes and device limits.
// Throws RequestError that quotes a restriction which is no expression, or names something else.
void restrict_space(KernelTemplate& kernel, const std::vector<std::string>& restrictions,
                    const search::NamedValues& constants);

// Returns the restrictions as a session's key holds them: sorted, each once.
std::vector<std::string> canonical_restrictions(const std::vector<std::string>& restrictions);

}  // namespace warptune::tuner
