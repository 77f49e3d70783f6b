// CUDA's <cooperative_groups.h> on the host: thread blocks, tiles of a warp, coalesced threads and the grid, on the
// barriers and warp-level functions of the shim.
#ifndef WARPTUNE_HOST_COOPERATIVE_GROUPS
#define WARPTUNE_HOST_COOPERATIVE_GROUPS

namespace warptune_host {

// A shuffle of any plain type, eight bytes at a time.
template <class __Value, class __Exchange>
inline __Value __shuffled(const __Value& __value, __Exchange __exchange) {
  constexpr unsigned __words = (sizeof(__Value) + 7) / 8;
  __word __parts[__words] = {};
  __builtin_memcpy(__parts, static_cast<const void*>(&__value), sizeof(__Value));
  for (unsigned __i = 0; __i < __words; ++__i) __parts[__i] = __exchange(__parts[__i]);
  __Value __result;
  __builtin_memcpy(static_cast<void*>(&__result), __parts, sizeof(__Value));
  return __result;
}

inline unsigned __lane() {
  return __linear() % 32;
}
inline unsigned __lanes_before() {
  return (1u << __lane()) - 1;
}
// The lane of the mask's n-th thread; beyond the last one, this lane.
inline unsigned __lane_of_rank(unsigned __mask, unsigned __n) {
  for (; __mask != 0; __mask &= __mask - 1, --__n)
    if (__n == 0) return static_cast<unsigned>(__builtin_ctz(__mask));
  return __lane();
}
// Bit n says what the lane of the mask's n-th thread says in `lanes`.
inline unsigned __by_rank(unsigned __mask, unsigned __lanes) {
  unsigned __packed = 0;
  for (unsigned __n = 0; __mask != 0; __mask &= __mask - 1, ++__n)
    __packed |= (__lanes >> __builtin_ctz(__mask) & 1) << __n;
  return __packed;
}

}  // namespace warptune_host

namespace cooperative_groups {

namespace details {

struct __LanesOf;

}  // namespace details

// A group whose type the function that takes it does not know: some lanes of a warp, or all of the block.
class thread_group {
 public:
  unsigned long long size() const {
    return __mask_ == 0 ? warptune_host::__threads() : static_cast<unsigned>(__builtin_popcount(__mask_));
  }
  unsigned long long num_threads() const { return size(); }
  unsigned long long thread_rank() const {
    if (__mask_ == 0) return warptune_host::__linear();
    return static_cast<unsigned>(__builtin_popcount(__mask_ & warptune_host::__lanes_before()));
  }
  void sync() const { __mask_ == 0 ? __syncthreads() : __syncwarp(__mask_); }

 protected:
  explicit thread_group(unsigned __mask) : __mask_(__mask) {}
  unsigned __mask_;  // of lanes; 0: the whole block
  friend struct details::__LanesOf;
};

class thread_block : public thread_group {
 public:
  struct arrival_token {};
  static unsigned size() { return warptune_host::__threads(); }
  static unsigned num_threads() { return warptune_host::__threads(); }
  static unsigned thread_rank() { return warptune_host::__linear(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  static void sync() { __syncthreads(); }
  // Who has arrived waits later, which is when all wait.
  arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(arrival_token&&) const { __syncthreads(); }

 private:
  thread_block() : thread_group(0) {}
  friend thread_block this_thread_block();
};

inline thread_block this_thread_block() {
  return thread_block();
}

// Any lanes of a warp, numbered in their order.
class coalesced_group : public thread_group {
 public:
  unsigned size() const { return static_cast<unsigned>(thread_group::size()); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return static_cast<unsigned>(thread_group::thread_rank()); }
  unsigned meta_group_rank() const { return __meta_rank_; }
  unsigned meta_group_size() const { return __meta_size_; }
  template <class __Value>
  __Value shfl(__Value __value, unsigned __rank) const {
    return __from_rank(__value, __rank);
  }
  template <class __Value>
  __Value shfl_up(__Value __value, unsigned __delta) const {
    const unsigned __rank = thread_rank();
    return __from_rank(__value, __rank < __delta ? __rank : __rank - __delta);
  }
  template <class __Value>
  __Value shfl_down(__Value __value, unsigned __delta) const {
    const unsigned __rank = thread_rank();
    return __from_rank(__value, __rank + __delta >= size() ? __rank : __rank + __delta);
  }
  int any(int __predicate) const { return __any_sync(__mask_, __predicate); }
  int all(int __predicate) const { return __all_sync(__mask_, __predicate); }
  unsigned ballot(int __predicate) const {
    return warptune_host::__by_rank(__mask_, __ballot_sync(__mask_, __predicate));
  }
  template <class __Value>
  unsigned match_any(__Value __value) const {
    return warptune_host::__by_rank(__mask_, __match_any_sync(__mask_, __value));
  }
  template <class __Value>
  unsigned match_all(__Value __value, int& __all_equal) const {
    return warptune_host::__by_rank(__mask_, __match_all_sync(__mask_, __value, &__all_equal));
  }

 protected:
  explicit coalesced_group(unsigned __mask, unsigned __meta_rank = 0, unsigned __meta_size = 1)
      : thread_group(__mask), __meta_rank_(__meta_rank), __meta_size_(__meta_size) {}

 private:
  template <class __Value>
  __Value __from_rank(const __Value& __value, unsigned __rank) const {
    const int __source = static_cast<int>(warptune_host::__lane_of_rank(__mask_, __rank));
    return warptune_host::__shuffled(
        __value, [&](warptune_host::__word __part) { return __shfl_sync(__mask_, __part, __source); });
  }

  unsigned __meta_rank_;
  unsigned __meta_size_;

  friend coalesced_group coalesced_threads(unsigned __line);
  friend struct details::__LanesOf;
};

namespace details {

struct __LanesOf {
  static unsigned __group(const thread_group& __group) { return __group.__mask_; }
  static coalesced_group __made(unsigned __mask, unsigned __meta_rank, unsigned __meta_size) {
    return coalesced_group(__mask, __meta_rank, __meta_size);
  }
};

}  // namespace details

// Those that come to this line (see __activemask).
inline coalesced_group coalesced_threads(unsigned __line = __builtin_LINE()) {
  return coalesced_group(__activemask(__line));
}

// A tile of 1 to 32 threads, a power of two. `Parent` says what it is a tile of.
template <unsigned __Size, class __Parent = void>
class thread_block_tile : public thread_group {
  static_assert(__Size >= 1 && __Size <= 32 && (__Size & (__Size - 1)) == 0,
                "on the host a tile has 1, 2, 4, 8, 16 or 32 threads (see: warptune help host)");

 public:
  template <class __Other>
  thread_block_tile(const thread_block_tile<__Size, __Other>& __other)
      : thread_block_tile(__other.meta_group_rank(), __other.meta_group_size()) {}
  static constexpr unsigned size() { return __Size; }
  static constexpr unsigned num_threads() { return __Size; }
  static unsigned thread_rank() { return warptune_host::__linear() % __Size; }
  unsigned meta_group_rank() const { return __meta_rank_; }
  unsigned meta_group_size() const { return __meta_size_; }
  template <class __Value>
  __Value shfl(const __Value& __value, int __rank) const {
    return __exchanged(__value,
                       [&](warptune_host::__word __part) { return __shfl_sync(__mask_, __part, __rank, __Size); });
  }
  template <class __Value>
  __Value shfl_up(const __Value& __value, unsigned __delta) const {
    return __exchanged(__value,
                       [&](warptune_host::__word __part) { return __shfl_up_sync(__mask_, __part, __delta, __Size); });
  }
  template <class __Value>
  __Value shfl_down(const __Value& __value, unsigned __delta) const {
    return __exchanged(
        __value, [&](warptune_host::__word __part) { return __shfl_down_sync(__mask_, __part, __delta, __Size); });
  }
  template <class __Value>
  __Value shfl_xor(const __Value& __value, unsigned __lanes) const {
    const int __by = static_cast<int>(__lanes);
    return __exchanged(__value,
                       [&](warptune_host::__word __part) { return __shfl_xor_sync(__mask_, __part, __by, __Size); });
  }
  int any(int __predicate) const { return __any_sync(__mask_, __predicate); }
  int all(int __predicate) const { return __all_sync(__mask_, __predicate); }
  unsigned ballot(int __predicate) const { return __ballot_sync(__mask_, __predicate) >> __first_lane(); }
  template <class __Value>
  unsigned match_any(__Value __value) const {
    return __match_any_sync(__mask_, __value) >> __first_lane();
  }
  template <class __Value>
  unsigned match_all(__Value __value, int& __all_equal) const {
    return __match_all_sync(__mask_, __value, &__all_equal) >> __first_lane();
  }

 private:
  thread_block_tile(unsigned __meta_rank, unsigned __meta_size)
      : thread_group(~0u >> (32 - __Size) << __first_lane()), __meta_rank_(__meta_rank), __meta_size_(__meta_size) {}
  static unsigned __first_lane() { return warptune_host::__lane() / __Size * __Size; }
  template <class __Value, class __Exchange>
  static __Value __exchanged(const __Value& __value, __Exchange __exchange) {
    return warptune_host::__shuffled(__value, __exchange);
  }

  unsigned __meta_rank_;
  unsigned __meta_size_;

  template <unsigned __Other, class __Any>
  friend class thread_block_tile;
  template <unsigned __Tile, class __Whole>
  friend thread_block_tile<__Tile, __Whole> tiled_partition(const __Whole& __whole);
  friend thread_block_tile<1> this_thread();
};

template <unsigned __Tile, class __Whole>
inline thread_block_tile<__Tile, __Whole> tiled_partition(const __Whole& __whole) {
  return {static_cast<unsigned>(__whole.thread_rank()) / __Tile,
          (static_cast<unsigned>(__whole.size()) + __Tile - 1) / __Tile};
}
inline thread_block_tile<1> this_thread() {
  return {0u, 1u};
}

// Tiles whose size is known only when the kernel runs: of a block, a power of two up to 32; of coalesced threads, so
// many by rank.
inline thread_group tiled_partition(const thread_block&, unsigned __threads) {
  const unsigned __first = warptune_host::__lane() / __threads * __threads;
  return details::__LanesOf::__made(~0u >> (32 - __threads) << __first, 0, 1);
}
inline coalesced_group tiled_partition(const coalesced_group& __whole, unsigned __threads) {
  const unsigned __tile = __whole.thread_rank() / __threads;
  unsigned __mask = 0, __rest = details::__LanesOf::__group(__whole);
  for (unsigned __rank = 0; __rest != 0; __rest &= __rest - 1, ++__rank)
    if (__rank / __threads == __tile) __mask |= __rest & (0 - __rest);
  return details::__LanesOf::__made(__mask, __tile, (__whole.size() + __threads - 1) / __threads);
}

// Those threads of the group that say the same.
template <class __Group>
inline coalesced_group binary_partition(const __Group& __whole, bool __predicate) {
  const unsigned all = details::__LanesOf::__group(__whole), __yes = __ballot_sync(all, __predicate);
  return details::__LanesOf::__made(__predicate ? __yes : all & ~__yes, __predicate ? 1 : 0, 2);
}
template <class __Group, class __Label>
inline coalesced_group labeled_partition(const __Group& __whole, __Label __label) {
  const unsigned all = details::__LanesOf::__group(__whole), __mine = __match_any_sync(all, __label);
  const unsigned __first = __mine & (0 - __mine);  // it speaks for the label
  const unsigned __firsts = __ballot_sync(all, __first == 1u << warptune_host::__lane());
  return details::__LanesOf::__made(__mine, static_cast<unsigned>(__builtin_popcount(__firsts & (__first - 1))),
                                    static_cast<unsigned>(__builtin_popcount(__firsts)));
}

// All blocks of the launch. Blocks run one after another on each core, so that they cannot wait for each other.
class grid_group {
 public:
  static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long size() { return num_blocks() * warptune_host::__threads(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long block_rank() {
    return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static unsigned long long thread_rank() {
    return block_rank() * warptune_host::__threads() + warptune_host::__linear();
  }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 dim_threads() { return {gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z}; }
  static dim3 block_index() { return blockIdx; }
  static dim3 thread_index() {
    return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
            blockIdx.z * blockDim.z + threadIdx.z};
  }
  static bool is_valid() { return false; }
  __attribute__((__noreturn__)) static void sync() {
    warptune_host::__fail(
        "NOT_COOPERATIVE",
        "grid_group::sync() needs a cooperative launch, which the host backend has none of: divide the kernel there "
        "into two launches");
  }

 private:
  grid_group() = default;
  friend grid_group this_grid();
};
inline grid_group this_grid() {
  return grid_group();
}

template <class __Group>
inline void sync(const __Group& __group) {
  __group.sync();
}
template <class __Group>
inline auto thread_rank(const __Group& __group) -> decltype(__group.thread_rank()) {
  return __group.thread_rank();
}
template <class __Group>
inline auto group_size(const __Group& __group) -> decltype(__group.num_threads()) {
  return __group.num_threads();
}

}  // namespace cooperative_groups

#endif
