// CUDA's <cooperative_groups/memcpy_async.h> on the host: the group's threads copy at once, each its share of the
// bytes.
#ifndef WARPTUNE_HOST_COOPERATIVE_GROUPS_MEMCPY_ASYNC
#define WARPTUNE_HOST_COOPERATIVE_GROUPS_MEMCPY_ASYNC

#include <cooperative_groups.h>

namespace cuda {

// A size that promises the alignment of both addresses.
template <size_t alignment>
struct aligned_size_t {
  size_t value;
  constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};

}  // namespace cuda

namespace cooperative_groups {

template <class Group, class Element, class Bytes>
inline void memcpy_async(const Group& group, Element* to, const Element* from, const Bytes& bytes) {
  constexpr size_t share = 16;
  const size_t all = static_cast<size_t>(bytes);
  for (size_t at = group.thread_rank() * share; at < all; at += group.size() * share)
    __pipeline_memcpy_async(reinterpret_cast<char*>(to) + at, reinterpret_cast<const char*>(from) + at,
                            all - at < share ? all - at : share);
}
// So many elements as there are of both.
template <class Group, class Element, class To, class From>
inline void memcpy_async(const Group& group, Element* to, const To& places, const Element* from, const From& elements) {
  const size_t wanted = static_cast<size_t>(elements), room = static_cast<size_t>(places);
  memcpy_async(group, to, from, (wanted < room ? wanted : room) * sizeof(Element));
}
template <class Group>
inline void wait(const Group& group) {
  group.sync();
}
template <unsigned stages, class Group>
inline void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups

#endif
