// Tells the type that a function's parameter has or points to, where its text alone says so for certain, and which
// buffers fit.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tuner/device/element_type.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner {

// Returns whether the source gives the name a meaning of its own, as by a macro or a typedef.
using IsRedefined = std::function<bool(const std::string&)>;

// Returns the element type of a pointer such as `const float* __restrict__ x` or `int x[]`. Returns nothing where the
// text does not tell, and for pointers that take any bytes: void*, characters, structures, vectors, names of the
// source's own, pointers to pointers.
std::optional<ElementType> pointed_element(TokenSpan parameter, const IsRedefined& is_redefined);

// Returns the type of a scalar such as `const float a` or `int n`, in the same way. Returns nothing for pointers,
// references, characters and the rest.
std::optional<ElementType> scalar_element(TokenSpan parameter, const IsRedefined& is_redefined);

// Returns whether a kernel may read a buffer of the one type through a pointer to the other. Both must have the same
// size, and be integers or be real numbers. There are exceptions: unsigned integers are also how the bits of real
// numbers are compared (atomicMax), 16 bits are how half and bfloat16 are written without a header, and 32 bits hold
// four integers of 8, as __dp4a takes them.
bool fits_pointer(ElementType buffer, ElementType pointed);

}  // namespace warptune::tuner
