// Finds the source lines of a tracked module's instructions. It asks binutils' addr2line, which is there wherever a
// compiler links. Rejected: a DWARF reader of our own, and a library for what is asked for once a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

namespace warptune::tuner::host {

// Returns lines ("matmul/kernel.cu:41") by offset in the shared object. Each is the line of the instruction before the
// offset, because return addresses are asked for. A line that is not known is missing; without addr2line all are.
std::map<std::uint64_t, std::string> source_lines(std::span<const std::byte> library,
                                                  const std::set<std::uint64_t>& offsets);

// Returns whether a line is one of the shim's.
bool is_of_shim(const std::string& line);

}  // namespace warptune::tuner::host
