// Atomics, relaxed as CUDA's are. Blocks run on several cores, so they are real ones, for shared memory too: an address
// does not tell what memory it is in. A tracked module tells of each as one access.

namespace warptune_host {

// For what the processor has no instruction: compute and try to exchange until nobody came between.
template <class T, class Bits, class F>
WARPTUNE_UNTRACKED inline T __update(T* address, F next) {
  static_assert(sizeof(T) == sizeof(Bits), "bits of the value");
  Bits* bits = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    T before;
    __builtin_memcpy(static_cast<void*>(&before), &seen, sizeof(T));
    const T after = next(before);
    Bits wanted;
    __builtin_memcpy(&wanted, &after, sizeof(T));
    if (__atomic_compare_exchange_n(bits, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return before;
  }
}

template <class T>
WARPTUNE_UNTRACKED inline T add_floating(T* address, T value) {
  using Bits = typename Pick<sizeof(T) == 4, unsigned int, unsigned long long>::type;
  return __update<T, Bits>(address, [value](T before) { return before + value; });
}

}  // namespace warptune_host

template <class T>
WARPTUNE_UNTRACKED inline T atomicAdd(T* address, warptune_host::Operand<T> value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(T));
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
WARPTUNE_UNTRACKED inline float atomicAdd(float* address, float value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(float));
  return warptune_host::add_floating(address, value);
}
WARPTUNE_UNTRACKED inline double atomicAdd(double* address, double value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(double));
  return warptune_host::add_floating(address, value);
}

template <class T>
WARPTUNE_UNTRACKED inline T atomicSub(T* address, warptune_host::Operand<T> value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(T));
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
template <class T>
WARPTUNE_UNTRACKED inline T atomicAnd(T* address, warptune_host::Operand<T> value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(T));
  return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}
template <class T>
WARPTUNE_UNTRACKED inline T atomicOr(T* address, warptune_host::Operand<T> value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(T));
  return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <class T>
WARPTUNE_UNTRACKED inline T atomicXor(T* address, warptune_host::Operand<T> value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(T));
  return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}

template <class T>
WARPTUNE_UNTRACKED inline T atomicExch(T* address, warptune_host::Operand<T> value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(T));
  T before;
  __atomic_exchange(address, &value, &before, __ATOMIC_RELAXED);
  return before;
}
template <class T>
WARPTUNE_UNTRACKED inline T atomicCAS(T* address, warptune_host::Operand<T> expected, warptune_host::Operand<T> value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(T));
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
WARPTUNE_UNTRACKED inline T atomicMin(T* address, warptune_host::Operand<T> value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(T));
  return warptune_host::__update<T, T>(address, [value](T before) { return value < before ? value : before; });
}
template <class T>
WARPTUNE_UNTRACKED inline T atomicMax(T* address, warptune_host::Operand<T> value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(T));
  return warptune_host::__update<T, T>(address, [value](T before) { return value > before ? value : before; });
}

// Wrapping counters: up to `last` and back to zero; down to zero and back to `last`.
WARPTUNE_UNTRACKED inline unsigned atomicInc(unsigned* address, unsigned last) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(unsigned));
  return warptune_host::__update<unsigned, unsigned>(address, [last](unsigned n) { return n >= last ? 0 : n + 1; });
}
WARPTUNE_UNTRACKED inline unsigned atomicDec(unsigned* address, unsigned last) {
  WARPTUNE_NOTE(kAtomic, address, sizeof(unsigned));
  return warptune_host::__update<unsigned, unsigned>(address,
                                                     [last](unsigned n) { return n == 0 || n > last ? last : n - 1; });
}

// Of vectors each element is added to atomically.
WARPTUNE_UNTRACKED inline float2 atomicAdd(float2* address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
WARPTUNE_UNTRACKED inline float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z),
          atomicAdd(&address->w, value.w)};
}

// For the block or the whole system: the processor knows one scope.
#define WARPTUNE_SCOPES(name)                                           \
  template <class T, class... More>                                     \
  WARPTUNE_UNTRACKED inline T name##_block(T* address, More... more) {  \
    return name(address, more...);                                      \
  }                                                                     \
  template <class T, class... More>                                     \
  WARPTUNE_UNTRACKED inline T name##_system(T* address, More... more) { \
    return name(address, more...);                                      \
  }
WARPTUNE_SCOPES(atomicAdd)
WARPTUNE_SCOPES(atomicSub)
WARPTUNE_SCOPES(atomicExch)
WARPTUNE_SCOPES(atomicMin)
WARPTUNE_SCOPES(atomicMax)
WARPTUNE_SCOPES(atomicInc)
WARPTUNE_SCOPES(atomicDec)
WARPTUNE_SCOPES(atomicCAS)
WARPTUNE_SCOPES(atomicAnd)
WARPTUNE_SCOPES(atomicOr)
WARPTUNE_SCOPES(atomicXor)
#undef WARPTUNE_SCOPES
