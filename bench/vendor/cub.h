// How CUB is called: once to ask how much scratch it needs, then for the work.
#pragma once

#include "harness.h"

namespace vendor {

// call(scratch, bytes) returns CUB's status.
template <class Call>
double cub_ms(const Outputs& outputs, Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "asking CUB for its scratch size");
  Array<unsigned char> scratch(bytes);
  return median_ms([&] { check(call(scratch.get(), bytes), "a CUB call"); }, outputs);
}

}  // namespace vendor
