// CUDA's <cooperative_groups/scan.h> on the host, with CUDA's order of operations; and the operations themselves.
#ifndef WARPTUNE_HOST_COOPERATIVE_GROUPS_SCAN
#define WARPTUNE_HOST_COOPERATIVE_GROUPS_SCAN

#include <cooperative_groups.h>

namespace cooperative_groups {

#define WARPTUNE_OPERATION(__name, __expression)                                              \
  template <class __Value>                                                                    \
  struct __name {                                                                             \
    __Value operator()(const __Value& __a, const __Value& __b) const { return __expression; } \
  };
WARPTUNE_OPERATION(plus, __a + __b)
WARPTUNE_OPERATION(less, __b < __a ? __b : __a)
WARPTUNE_OPERATION(greater, __a < __b ? __b : __a)
WARPTUNE_OPERATION(bit_and, __a& __b)
WARPTUNE_OPERATION(bit_or, __a | __b)
WARPTUNE_OPERATION(bit_xor, __a ^ __b)
#undef WARPTUNE_OPERATION

template <class __Group, class __Value, class __Operation>
inline __Value inclusive_scan(const __Group& __group, __Value __value, __Operation __operation) {
  for (unsigned __distance = 1; __distance < __group.size(); __distance *= 2) {
    const __Value __before = __group.shfl_up(__value, __distance);
    if (__distance <= __group.thread_rank()) __value = __operation(__value, __before);
  }
  return __value;
}
template <class __Group, class __Value>
inline __Value inclusive_scan(const __Group& __group, __Value __value) {
  return inclusive_scan(__group, __value, plus<__Value>());
}
template <class __Group, class __Value, class __Operation>
inline __Value exclusive_scan(const __Group& __group, __Value __value, __Operation __operation) {
  const __Value __before = __group.shfl_up(inclusive_scan(__group, __value, __operation), 1);
  return __group.thread_rank() == 0 ? __Value() : __before;
}
template <class __Group, class __Value>
inline __Value exclusive_scan(const __Group& __group, __Value __value) {
  return exclusive_scan(__group, __value, plus<__Value>());
}

}  // namespace cooperative_groups

#endif
