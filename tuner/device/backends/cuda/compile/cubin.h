// Reads from machine code what the driver does not tell of it, without a device, a driver or tools.
//
// A cubin is a little-endian 64-bit ELF file. Its layout is not published; NVIDIA's "CUDA Binary Utilities" manual
// shows what cuobjdump prints of it (-elf, -res-usage), from which the attribute numbers are known.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tuner/system/elf.h"

namespace warptune::tuner::cuda {

// All functions throw std::invalid_argument for what is not a cubin, or is cut off.
ElfFile open_cubin(std::span<const std::byte> cubin);

// Returns whether the symbol is a __global__ function's.
bool is_kernel(const ElfSymbol& symbol);

// An attribute of a section .nv.info, or .nv.info.KERNEL, with the bytes that follow it; many have none.
struct CubinAttribute {
  unsigned char number = 0;
  std::span<const std::byte> payload;
};
std::vector<CubinAttribute> cubin_attributes(std::span<const std::byte> info);

// Returns the size of each parameter of each kernel in bytes, in order, by the kernel's linkage name. Kernels whose
// parameters the cubin does not tell are left out.
std::map<std::string, std::vector<std::size_t>> cubin_parameters(std::span<const std::byte> cubin);

// Returns the linkage names of the cubin's variables in global memory (__device__, not __constant__).
std::vector<std::string> cubin_variables(std::span<const std::byte> cubin);

}  // namespace warptune::tuner::cuda
