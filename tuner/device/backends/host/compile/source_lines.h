// Instructions of a tracked module -> lines of its source, by binutils' addr2line, which is there wherever a compiler
// links. Rejected: a DWARF reader of our own, and a library for what is asked for once a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

namespace warptune::tuner::host {

// "matmul/kernel.cu:41" by offset in the shared object, of the instruction before that offset: return addresses are
// asked for. What is not known, or if there is no addr2line, is missing.
std::map<std::uint64_t, std::string> source_lines(std::span<const std::byte> library,
                                                  const std::set<std::uint64_t>& offsets);

// Whether a line is one of the shim's.
bool is_of_shim(const std::string& line);

}  // namespace warptune::tuner::host
