// Chooses how many jobs, and how many compiles, run at once, with or without a wish of the user's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warptune::tuner {

// Returns the number of cores that this process may use; at least one. It is the one default number of threads, workers
// and compilers.
std::size_t default_jobs();

// The cores and the memory that this machine has for compilers.
struct CompileRoom {
  std::size_t cores = 1;
  std::uint64_t available_bytes = 0;  // 0: unknown
};
// Returns the room within the affinity mask and the control group (`tuner/system/machine.h`).
CompileRoom compile_room();

// Returns `wanted`, or the number of cores if it is 0. It is at least one, at most four for each core, and at most what
// memory holds: a compiler takes some 400 MB at its height, and one that the system kills for want of memory helps
// nobody.
std::size_t compile_jobs(std::size_t wanted, const CompileRoom& room = compile_room());

}  // namespace warptune::tuner
