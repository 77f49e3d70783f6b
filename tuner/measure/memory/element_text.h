// Formats elements of device buffers for messages.
#pragma once

#include <string>

#include "tuner/device/device.h"
#include "tuner/device/element_type.h"

namespace warptune::tuner {

// Fetches one element of a device buffer, and returns it as text for a message.
std::string element_text(Device& device, MemorySpan buffer, ElementType type, std::size_t index);

}  // namespace warptune::tuner
