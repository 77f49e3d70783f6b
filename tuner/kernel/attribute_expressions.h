// What a launch says beyond grid, block and shared memory (device/launch_attributes.h), as the manifest's expressions.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "search/space/search_space.h"
#include "search/value.h"
#include "tuner/device/launch_geometry.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// The keys of [[launches]] that say them.
inline constexpr std::array<const char*, 6> launch_attribute_keys = {"cluster",      "preferred_cluster", "carveout",
                                                                     "programmatic", "cooperative",       "priority"};

// `place` is the launch's: "launches[0]". Throws std::invalid_argument for what no device takes, ExpressionError.
LaunchAttributes attributes_of(const LaunchAttributeTexts& texts, const search::NamedValues& scope,
                               const std::string& place);

// Constraints that a configuration must satisfy so that the device takes the launch's attributes. Backends without a
// compute capability ignore attributes, and so do not bound them.
std::vector<search::Constraint> attribute_constraints(const Launch& launch);

// All expressions among them.
std::vector<const search::Expression*> expressions_of(const LaunchAttributeTexts& texts);

}  // namespace warptune::tuner
