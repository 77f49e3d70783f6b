// CUDA's <cooperative_groups/scan.h> on the host, with CUDA's order of operations; and the operations themselves.
#ifndef WARPTUNE_HOST_COOPERATIVE_GROUPS_SCAN
#define WARPTUNE_HOST_COOPERATIVE_GROUPS_SCAN

#include <cooperative_groups.h>

namespace cooperative_groups {

#define WARPTUNE_OPERATION(name, expression)                                      \
  template <class Value>                                                          \
  struct name {                                                                   \
    Value operator()(const Value& a, const Value& b) const { return expression; } \
  };
WARPTUNE_OPERATION(plus, a + b)
WARPTUNE_OPERATION(less, b < a ? b : a)
WARPTUNE_OPERATION(greater, a < b ? b : a)
WARPTUNE_OPERATION(bit_and, a& b)
WARPTUNE_OPERATION(bit_or, a | b)
WARPTUNE_OPERATION(bit_xor, a ^ b)
#undef WARPTUNE_OPERATION

template <class Group, class Value, class Operation>
inline Value inclusive_scan(const Group& group, Value value, Operation operation) {
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const Value before = group.shfl_up(value, distance);
    if (distance <= group.thread_rank()) value = operation(value, before);
  }
  return value;
}
template <class Group, class Value>
inline Value inclusive_scan(const Group& group, Value value) {
  return inclusive_scan(group, value, plus<Value>());
}
template <class Group, class Value, class Operation>
inline Value exclusive_scan(const Group& group, Value value, Operation operation) {
  const Value before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? Value() : before;
}
template <class Group, class Value>
inline Value exclusive_scan(const Group& group, Value value) {
  return exclusive_scan(group, value, plus<Value>());
}

}  // namespace cooperative_groups

#endif
