// Reads what compiled kernels need from the machine code itself, without a device, a driver or tools.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "search/trial.h"

namespace warptune::tuner::cuda {

// Returns each kernel's registers, local and static shared memory by its linkage name. What depends on a launch
// (dynamic shared memory, threads, occupancy) stays 0. Throws std::invalid_argument for what is not a cubin.
//
// A cubin is a little-endian 64-bit ELF file. Its layout is not published; NVIDIA's "CUDA Binary Utilities" manual
// shows what cuobjdump prints of it (-elf, -res-usage), from which the attribute numbers in cubin.cpp are known. The
// tests compare with `ptxas -v`.
std::map<std::string, search::ResourceUse> cubin_resources(std::span<const std::byte> cubin);

// Returns the size of each parameter of each kernel in bytes, in order, by the kernel's linkage name. Kernels whose
// parameters the cubin does not tell are left out. Throws as above.
std::map<std::string, std::vector<std::size_t>> cubin_parameters(std::span<const std::byte> cubin);

// Returns the linkage names of the cubin's variables in global memory (__device__, not __constant__). Throws as above.
std::vector<std::string> cubin_variables(std::span<const std::byte> cubin);

}  // namespace warptune::tuner::cuda
