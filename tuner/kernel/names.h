// Says which names and values a problem may have, whether a manifest gives them or a program.
#pragma once

#include <set>
#include <string>

#include "search/value.h"

namespace warptune::tuner {

// Returns the names that metrics have for what only a run tells.
std::set<std::string> measured_names();

// Each of these functions returns what is wrong and what was expected, to follow the name in a message. An empty text
// means that nothing is wrong.
//
// `wrong_name` is for sizes, variants, parameters and derived names. None of them may have the name of a measured value
// or of a device limit. Otherwise `time` in a metric would be a size of that name, and a constraint's `warp_size` would
// not be the device's.
std::string wrong_name(const std::string& name);
std::string wrong_metric_name(const std::string& name);
// A variant's name becomes a macro, and its value is typed on a command line and compiled. So not every character is
// allowed in either.
std::string wrong_variant_name(const std::string& name);
std::string wrong_variant_value(const search::Value& value);

}  // namespace warptune::tuner
