// CUDA's <cooperative_groups/memcpy_async.h> on the host: the group's threads copy at once, each its share of the
// bytes.
#ifndef WARPTUNE_HOST_COOPERATIVE_GROUPS_MEMCPY_ASYNC
#define WARPTUNE_HOST_COOPERATIVE_GROUPS_MEMCPY_ASYNC

#include <cooperative_groups.h>

namespace cuda {

// A size that promises the alignment of both addresses.
template <size_t __alignment>
struct aligned_size_t {
  size_t __value;
  constexpr explicit aligned_size_t(size_t __bytes) : __value(__bytes) {}
  constexpr operator size_t() const { return __value; }
};

}  // namespace cuda

namespace cooperative_groups {

template <class __Group, class __Element, class __Bytes>
inline void memcpy_async(const __Group& __group, __Element* __to, const __Element* __from, const __Bytes& __bytes) {
  constexpr size_t __share = 16;
  const size_t all = static_cast<size_t>(__bytes);
  for (size_t __at = __group.thread_rank() * __share; __at < all; __at += __group.size() * __share)
    __pipeline_memcpy_async(reinterpret_cast<char*>(__to) + __at, reinterpret_cast<const char*>(__from) + __at,
                            all - __at < __share ? all - __at : __share);
}
// So many elements as there are of both.
template <class __Group, class __Element, class __To, class __From>
inline void memcpy_async(const __Group& __group, __Element* __to, const __To& __places, const __Element* __from,
                         const __From& __elements) {
  const size_t __wanted = static_cast<size_t>(__elements), __room = static_cast<size_t>(__places);
  memcpy_async(__group, __to, __from, (__wanted < __room ? __wanted : __room) * sizeof(__Element));
}
template <class __Group>
inline void wait(const __Group& __group) {
  __group.sync();
}
template <unsigned __stages, class __Group>
inline void wait_prior(const __Group& __group) {
  __group.sync();
}

}  // namespace cooperative_groups

#endif
