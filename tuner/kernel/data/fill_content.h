// Makes the content of buffers that the host reads from files or computes with a formula for each element.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns the bytes of `elements` elements, or nothing for fills that the device computes or that a function of the
// template writes. Throws std::runtime_error naming the file, and std::invalid_argument for a formula whose value does
// not fit and for a wrong number of given values.
std::optional<std::vector<std::byte>> fill_content(const Fill& fill, ElementType type, std::size_t elements);

}  // namespace warptune::tuner
