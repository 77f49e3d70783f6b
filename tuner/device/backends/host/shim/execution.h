// CUDA's execution model: qualifiers, indices, barriers, and the loop that runs a kernel for thread after thread.

#define WARPTUNE_HOST 1

#define __global__ WARPTUNE_EXPORT
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((__always_inline__))
// Empty, so that `__attribute__((__noinline__))`, as the C++ library and others write it, stays an attribute's list.
// Not inlining a function changes nothing of what it computes. (nvcc gets along with both because it knows the word.)
#define __noinline__
#define __inline_hint__ inline
#define __align__(n) __attribute__((__aligned__(n)))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)

// A block runs on one OS thread from beginning to end, so thread-local storage is block-shared memory. An array
// declared `extern` stays undefined in the object and is given its storage when linking (host_compiler.cpp).
#define __shared__ thread_local

// Everything else is hidden: what is visible in the symbol table is a kernel (module.cpp).
#define WARPTUNE_EXPORT __attribute__((__visibility__("default")))

// A tracked module tells the program of every access (hooks.h), but for those of functions with this mark.
#if WARPTUNE_TRACKED && defined(__clang__)
#define WARPTUNE_UNTRACKED __attribute__((__no_sanitize__("thread", "coverage"), __disable_sanitizer_instrumentation__))
#elif WARPTUNE_TRACKED
#define WARPTUNE_UNTRACKED __attribute__((__no_sanitize_thread__, __no_sanitize_coverage__))
#else
#define WARPTUNE_UNTRACKED
#endif

namespace warptune_host {

extern __shared__ Context context;
__shared__ Context context = {};

WARPTUNE_UNTRACKED inline Word wait(Wait what, unsigned mask, Word value, unsigned argument) {
  return context.runtime->wait(context.scheduler, what, mask, value, argument);
}

// Until a thread of the block waits for another, going from thread to thread is a plain loop.
WARPTUNE_UNTRACKED inline bool next_thread() {
  Context& c = context;
  if (c.waited) return c.runtime->next_thread(c.scheduler);
  if (++c.begun == c.threads) return false;
  if (c.step != 1) {
    c.linear = static_cast<unsigned>((static_cast<Word>(c.linear) + c.step) % c.threads);
    c.thread.x = c.linear % c.block_size.x;
    c.thread.y = c.linear / c.block_size.x % c.block_size.y;
    c.thread.z = c.linear / c.block_size.x / c.block_size.y;
    return true;
  }
  ++c.linear;
  if (++c.thread.x < c.block_size.x) return true;
  c.thread.x = 0;
  if (++c.thread.y < c.block_size.y) return true;
  c.thread.y = 0;
  ++c.thread.z;
  return true;
}

// What a kernel that makes its own barrier says of it: what a thread does before it releases an object is done when
// another has acquired it. The barrier's own accesses are to be in functions that are WARPTUNE_UNTRACKED.
#if WARPTUNE_TRACKED
WARPTUNE_UNTRACKED inline void release(const void* object) {
  context.runtime->step(context.scheduler, kRelease, object);
}
WARPTUNE_UNTRACKED inline void acquire(const void* object) {
  context.runtime->step(context.scheduler, kAcquire, object);
}
WARPTUNE_UNTRACKED inline void __note_access(Access kind, const void* address, Word bytes, const void* from) {
  context.runtime->access(context.scheduler, kind, address, bytes, from);
}
#define WARPTUNE_NOTE(kind, address, bytes) \
  warptune_host::__note_access(warptune_host::kind, (const void*)(address), bytes, __builtin_return_address(0))
#else
inline void release(const void*) {}
inline void acquire(const void*) {}
#define WARPTUNE_NOTE(kind, address, bytes) static_cast<void>(0)
#endif

#if WARPTUNE_TRACKED
// A number of 16 bits is copied by code that tells of its accesses (numbers16.h), and the launch's arguments are no
// memory that a kernel may touch: what it is copied from lies on the thread's own stack.
template <class T>
struct Argument {
  WARPTUNE_UNTRACKED explicit Argument(const void* from) { __builtin_memcpy(bytes, from, sizeof(T)); }
  WARPTUNE_UNTRACKED T& value() { return *reinterpret_cast<T*>(bytes); }
  alignas(T) unsigned char bytes[sizeof(T)];
};
#define WARPTUNE_ARGUMENT(T, from) warptune_host::Argument<T>(from).value()
#else
#define WARPTUNE_ARGUMENT(T, from) (*static_cast<T*>(from))
#endif

// Every thread gets its own copy of the arguments, as a kernel may change its parameters.
template <class... P, unsigned... I>
WARPTUNE_UNTRACKED inline void run(void (*kernel)(P...), void** arguments, Indices<I...>) {
  (void)arguments;
  do {
    kernel(WARPTUNE_ARGUMENT(typename Stored<P>::type, arguments[I])...);
  } while (next_thread());
}

template <class... P>
WARPTUNE_UNTRACKED inline void __run(void (*kernel)(P...), void** arguments) {
  run(kernel, arguments, typename MakeIndices<sizeof...(P)>::type());
}

template <class... P>
inline KernelEntry __entry(void (*kernel)(P...), void (*run)(void**)) {
  // Not an array of its own: a template's static data would be unique to the process, and keep the library loaded.
  const unsigned bytes[] = {static_cast<unsigned>(sizeof(typename Stored<P>::type))..., 0};
  KernelEntry made = {run, reinterpret_cast<void (*)()>(kernel), static_cast<unsigned>(sizeof...(P)), {}};
  for (unsigned i = 0; i < sizeof...(P) && i < sizeof made.parameter_bytes / sizeof(unsigned); ++i)
    made.parameter_bytes[i] = bytes[i];
  return made;
}

}  // namespace warptune_host

extern "C" WARPTUNE_EXPORT WARPTUNE_UNTRACKED warptune_host::Context* warptune_context() {
  return &warptune_host::context;
}

typedef warptune_host::Index3 uint3;

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

// What is read behind the user's macros (CUDA's headers in include/, the kernels' entries, and macros of the shim that
// kernels expand) has reserved names only: a parameter may be called block_size.
namespace warptune_host {

typedef Word __word;
typedef KernelEntry __kernel_entry;
typedef SymbolEntry __symbol_entry;
constexpr Access __atomic_access = kAtomic;

WARPTUNE_UNTRACKED inline unsigned __linear() {
  return context.linear;
}
WARPTUNE_UNTRACKED inline unsigned __threads() {
  return context.threads;
}
WARPTUNE_UNTRACKED inline const uint3& __thread_index() {
  return context.thread;
}
WARPTUNE_UNTRACKED inline const uint3& __block_index() {
  return context.block;
}
WARPTUNE_UNTRACKED inline const uint3& __block_size() {
  return context.block_size;
}
WARPTUNE_UNTRACKED inline const uint3& __grid_size() {
  return context.grid_size;
}

}  // namespace warptune_host

#define threadIdx (warptune_host::__thread_index())
#define blockIdx (warptune_host::__block_index())
#define blockDim (warptune_host::__block_size())
#define gridDim (warptune_host::__grid_size())
constexpr int warpSize __attribute__((unused)) = 32;

inline void __syncthreads() {
  warptune_host::wait(warptune_host::kBlockBarrier, 0, 0, 0);
}
inline int __syncthreads_count(int predicate) {
  return static_cast<int>(warptune_host::wait(warptune_host::kBlockCount, 0, predicate != 0, 0));
}
inline int __syncthreads_and(int predicate) {
  return static_cast<int>(warptune_host::wait(warptune_host::kBlockAnd, 0, predicate != 0, 0));
}
inline int __syncthreads_or(int predicate) {
  return static_cast<int>(warptune_host::wait(warptune_host::kBlockOr, 0, predicate != 0, 0));
}

// Shared memory has no addresses of its own, and asynchronous copies are done at once.
inline size_t __cvta_generic_to_shared(const void* address) {
  return reinterpret_cast<size_t>(address);
}
inline size_t __cvta_generic_to_global(const void* address) {
  return reinterpret_cast<size_t>(address);
}
inline void* __cvta_shared_to_generic(size_t address) {
  return reinterpret_cast<void*>(address);
}
inline void* __cvta_global_to_generic(size_t address) {
  return reinterpret_cast<void*>(address);
}
WARPTUNE_UNTRACKED inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  if (zeros < bytes) WARPTUNE_NOTE(kRead, from, bytes - zeros);
  WARPTUNE_NOTE(kWrite, to, bytes);
  __builtin_memcpy(to, from, bytes - zeros);
  __builtin_memset(static_cast<char*>(to) + bytes - zeros, 0, zeros);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(size_t) {}

inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// Programmatic dependent launches: here each launch begins when the one before it has ended.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

// Lets the block's other threads go on: the one way to wait for them without a barrier.
WARPTUNE_UNTRACKED inline void __nanosleep(unsigned) {
  warptune_host::context.runtime->yield(warptune_host::context.scheduler);
}
