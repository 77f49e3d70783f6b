// Evaluates what a manifest says of a launch beyond grid, block and shared memory (device/launch_attributes.h), and
// derives constraints from it.
#pragma once

#include <string>
#include <vector>

#include "search/space/search_space.h"
#include "search/value.h"
#include "tuner/device/launch_geometry.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns the attributes of a launch, with their expressions evaluated in `scope`. `place` is where the manifest has
// the launch: "launches[0]". Throws std::invalid_argument for what no device takes, and ExpressionError.
LaunchAttributes attributes_of(const LaunchAttributeTexts& texts, const search::NamedValues& scope,
                               const std::string& place);

// Returns the constraints that a configuration must satisfy so that the device takes the launch's attributes. Backends
// without a compute capability ignore attributes, so no capability is demanded of them.
std::vector<search::Constraint> attribute_constraints(const Launch& launch);

// Returns all expressions among the attributes.
std::vector<const search::Expression*> expressions_of(const LaunchAttributeTexts& texts);

}  // namespace warptune::tuner
