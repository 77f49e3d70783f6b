// (float4*)x, reinterpret_cast<const float4*>(x): how kernels that load vectors say so.
#pragma once

#include <cstdint>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// A cast of a pointer to one of another type, at the beginning of tokens; without one, `bytes` is 0.
struct PointerCast {
  std::int64_t bytes = 0;  // of what it points to then
  TokenSpan inner;         // what is cast
  bool to_the_end = true;  // nothing follows; of (T*) what follows is cast with it
};

PointerCast pointer_cast(TokenSpan tokens);

}  // namespace warptune::tuner::draft
