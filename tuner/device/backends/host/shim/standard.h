// assert, traps, clocks and the heap.

// As <stdlib.h> declares them. A tracked module tells of what it allocates (hooks.h).
extern "C" void* malloc(size_t) noexcept(true);
extern "C" void free(void*) noexcept(true);

namespace warptune_host {

[[noreturn]] WARPTUNE_UNTRACKED inline void __fail(const char* code, const char* message) {
  context.runtime->fail(context.scheduler, code, message);
  __builtin_unreachable();
}

}  // namespace warptune_host

// A failed assertion ends the launch, not the program. <assert.h>, if included, takes this over from here on.
#undef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define WARPTUNE_TEXT_(__x) #__x
#define WARPTUNE_TEXT(__x) WARPTUNE_TEXT_(__x)
#define assert(condition)     \
  ((condition)                \
       ? static_cast<void>(0) \
       : warptune_host::__fail("ASSERT", __FILE__ ":" WARPTUNE_TEXT(__LINE__) ": assertion failed: " #condition))
#endif

[[noreturn]] inline void __trap() {
  warptune_host::__fail("TRAP", "__trap() was called");
}
inline void __brkpt() {}
inline void __prof_trigger(int) {}
#if !defined(__clang__)
#define __builtin_assume(condition)            \
  do {                                         \
    if (!(condition)) __builtin_unreachable(); \
  } while (false)
#endif
#define __assume(condition) __builtin_assume(condition)

inline long long clock64() {
#if defined(__x86_64__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#else
  long long ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}
// As <time.h> declares it, which a source may include: clock_t is long.
typedef long clock_t;
extern "C" inline clock_t clock() noexcept(true) {
  return static_cast<long>(clock64());
}
