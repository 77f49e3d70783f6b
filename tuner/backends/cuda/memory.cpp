#include "tuner/backends/cuda/memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptune::cuda {

DeviceMemory::DeviceMemory(Context& context, std::size_t bytes) : context_(context), bytes_(bytes) {
  const auto current = context_.enter();
  // The driver refuses 0 bytes; an empty buffer still needs an address of its own.
  context_.check(context_.driver().mem_alloc(&address_, std::max<std::size_t>(bytes, 1)), Step::other,
                 [&] { return fmt::format("allocating {} bytes", bytes); });
}

DeviceMemory::~DeviceMemory() {
  context_.release([this] { context_.driver().mem_free(address_); });
}

}  // namespace warptune::cuda
