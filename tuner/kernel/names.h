// Which names and values a problem may have, whether a manifest gives them or a program.
#pragma once

#include <set>
#include <string>

#include "search/value.h"

namespace warptune::tuner {

// What only a run tells, by the names that metrics have for it.
std::set<std::string> measured_names();

// Each says what is wrong and what was expected, to follow the name in a message; empty: nothing is wrong.
//
// Whoever wrote `time` in a metric would get a size of that name, and a constraint's `warp_size` would not be the
// device's: sizes, variants, parameters and derived names have others.
std::string wrong_name(const std::string& name);
std::string wrong_metric_name(const std::string& name);
// A variant's name is a macro's, and its value is typed on a command line and compiled: neither takes every character.
std::string wrong_variant_name(const std::string& name);
std::string wrong_variant_value(const search::Value& value);

}  // namespace warptune::tuner
