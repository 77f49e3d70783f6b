// A kernel template on one device with one problem size: what expressions may use, and the space of configurations.
#pragma once

#include <string>

#include "search/error.h"
#include "search/space/search_space.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// A request that does not fit the template or the device (unknown size, size 0, …), in the user's terms.
using RequestError = search::ErrorOf<search::ErrorKind::request>;

// The template's sizes with a preset's and then the user's values over them, sorted by name. `preset` may be empty.
// Throws RequestError for an unknown preset or size, or a value that is no positive integer.
search::NamedValues resolve_sizes(const KernelTemplate& kernel, const std::string& preset,
                                  const search::NamedValues& overrides);

// "M=1024,N=512" -> values. Integers may end in k, M or G (powers of 1024). Throws RequestError.
search::NamedValues parse_sizes(const std::string& text);

// Sizes and device limits: the constants of every expression of the template.
search::NamedValues problem_constants(const search::NamedValues& sizes, const DeviceInfo& device);

// What the device's limits demand of each launch, as constraints over the template's own geometry expressions.
std::vector<std::string> device_constraints(const KernelTemplate& kernel);

// The space of the template's parameters under its own constraints and the device's. Throws ExpressionError or
// std::invalid_argument for a constraint that cannot be evaluated.
search::SearchSpace build_space(const KernelTemplate& kernel, const search::NamedValues& constants);

}  // namespace warptune::tuner
