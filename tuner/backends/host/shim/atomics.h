// Atomics, relaxed as CUDA's are. Blocks run on several cores, so they are real ones, for shared memory too: an address
// does not tell what memory it is in.

namespace warptune_host {

// For what the processor has no instruction: compute and try to exchange until nobody came between.
template <class T, class Bits, class F>
inline T update(T* address, F next) {
  static_assert(sizeof(T) == sizeof(Bits), "bits of the value");
  Bits* bits = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    T before;
    __builtin_memcpy(&before, &seen, sizeof(T));
    const T after = next(before);
    Bits wanted;
    __builtin_memcpy(&wanted, &after, sizeof(T));
    if (__atomic_compare_exchange_n(bits, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return before;
  }
}

template <class T>
inline T add_floating(T* address, T value) {
  using Bits = typename Pick<sizeof(T) == 4, unsigned int, unsigned long long>::type;
  return update<T, Bits>(address, [value](T before) { return before + value; });
}

}  // namespace warptune_host

template <class T>
inline T atomicAdd(T* address, warptune_host::Operand<T> value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
inline float atomicAdd(float* address, float value) { return warptune_host::add_floating(address, value); }
inline double atomicAdd(double* address, double value) { return warptune_host::add_floating(address, value); }

template <class T>
inline T atomicSub(T* address, warptune_host::Operand<T> value) {
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicAnd(T* address, warptune_host::Operand<T> value) {
  return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicOr(T* address, warptune_host::Operand<T> value) {
  return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomicXor(T* address, warptune_host::Operand<T> value) {
  return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}

template <class T>
inline T atomicExch(T* address, warptune_host::Operand<T> value) {
  T before;
  __atomic_exchange(address, &value, &before, __ATOMIC_RELAXED);
  return before;
}
template <class T>
inline T atomicCAS(T* address, warptune_host::Operand<T> expected, warptune_host::Operand<T> value) {
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
inline T atomicMin(T* address, warptune_host::Operand<T> value) {
  return warptune_host::update<T, T>(address, [value](T before) { return value < before ? value : before; });
}
template <class T>
inline T atomicMax(T* address, warptune_host::Operand<T> value) {
  return warptune_host::update<T, T>(address, [value](T before) { return value > before ? value : before; });
}

// Wrapping counters: up to `last` and back to zero; down to zero and back to `last`.
inline unsigned atomicInc(unsigned* address, unsigned last) {
  return warptune_host::update<unsigned, unsigned>(address, [last](unsigned n) { return n >= last ? 0 : n + 1; });
}
inline unsigned atomicDec(unsigned* address, unsigned last) {
  return warptune_host::update<unsigned, unsigned>(address,
                                                   [last](unsigned n) { return n == 0 || n > last ? last : n - 1; });
}
