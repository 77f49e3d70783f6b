// Reads casts of pointers, by which kernels load vectors: (float4*)x, reinterpret_cast<const float4*>(x).
#pragma once

#include <cstdint>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// PointerCast is a cast of a pointer to one of another type, at the beginning of tokens. Without a cast, `bytes` is 0.
struct PointerCast {
  std::int64_t bytes = 0;  // the size of what the pointer then points to
  TokenSpan inner;         // what is cast
  bool to_the_end = true;  // nothing follows the cast; what follows (T*) belongs to it
};

PointerCast pointer_cast(TokenSpan tokens);

}  // namespace warptune::tuner::draft
