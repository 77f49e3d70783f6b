// What a tracked module is linked with: the functions that -fsanitize=thread and -fsanitize-coverage=trace-pc make the
// compiler call. They tell the program of each access and each basic block (access_tracker.h); no sanitizer's
// own library takes part. A text of its own behind abi.h, compiled without these options.
//
// Names and types are those of LLVM's tsan_interface.h and tsan_interface_atomic.h, which GCC follows.

namespace warptune_host {

// The module's, as execution.h defines it; `__thread` because nothing has to be initialised on first use.
extern __thread Context context;

// A module's initialisers run before any kernel: there is nobody to tell.
static inline void note(Access kind, const volatile void* address, Word bytes, const void* from) {
  if (context.runtime) context.runtime->access(context.scheduler, kind, const_cast<const void*>(address), bytes, from);
}
static inline void note(Step kind, const void* what) {
  if (context.runtime) context.runtime->step(context.scheduler, kind, what);
}

}  // namespace warptune_host

#define WARPTUNE_HOOK extern "C" __attribute__((visibility("hidden"), noinline, used))
#define WARPTUNE_FROM __builtin_return_address(0)

WARPTUNE_HOOK void __tsan_init() {}
WARPTUNE_HOOK void __tsan_func_entry(void* from) {
  warptune_host::note(warptune_host::kEnterFunction, from);
}
WARPTUNE_HOOK void __tsan_func_exit() {
  warptune_host::note(warptune_host::kLeaveFunction, nullptr);
}
WARPTUNE_HOOK void __sanitizer_cov_trace_pc() {
  warptune_host::note(warptune_host::kBasicBlock, WARPTUNE_FROM);
}

#define WARPTUNE_PLAIN_HOOK(name, kind, bytes)                               \
  WARPTUNE_HOOK void __tsan_##name(void* address) {                          \
    warptune_host::note(warptune_host::kind, address, bytes, WARPTUNE_FROM); \
  }
#define WARPTUNE_PLAIN_HOOKS(bytes)                       \
  WARPTUNE_PLAIN_HOOK(read##bytes, kRead, bytes)          \
  WARPTUNE_PLAIN_HOOK(write##bytes, kWrite, bytes)        \
  WARPTUNE_PLAIN_HOOK(volatile_read##bytes, kRead, bytes) \
  WARPTUNE_PLAIN_HOOK(volatile_write##bytes, kWrite, bytes)
#define WARPTUNE_UNALIGNED_HOOKS(bytes)                    \
  WARPTUNE_PLAIN_HOOK(unaligned_read##bytes, kRead, bytes) \
  WARPTUNE_PLAIN_HOOK(unaligned_write##bytes, kWrite, bytes)
WARPTUNE_PLAIN_HOOKS(1)
WARPTUNE_PLAIN_HOOKS(2)
WARPTUNE_PLAIN_HOOKS(4)
WARPTUNE_PLAIN_HOOKS(8)
WARPTUNE_PLAIN_HOOKS(16)
WARPTUNE_UNALIGNED_HOOKS(2)
WARPTUNE_UNALIGNED_HOOKS(4)
WARPTUNE_UNALIGNED_HOOKS(8)
WARPTUNE_UNALIGNED_HOOKS(16)

WARPTUNE_HOOK void __tsan_read_range(void* address, unsigned long bytes) {
  warptune_host::note(warptune_host::kRead, address, bytes, WARPTUNE_FROM);
}
WARPTUNE_HOOK void __tsan_write_range(void* address, unsigned long bytes) {
  warptune_host::note(warptune_host::kWrite, address, bytes, WARPTUNE_FROM);
}
// The table of virtual functions lies in no device memory.
WARPTUNE_HOOK void __tsan_vptr_update(void**, void*) {}
WARPTUNE_HOOK void __tsan_vptr_read(void**) {}

// Copies of structures come as calls. The loops are their own: the library's functions have these names.
WARPTUNE_HOOK void* memcpy(void* to, const void* from, unsigned long bytes) {
  warptune_host::note(warptune_host::kRead, from, bytes, WARPTUNE_FROM);
  warptune_host::note(warptune_host::kWrite, to, bytes, WARPTUNE_FROM);
  for (unsigned long i = 0; i < bytes; ++i)
    static_cast<volatile char*>(to)[i] = static_cast<const volatile char*>(from)[i];
  return to;
}
WARPTUNE_HOOK void* memmove(void* to, const void* from, unsigned long bytes) {
  if (to <= from) return memcpy(to, from, bytes);
  warptune_host::note(warptune_host::kRead, from, bytes, WARPTUNE_FROM);
  warptune_host::note(warptune_host::kWrite, to, bytes, WARPTUNE_FROM);
  for (unsigned long i = bytes; i-- > 0;)
    static_cast<volatile char*>(to)[i] = static_cast<const volatile char*>(from)[i];
  return to;
}
WARPTUNE_HOOK void* memset(void* to, int value, unsigned long bytes) {
  warptune_host::note(warptune_host::kWrite, to, bytes, WARPTUNE_FROM);
  for (unsigned long i = 0; i < bytes; ++i) static_cast<volatile char*>(to)[i] = static_cast<char>(value);
  return to;
}

#define WARPTUNE_UPDATE_HOOK(bits, T, name, builtin)                          \
  WARPTUNE_HOOK T __tsan_atomic##bits##_##name(volatile T* a, T value, int) { \
    warptune_host::note(warptune_host::kAtomic, a, sizeof(T), WARPTUNE_FROM); \
    return __atomic_##builtin(a, value, __ATOMIC_SEQ_CST);                    \
  }
// A failed comparison gives what is there, as __atomic_compare_exchange_n does.
#define WARPTUNE_EXCHANGE_HOOK(bits, T, name)                                                                       \
  WARPTUNE_HOOK bool __tsan_atomic##bits##_compare_exchange_##name(volatile T* a, T* expected, T value, int, int) { \
    warptune_host::note(warptune_host::kAtomic, a, sizeof(T), WARPTUNE_FROM);                                       \
    return __atomic_compare_exchange_n(a, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);              \
  }
#define WARPTUNE_ATOMIC_HOOKS(bits, T)                                                                       \
  WARPTUNE_HOOK T __tsan_atomic##bits##_load(const volatile T* a, int) {                                     \
    warptune_host::note(warptune_host::kAtomicRead, a, sizeof(T), WARPTUNE_FROM);                            \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                             \
  }                                                                                                          \
  WARPTUNE_HOOK void __tsan_atomic##bits##_store(volatile T* a, T value, int) {                              \
    warptune_host::note(warptune_host::kAtomicWrite, a, sizeof(T), WARPTUNE_FROM);                           \
    __atomic_store_n(a, value, __ATOMIC_SEQ_CST);                                                            \
  }                                                                                                          \
  WARPTUNE_UPDATE_HOOK(bits, T, exchange, exchange_n)                                                        \
  WARPTUNE_UPDATE_HOOK(bits, T, fetch_add, fetch_add)                                                        \
  WARPTUNE_UPDATE_HOOK(bits, T, fetch_sub, fetch_sub)                                                        \
  WARPTUNE_UPDATE_HOOK(bits, T, fetch_and, fetch_and)                                                        \
  WARPTUNE_UPDATE_HOOK(bits, T, fetch_or, fetch_or)                                                          \
  WARPTUNE_UPDATE_HOOK(bits, T, fetch_xor, fetch_xor)                                                        \
  WARPTUNE_UPDATE_HOOK(bits, T, fetch_nand, fetch_nand)                                                      \
  WARPTUNE_EXCHANGE_HOOK(bits, T, strong)                                                                    \
  WARPTUNE_EXCHANGE_HOOK(bits, T, weak)                                                                      \
  WARPTUNE_HOOK T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T expected, T value, int, int) { \
    warptune_host::note(warptune_host::kAtomic, a, sizeof(T), WARPTUNE_FROM);                                \
    __atomic_compare_exchange_n(a, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
    return expected;                                                                                         \
  }
WARPTUNE_ATOMIC_HOOKS(8, unsigned char)
WARPTUNE_ATOMIC_HOOKS(16, unsigned short)
WARPTUNE_ATOMIC_HOOKS(32, unsigned int)
WARPTUNE_ATOMIC_HOOKS(64, unsigned long)
WARPTUNE_HOOK void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
WARPTUNE_HOOK void __tsan_atomic_signal_fence(int) {}

// The device's heap. The module is linked with --wrap for each of these names (host_compiler.cpp). `new` is malloc, as
// in the C++ library, but gives null as on a GPU where there is no memory.
extern "C" void* __real_malloc(unsigned long bytes);
extern "C" void __real_free(void* memory);

namespace warptune_host {

static inline void* allocate(unsigned long bytes, const void* from) {
  void* const memory = __real_malloc(bytes);
  if (memory) note(kAllocate, memory, bytes, from);
  return memory;
}
// Before it is free: another thread may be given it at once.
static inline void release(void* memory, const void* from) {
  if (memory) note(kFree, memory, 1, from);
  __real_free(memory);
}

}  // namespace warptune_host

#define WARPTUNE_ALLOCATION_HOOK(name)                     \
  WARPTUNE_HOOK void* __wrap_##name(unsigned long bytes) { \
    return warptune_host::allocate(bytes, WARPTUNE_FROM);  \
  }
#define WARPTUNE_RELEASE_HOOK(name)                \
  WARPTUNE_HOOK void __wrap_##name(void* memory) { \
    warptune_host::release(memory, WARPTUNE_FROM); \
  }
#define WARPTUNE_SIZED_RELEASE_HOOK(name)                         \
  WARPTUNE_HOOK void __wrap_##name(void* memory, unsigned long) { \
    warptune_host::release(memory, WARPTUNE_FROM);                \
  }
WARPTUNE_ALLOCATION_HOOK(malloc)
WARPTUNE_ALLOCATION_HOOK(_Znwm)  // operator new
WARPTUNE_ALLOCATION_HOOK(_Znam)  // operator new[]
WARPTUNE_RELEASE_HOOK(free)
WARPTUNE_RELEASE_HOOK(_ZdlPv)  // operator delete
WARPTUNE_RELEASE_HOOK(_ZdaPv)  // operator delete[]
WARPTUNE_SIZED_RELEASE_HOOK(_ZdlPvm)
WARPTUNE_SIZED_RELEASE_HOOK(_ZdaPvm)
