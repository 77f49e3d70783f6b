// Allocates device memory, and compares the sizes of copies.
#include "tuner/device/backends/cuda/driver/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace warptune::tuner::cuda {

void require_same_size(std::size_t to, std::size_t from) {
  if (to != from) throw std::invalid_argument(fmt::format("copying {} bytes into {} bytes", from, to));
}

DeviceMemory::DeviceMemory(Context& context, std::size_t bytes) : context_(context), bytes_(bytes) {
  const auto current = context_.enter();
  // The driver refuses 0 bytes; an empty buffer still needs an address of its own.
  context_.check(context_.driver().mem_alloc(&address_, std::max<std::size_t>(bytes, 1)), Step::other,
                 [&] { return fmt::format("allocating {} bytes", bytes); });
}

DeviceMemory::~DeviceMemory() {
  context_.release([this] { context_.driver().mem_free(address_); });
}

}  // namespace warptune::tuner::cuda
