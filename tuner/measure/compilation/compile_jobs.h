// How many jobs run at once, and how many of them compiles, where nobody or somebody said.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warptune::tuner {

// As many as cores that this process may use; at least one. The one default number of threads, workers and compilers.
std::size_t default_jobs();

// What this machine has for compilers.
struct CompileRoom {
  std::size_t cores = 1;
  std::uint64_t available_bytes = 0;  // 0: unknown
};
// Within the affinity mask and the control group (`tuner/system/machine.h`).
CompileRoom compile_room();

// `wanted`, or as many as cores if it is 0; but no more than four a core, and no more than memory holds: a compiler
// takes some 400 MB at its height, and one that the system kills for want of memory helps nobody. At least one.
std::size_t compile_jobs(std::size_t wanted, const CompileRoom& room = compile_room());

}  // namespace warptune::tuner
