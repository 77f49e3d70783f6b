// CUDA's <cooperative_groups.h> on the host: thread blocks, tiles of a warp, coalesced threads and the grid, on the
// barriers and warp-level functions of the shim.
#ifndef WARPTUNE_HOST_COOPERATIVE_GROUPS
#define WARPTUNE_HOST_COOPERATIVE_GROUPS

namespace warptune_host {

// A shuffle of any plain type, eight bytes at a time.
template <class Value, class Exchange>
inline Value shuffled(const Value& value, Exchange exchange) {
  constexpr unsigned words = (sizeof(Value) + 7) / 8;
  Word parts[words] = {};
  __builtin_memcpy(parts, static_cast<const void*>(&value), sizeof(Value));
  for (unsigned i = 0; i < words; ++i) parts[i] = exchange(parts[i]);
  Value result;
  __builtin_memcpy(static_cast<void*>(&result), parts, sizeof(Value));
  return result;
}

inline unsigned lane() {
  return context.linear % 32;
}
inline unsigned lanes_before() {
  return (1u << lane()) - 1;
}
// The lane of the mask's n-th thread; beyond the last one, this lane.
inline unsigned lane_of_rank(unsigned mask, unsigned n) {
  for (; mask != 0; mask &= mask - 1, --n)
    if (n == 0) return static_cast<unsigned>(__builtin_ctz(mask));
  return lane();
}
// Bit n says what the lane of the mask's n-th thread says in `lanes`.
inline unsigned by_rank(unsigned mask, unsigned lanes) {
  unsigned packed = 0;
  for (unsigned n = 0; mask != 0; mask &= mask - 1, ++n) packed |= (lanes >> __builtin_ctz(mask) & 1) << n;
  return packed;
}

}  // namespace warptune_host

namespace cooperative_groups {

namespace details {

struct LanesOf;

}  // namespace details

// A group whose type the function that takes it does not know: some lanes of a warp, or all of the block.
class thread_group {
 public:
  unsigned long long size() const {
    return mask_ == 0 ? warptune_host::context.threads : static_cast<unsigned>(__builtin_popcount(mask_));
  }
  unsigned long long num_threads() const { return size(); }
  unsigned long long thread_rank() const {
    if (mask_ == 0) return warptune_host::context.linear;
    return static_cast<unsigned>(__builtin_popcount(mask_ & warptune_host::lanes_before()));
  }
  void sync() const { mask_ == 0 ? __syncthreads() : __syncwarp(mask_); }

 protected:
  explicit thread_group(unsigned mask) : mask_(mask) {}
  unsigned mask_;  // of lanes; 0: the whole block
  friend struct details::LanesOf;
};

class thread_block : public thread_group {
 public:
  struct arrival_token {};
  static unsigned size() { return warptune_host::context.threads; }
  static unsigned num_threads() { return warptune_host::context.threads; }
  static unsigned thread_rank() { return warptune_host::context.linear; }
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
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  template <class Value>
  Value shfl(Value value, unsigned rank) const {
    return from_rank(value, rank);
  }
  template <class Value>
  Value shfl_up(Value value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return from_rank(value, rank < delta ? rank : rank - delta);
  }
  template <class Value>
  Value shfl_down(Value value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return from_rank(value, rank + delta >= size() ? rank : rank + delta);
  }
  int any(int predicate) const { return __any_sync(mask_, predicate); }
  int all(int predicate) const { return __all_sync(mask_, predicate); }
  unsigned ballot(int predicate) const { return warptune_host::by_rank(mask_, __ballot_sync(mask_, predicate)); }
  template <class Value>
  unsigned match_any(Value value) const {
    return warptune_host::by_rank(mask_, __match_any_sync(mask_, value));
  }
  template <class Value>
  unsigned match_all(Value value, int& all_equal) const {
    return warptune_host::by_rank(mask_, __match_all_sync(mask_, value, &all_equal));
  }

 protected:
  explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : thread_group(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

 private:
  template <class Value>
  Value from_rank(const Value& value, unsigned rank) const {
    const int source = static_cast<int>(warptune_host::lane_of_rank(mask_, rank));
    return warptune_host::shuffled(value, [&](warptune_host::Word part) { return __shfl_sync(mask_, part, source); });
  }

  unsigned meta_rank_;
  unsigned meta_size_;

  friend coalesced_group coalesced_threads(unsigned line);
  friend struct details::LanesOf;
};

namespace details {

struct LanesOf {
  static unsigned group(const thread_group& group) { return group.mask_; }
  static coalesced_group made(unsigned mask, unsigned meta_rank, unsigned meta_size) {
    return coalesced_group(mask, meta_rank, meta_size);
  }
};

}  // namespace details

// Those that come to this line (see __activemask).
inline coalesced_group coalesced_threads(unsigned line = __builtin_LINE()) {
  return coalesced_group(__activemask(line));
}

// A tile of 1 to 32 threads, a power of two. `Parent` says what it is a tile of.
template <unsigned Size, class Parent = void>
class thread_block_tile : public thread_group {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "on the host a tile has 1, 2, 4, 8, 16 or 32 threads (see: warptune help host)");

 public:
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>& other)
      : thread_block_tile(other.meta_group_rank(), other.meta_group_size()) {}
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned thread_rank() { return warptune_host::context.linear % Size; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  template <class Value>
  Value shfl(const Value& value, int rank) const {
    return exchanged(value, [&](warptune_host::Word part) { return __shfl_sync(mask_, part, rank, Size); });
  }
  template <class Value>
  Value shfl_up(const Value& value, unsigned delta) const {
    return exchanged(value, [&](warptune_host::Word part) { return __shfl_up_sync(mask_, part, delta, Size); });
  }
  template <class Value>
  Value shfl_down(const Value& value, unsigned delta) const {
    return exchanged(value, [&](warptune_host::Word part) { return __shfl_down_sync(mask_, part, delta, Size); });
  }
  template <class Value>
  Value shfl_xor(const Value& value, unsigned lanes) const {
    const int by = static_cast<int>(lanes);
    return exchanged(value, [&](warptune_host::Word part) { return __shfl_xor_sync(mask_, part, by, Size); });
  }
  int any(int predicate) const { return __any_sync(mask_, predicate); }
  int all(int predicate) const { return __all_sync(mask_, predicate); }
  unsigned ballot(int predicate) const { return __ballot_sync(mask_, predicate) >> first_lane(); }
  template <class Value>
  unsigned match_any(Value value) const {
    return __match_any_sync(mask_, value) >> first_lane();
  }
  template <class Value>
  unsigned match_all(Value value, int& all_equal) const {
    return __match_all_sync(mask_, value, &all_equal) >> first_lane();
  }

 private:
  thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : thread_group(~0u >> (32 - Size) << first_lane()), meta_rank_(meta_rank), meta_size_(meta_size) {}
  static unsigned first_lane() { return warptune_host::lane() / Size * Size; }
  template <class Value, class Exchange>
  static Value exchanged(const Value& value, Exchange exchange) {
    return warptune_host::shuffled(value, exchange);
  }

  unsigned meta_rank_;
  unsigned meta_size_;

  template <unsigned Other, class Any>
  friend class thread_block_tile;
  template <unsigned Tile, class Whole>
  friend thread_block_tile<Tile, Whole> tiled_partition(const Whole& whole);
  friend thread_block_tile<1> this_thread();
};

template <unsigned Tile, class Whole>
inline thread_block_tile<Tile, Whole> tiled_partition(const Whole& whole) {
  return {static_cast<unsigned>(whole.thread_rank()) / Tile, (static_cast<unsigned>(whole.size()) + Tile - 1) / Tile};
}
inline thread_block_tile<1> this_thread() {
  return {0u, 1u};
}

// Tiles whose size is known only when the kernel runs: of a block, a power of two up to 32; of coalesced threads, so
// many by rank.
inline thread_group tiled_partition(const thread_block&, unsigned threads) {
  const unsigned first = warptune_host::lane() / threads * threads;
  return details::LanesOf::made(~0u >> (32 - threads) << first, 0, 1);
}
inline coalesced_group tiled_partition(const coalesced_group& whole, unsigned threads) {
  const unsigned tile = whole.thread_rank() / threads;
  unsigned mask = 0, rest = details::LanesOf::group(whole);
  for (unsigned rank = 0; rest != 0; rest &= rest - 1, ++rank)
    if (rank / threads == tile) mask |= rest & (0 - rest);
  return details::LanesOf::made(mask, tile, (whole.size() + threads - 1) / threads);
}

// Those threads of the group that say the same.
template <class Group>
inline coalesced_group binary_partition(const Group& whole, bool predicate) {
  const unsigned all = details::LanesOf::group(whole), yes = __ballot_sync(all, predicate);
  return details::LanesOf::made(predicate ? yes : all & ~yes, predicate ? 1 : 0, 2);
}
template <class Group, class Label>
inline coalesced_group labeled_partition(const Group& whole, Label label) {
  const unsigned all = details::LanesOf::group(whole), mine = __match_any_sync(all, label);
  const unsigned first = mine & (0 - mine);  // it speaks for the label
  const unsigned firsts = __ballot_sync(all, first == 1u << warptune_host::lane());
  return details::LanesOf::made(mine, static_cast<unsigned>(__builtin_popcount(firsts & (first - 1))),
                                static_cast<unsigned>(__builtin_popcount(firsts)));
}

// All blocks of the launch. Blocks run one after another on each core, so that they cannot wait for each other.
class grid_group {
 public:
  static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long size() { return num_blocks() * warptune_host::context.threads; }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long block_rank() {
    return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static unsigned long long thread_rank() {
    return block_rank() * warptune_host::context.threads + warptune_host::context.linear;
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
  [[noreturn]] static void sync() {
    warptune_host::fail(
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

template <class Group>
inline void sync(const Group& group) {
  group.sync();
}
template <class Group>
inline auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
inline auto group_size(const Group& group) -> decltype(group.num_threads()) {
  return group.num_threads();
}

}  // namespace cooperative_groups

#endif
