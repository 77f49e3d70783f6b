// The content of buffers that the host computes or reads: files, and a formula for each element.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// The bytes of `elements` elements; nothing for fills that the device computes or that a function of the template
// writes. Throws std::runtime_error naming the file, and std::invalid_argument for a formula whose value does not fit
// and for values of another number.
std::optional<std::vector<std::byte>> fill_content(const Fill& fill, ElementType type, std::size_t elements);

}  // namespace warptune::tuner
