// Runs checks in processes of their own: a driver that hangs, a compiler that crashes or a network folder that never
// answers costs its own lines and nobody else's. The processes are forked, not started anew as workers are: the program
// has no thread yet, and a check needs nothing but what was read from the environment. Rejected: one check after the
// other in this process.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tuner/device/examination.h"

namespace warptune::tuner::doctor {

using Look = std::function<std::vector<Finding>()>;

// Calls all of them at once. A look that throws, crashes or takes longer than `patience_s` gives an error that says so.
// This function may be called only while this process has one thread.
std::vector<std::vector<Finding>> look_in_processes(const std::vector<Look>& looks, double patience_s);

}  // namespace warptune::tuner::doctor
