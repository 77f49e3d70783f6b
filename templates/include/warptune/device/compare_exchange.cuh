// The element of all sorting networks: two keys, put in order. Source: Batcher, "Sorting Networks and their
// Applications" (1968).
#pragma once

namespace warptune::device {

// The smaller key is in `lower` afterwards. No branch: two instructions for numbers of 32 bits.
template <class Key>
__device__ inline void put_in_order(Key& lower, Key& upper) {
  const Key smaller = min(lower, upper);
  upper = max(lower, upper);
  lower = smaller;
}

}  // namespace warptune::device
