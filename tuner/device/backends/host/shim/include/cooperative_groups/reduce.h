// CUDA's <cooperative_groups/reduce.h> on the host. The order of the operations is CUDA's, so that sums of floats are a
// GPU's to the bit.
#ifndef WARPTUNE_HOST_COOPERATIVE_GROUPS_REDUCE
#define WARPTUNE_HOST_COOPERATIVE_GROUPS_REDUCE

#include <cooperative_groups/scan.h>

namespace cooperative_groups {

template <unsigned __Size, class __Parent, class __Value, class __Operation>
inline __Value reduce(const thread_block_tile<__Size, __Parent>& __group, __Value __value, __Operation __operation) {
  for (unsigned __lanes = __Size / 2; __lanes > 0; __lanes /= 2)
    __value = __operation(__value, __group.shfl_xor(__value, __lanes));
  return __value;
}
template <class __Value, class __Operation>
inline __Value reduce(const coalesced_group& __group, __Value __value, __Operation __operation) {
  return __group.shfl(inclusive_scan(__group, __value, __operation), __group.size() - 1);
}

}  // namespace cooperative_groups

#endif
