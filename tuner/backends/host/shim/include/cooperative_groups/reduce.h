// CUDA's <cooperative_groups/reduce.h> on the host. The order of the operations is CUDA's, so that sums of floats are a
// GPU's to the bit.
#ifndef WARPTUNE_HOST_COOPERATIVE_GROUPS_REDUCE
#define WARPTUNE_HOST_COOPERATIVE_GROUPS_REDUCE

#include <cooperative_groups/scan.h>

namespace cooperative_groups {

template <unsigned Size, class Parent, class Value, class Operation>
inline Value reduce(const thread_block_tile<Size, Parent>& group, Value value, Operation operation) {
  for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2) value = operation(value, group.shfl_xor(value, lanes));
  return value;
}
template <class Value, class Operation>
inline Value reduce(const coalesced_group& group, Value value, Operation operation) {
  return group.shfl(inclusive_scan(group, value, operation), group.size() - 1);
}

}  // namespace cooperative_groups

#endif
