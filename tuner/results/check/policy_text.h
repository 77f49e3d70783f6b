// Reads a measurement policy back from its text in a session's key.
#pragma once

#include <optional>
#include <string>

#include "tuner/measure/sampling/policy.h"

namespace warptune::tuner {

// Returns the policy whose text this is, with an objective or without, so that a session can be measured again as it
// was then. Returns nothing if this version cannot measure like that: its text would be another.
std::optional<MeasurePolicy> policy_from_text(const std::string& text);

}  // namespace warptune::tuner
