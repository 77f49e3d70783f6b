#pragma once

#include <string>

#include "tuner/device/device.h"
#include "tuner/device/element_type.h"

namespace warptune::tuner {

// One element of a device buffer, fetched and written out for a message.
std::string element_text(Device& device, MemorySpan buffer, ElementType type, std::size_t index);

}  // namespace warptune::tuner
