// Where the elements of a caller's array lie: CuPy's and PyTorch's by what they say themselves, which costs least; any
// other by DLPack, __cuda_array_interface__ or the buffer protocol. Never a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/device/element_type.h"

namespace warptune::python {

// An element type as frameworks name it.
struct ElementTypes {
  std::string name;  // NumPy's
  tuner::ElementType type = tuner::ElementType::f32;
  mutable nanobind::object numpy = {}, torch = {};  // found when first needed
};
ElementTypes element_types(tuner::ElementType type);

enum class Framework : std::uint8_t { none, torch, cupy, other };

struct ArrayView {
  std::uintptr_t address = 0;
  std::size_t elements = 0;
  Framework framework = Framework::none;
  int device = 0;             // PyTorch's number
  std::uintptr_t stream = 0;  // of __cuda_array_interface__; 0: the default one
};

// Throws nb::value_error or nb::type_error that names the argument: another element type, not contiguous, on the wrong
// side of the bus, read-only where the kernel writes.
ArrayView view_of(nanobind::handle array, const ElementTypes& types, const std::string& name, bool on_host,
                  bool writable);
// Whether it is an array at all, and no number.
bool is_array(nanobind::handle value);
// The extents, for sizes that follow from them.
std::vector<std::int64_t> shape_of(nanobind::handle array);

// The framework's current stream.
std::uintptr_t current_stream(const ArrayView& view);
// Of what a caller gives as a stream: an integer, or an object of CuPy, PyTorch or cuda.core.
std::uintptr_t stream_of(nanobind::handle stream);

}  // namespace warptune::python
