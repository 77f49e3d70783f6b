// What a compiled kernel module and the program that runs it agree on. The program includes this header, and it is the
// first text of every module. Plain C++11 without includes: it is compiled anew for every configuration.
#ifndef WARPTUNE_HOST_ABI
#define WARPTUNE_HOST_ABI

namespace warptune_host {

// CUDA's uint3.
struct Index3 {
  unsigned int x, y, z;
};

using Word = unsigned long long;  // a lane's value, of up to eight bytes

// What a thread can wait for. Threads of a group that wait for the same thing go on together.
enum Wait : unsigned {
  kBlockBarrier,  // the whole block; `value` is the predicate of the counting forms
  kBlockCount,
  kBlockAnd,
  kBlockOr,
  kWarpBarrier,  // from here on: the lanes of `mask`
  kShuffleIndex,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kMatchAny,
  kMatchAll,
  kReduceAdd,
  kReduceMinSigned,
  kReduceMaxSigned,
  kReduceMinUnsigned,
  kReduceMaxUnsigned,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kActiveMask,  // whoever else comes to this source line (`argument`) before the block can go on no further
};

// What a tracked module tells the program of its threads (hooks.h).
// The last two are of the device's heap: memory is given out, or given back.
enum Access : unsigned { kRead, kWrite, kAtomic, kAtomicRead, kAtomicWrite, kAllocate, kFree };
enum Step : unsigned { kEnterFunction, kLeaveFunction, kBasicBlock, kAcquire, kRelease };

// The program's services. A function that waits may run other threads of the block before it returns.
struct Runtime {
  Word (*wait)(void* scheduler, Wait what, unsigned mask, Word value, unsigned argument);
  bool (*next_thread)(void* scheduler);
  void (*yield)(void* scheduler);
  // Ends the launch; never returns. `code` is the error's short name.
  void (*fail)(void* scheduler, const char* code, const char* message);
  // From a tracked module alone. `from` is the instruction behind the access; `what` the caller's, or an object.
  void (*access)(void* scheduler, Access kind, const void* address, Word bytes, const void* from);
  void (*step)(void* scheduler, Step kind, const void* what);
};

// The running thread's place, one for each OS thread and module, in the module's thread-local storage. The program
// rewrites `thread` and `linear` whenever it lets another thread of the block go on.
struct Context {
  Index3 thread, block, block_size, grid_size;
  unsigned linear;   // of the thread in its block
  unsigned threads;  // in a block
  // Threads begin in the order first, first + step, first + 2 step … modulo `threads`, which `step` has no divisor in
  // common with.
  unsigned first, step;
  unsigned begun;  // how many have begun before this one, as long as none has waited
  bool waited;     // a thread of this block has waited: the scheduler keeps the books from then on
  void* scheduler;
  const Runtime* runtime;
};

// What a CUtensorMap holds here. Dimensions as the driver orders them: the innermost first.
struct alignas(64) TensorMap {
  Word address;
  Word shape[5];    // elements
  Word strides[5];  // bytes; the innermost dimension's is that of an element
  unsigned box[5];  // elements
  unsigned rank;
  unsigned swizzle_bytes;  // 0, 32, 64 or 128
};

// What a module exports: one of these for each kernel and symbol that was asked for, and `warptune_context`.
struct KernelEntry {
  void (*run)(void** arguments);  // runs the context's thread, then thread after thread while there are any
  void (*function)();             // the kernel itself: its address leads to its name in the symbol table
  unsigned parameters;
  unsigned parameter_bytes[64];  // of those that have room here
};
struct SymbolEntry {
  const volatile void* address;
  Word bytes;
};
using ContextFunction = Context*();

}  // namespace warptune_host

#endif
