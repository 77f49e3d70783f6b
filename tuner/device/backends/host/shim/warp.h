// Warp-level functions: every one is a wait of the lanes in the mask for each other, whose result the scheduler
// computes for all of them at once (warp_operations.cpp).

namespace warptune_host {

template <class T>
inline Word __to_word(T value) {
  static_assert(sizeof(T) <= sizeof(Word), "a lane exchanges at most eight bytes");
  Word word = 0;
  __builtin_memcpy(&word, &value, sizeof(T));
  return word;
}

template <class T>
inline T __from_word(Word word) {
  T value;
  __builtin_memcpy(static_cast<void*>(&value), &word, sizeof(T));
  return value;
}

template <class T>
inline T shuffle(Wait how, unsigned mask, T value, unsigned argument, int width) {
  const unsigned packed = (static_cast<unsigned>(width) << 8) | (argument < 32 ? argument : 32);
  return __from_word<T>(wait(how, mask, __to_word(value), packed));
}

inline unsigned reduce(Wait how, unsigned mask, unsigned value) {
  return static_cast<unsigned>(wait(how, mask, value, 0));
}

}  // namespace warptune_host

inline void __syncwarp(unsigned mask = 0xffffffffu) {
  warptune_host::wait(warptune_host::kWarpBarrier, mask, 0, 0);
}

template <class T>
inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  return warptune_host::shuffle(warptune_host::kShuffleIndex, mask, value, static_cast<unsigned>(lane) & 31, width);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return warptune_host::shuffle(warptune_host::kShuffleUp, mask, value, delta, width);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return warptune_host::shuffle(warptune_host::kShuffleDown, mask, value, delta, width);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  return warptune_host::shuffle(warptune_host::kShuffleXor, mask, value, static_cast<unsigned>(lanes) & 31, width);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(warptune_host::wait(warptune_host::kBallot, mask, predicate != 0, 0));
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}

template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
  return static_cast<unsigned>(warptune_host::wait(warptune_host::kMatchAny, mask, warptune_host::__to_word(value), 0));
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* all_equal) {
  const auto word = warptune_host::__to_word(value);
  const auto lanes = static_cast<unsigned>(warptune_host::wait(warptune_host::kMatchAll, mask, word, 0));
  *all_equal = lanes != 0;
  return lanes;
}

// On a GPU: the lanes that happen to run this instruction together. Here: those that come to this line.
inline unsigned __activemask(unsigned line = __builtin_LINE()) {
  return static_cast<unsigned>(warptune_host::wait(warptune_host::kActiveMask, 0, 0, line));
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return warptune_host::reduce(warptune_host::kReduceAdd, mask, value);
}
inline int __reduce_add_sync(unsigned mask, int value) {
  return static_cast<int>(warptune_host::reduce(warptune_host::kReduceAdd, mask, static_cast<unsigned>(value)));
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return warptune_host::reduce(warptune_host::kReduceMinUnsigned, mask, value);
}
inline int __reduce_min_sync(unsigned mask, int value) {
  return static_cast<int>(warptune_host::reduce(warptune_host::kReduceMinSigned, mask, static_cast<unsigned>(value)));
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return warptune_host::reduce(warptune_host::kReduceMaxUnsigned, mask, value);
}
inline int __reduce_max_sync(unsigned mask, int value) {
  return static_cast<int>(warptune_host::reduce(warptune_host::kReduceMaxSigned, mask, static_cast<unsigned>(value)));
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return warptune_host::reduce(warptune_host::kReduceAnd, mask, value);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return warptune_host::reduce(warptune_host::kReduceOr, mask, value);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return warptune_host::reduce(warptune_host::kReduceXor, mask, value);
}
