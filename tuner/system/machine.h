// Tells what this machine is called, and what it has for this process. These are fewer cores and less memory than the
// machine has, where a batch system or a container says so.
#pragma once

#include <cstdint>
#include <string>

namespace warptune::tuner {

// Returns the machine's name; empty if the system does not tell it.
std::string host_name();
// Returns a name of this process that people can find it by: "node7:4711".
std::string process_name();

// Returns the number of cores that this process may run on (sched_setaffinity(2); Slurm and `taskset` set it); at least
// one.
int permitted_cores();

// Returns how many cores' worth of time the control group allows (cpu.max); 0: as much as there is.
double core_quota();

// Returns the cores of a line of cpu.max: 1.5 for "150000 100000"; 0 for "max 100000" or another text.
double cores_of_quota(const std::string& text);

// Returns the number of permitted cores, but no more than the quota, rounded up. std::thread::hardware_concurrency()
// knows neither.
int available_cores();

// Returns the bytes that can be allocated now without swapping or meeting the control group's limit; 0: unknown.
std::int64_t available_memory_bytes();

// Returns the bytes of the machine's memory, or the control group's limit where that is less.
std::int64_t total_memory_bytes();

}  // namespace warptune::tuner
