// Reads what compiled kernels need from a cubin, for tests that compare it with what ptxas or a driver says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "search/trial.h"
#include "tuner/device/backends/cuda/compile/cubin.h"

namespace warptune::tuner::cuda {

// Returns each kernel's registers, local and static shared memory by its linkage name. What depends on a launch
// (dynamic shared memory, threads, occupancy) stays 0. Throws std::invalid_argument for what is not a cubin.
inline std::map<std::string, search::ResourceUse> cubin_resources(std::span<const std::byte> cubin) {
  // These attributes of .nv.info have a payload of {symbol index, value}.
  constexpr unsigned char frame_size = 0x11;      // EIATTR_FRAME_SIZE: the function's own stack frame
  constexpr unsigned char min_stack_size = 0x12;  // EIATTR_MIN_STACK_SIZE: with the functions that it calls
  constexpr unsigned char register_count = 0x2f;  // EIATTR_REGCOUNT
  // Since compute capability 9.0 the system keeps the first KiB of every block's shared memory, and counts it in.
  constexpr std::int64_t reserved_shared_bytes = 1024;
  const ElfFile elf = open_cubin(cubin);
  const auto symbols = elf.symbols();
  std::map<std::string, search::ResourceUse> all;
  for (const ElfSymbol& symbol : symbols)
    if (is_kernel(symbol)) all[std::string(symbol.name)];
  if (const Elf64_Shdr* info = elf.find(".nv.info"))
    for (const auto& [number, payload] : cubin_attributes(elf.content(*info))) {
      if (payload.size() != 8) continue;
      const auto index = ElfFile::value_at<std::uint32_t>(payload, 0);
      const std::int64_t value = ElfFile::value_at<std::uint32_t>(payload, 4);
      if (index >= symbols.size() || !is_kernel(symbols[index])) continue;
      search::ResourceUse& use = all[std::string(symbols[index].name)];
      if (number == register_count) use.registers_per_thread = value;
      if (number == frame_size || number == min_stack_size)
        use.local_bytes_per_thread = std::max(use.local_bytes_per_thread, value);
    }
  const std::int64_t reserved = elf.find(".nv.shared.reserved.0") ? reserved_shared_bytes : 0;
  for (auto& [name, use] : all)
    if (const Elf64_Shdr* section = elf.find(".nv.shared." + name))
      use.static_shared_bytes = std::max<std::int64_t>(static_cast<std::int64_t>(section->sh_size) - reserved, 0);
  return all;
}

}  // namespace warptune::tuner::cuda
