// Declares the checks of the machine itself, and the one that every backend shares. diagnosis.cpp has the list of them.
#pragma once

#include "tuner/program/doctor/diagnosis.h"

namespace warptune::tuner::doctor {

std::vector<Finding> look_at_home(const Surroundings& surroundings);
std::vector<Finding> look_at_store(const Surroundings& surroundings);
std::vector<Finding> look_at_cache(const Surroundings& surroundings);
std::vector<Finding> look_at_templates(const Surroundings& surroundings);
std::vector<Finding> look_at_temporary_files(const Surroundings& surroundings);
std::vector<Finding> look_at_disk(const Surroundings& surroundings);
std::vector<Finding> look_at_process_limits(const Surroundings& surroundings);

// Compiles a kernel of a few lines for each device of the backend, runs it and compares what it wrote.
std::vector<Finding> try_kernel(const BackendEntry& backend, const BackendOptions& options);

}  // namespace warptune::tuner::doctor
