// Runs the threads of blocks, one block after another, on one OS thread, as fibers that switch only when they wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/trial.h"
#include "tuner/device/backends/host/execution/fiber.h"
#include "tuner/device/backends/host/execution/warp_operations.h"
#include "tuner/device/backends/host/shim/abi.h"

namespace warptune::tuner::host {

class AccessTracker;

using warptune_host::Index3;
using warptune_host::Wait;
using warptune_host::Word;

// Says why a launch came to an end in the middle. It becomes a DeviceError at the next synchronize.
struct KernelFailure {
  search::Outcome outcome = search::Outcome::launch_error;
  std::string code;  // "BARRIER_DIVERGENCE", "TRAP", "ASSERT", …
  std::string message;
  std::uint64_t instruction = 0;  // where it was found, in a tracked module; 0: none
};

struct StackPolicy {
  std::size_t bytes = 256 * 1024;
  int noise = -1;              // a file of `bytes` and kStackRoom bytes that stacks begin as
  std::size_t guarded = 1024;  // how many of the scheduler's stacks have noise and a guard page
};
// A stack is at most this much larger than it is meant to be.
inline constexpr std::size_t kStackRoom = 128 * 1024;

// Says in which order the threads of a block begin, and go on after a barrier. CUDA promises none. A kernel that reads
// what a thread before it left, without a barrier, is right in some orders only. So each block draws its own. With
// `either` it is forward or backward, which are equally fast; with `any` it is one of these or a scattered one.
enum class ThreadOrder : unsigned char { forward, either, any };

// Holds what all blocks of a launch have in common.
struct BlockLaunch {
  void (*run)(void** arguments) = nullptr;
  void** arguments = nullptr;
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t seed = 0;            // of the blocks' orders; another one for each launch
  std::span<const std::byte> noise;  // what local memory holds at first
  AccessTracker* tracker = nullptr;  // of a tracked module
};

// One fiber pulls thread after thread of the block. When its thread waits, another fiber goes on pulling; so a kernel
// without barriers is a plain loop on a single fiber, and one with barriers needs a switch for each thread and barrier.
class BlockScheduler {
 public:
  explicit BlockScheduler(StackPolicy policy);
  ~BlockScheduler();
  BlockScheduler(const BlockScheduler&) = delete;
  BlockScheduler& operator=(const BlockScheduler&) = delete;

  // Begin and end a launch. They are called around its blocks, on the OS thread that runs them.
  void begin_launch(const BlockLaunch& launch);
  void end_launch();
  // Runs a block to its end. `context` is the module's, of the calling OS thread, with the launch's sizes and the
  // block's index filled in.
  std::optional<KernelFailure> run(warptune_host::Context& context);

  // Returns the services that kernels call, with a BlockScheduler as the first argument.
  static const warptune_host::Runtime& runtime();

 private:
  // Holds a fiber, and what the thread that it runs is waiting for.
  struct Fiber {
    Fiber(BlockScheduler& scheduler, const StackPolicy& policy, std::size_t count);
    void reset();
    std::size_t kept() const;
    void fill_with_noise(std::span<const std::byte> noise);

    BlockScheduler& owner;
    Stack stack;
    std::size_t number, inset;
    FiberContext context;
    std::uint64_t launch = 0;  // the seed of the last launch that used it
    std::uint64_t blocks = 0;  // how many it has begun
    Index3 thread{};
    unsigned linear = 0;
    Wait what{};
    unsigned mask = 0;
    Lane lane;
    Fiber* next = nullptr;  // in the queue of those that may go on
  };

  // Describes lanes of one warp that wait for the same.
  struct Group {
    Wait what;
    unsigned mask;  // for kActiveMask the source line instead
    unsigned arrived;
  };
  struct Warp {
    unsigned live = 0;  // lanes that have not exited
    std::vector<Group> groups;
  };
  struct Barrier {
    Wait what = Wait::kBlockBarrier;
    unsigned arrived = 0;
    unsigned predicates = 0;
  };

  Word wait(Wait what, unsigned mask, Word value, unsigned argument);
  void wait_for_block(Fiber& self);
  void wait_for_warp(Fiber& self);
  bool next_thread();
  void yield();
  void access(warptune_host::Access kind, const void* address, Word bytes, const void* from);
  void step(warptune_host::Step kind, const void* what);
  [[noreturn]] void fail(KernelFailure failure);

  static void pull_threads(void* fiber);
  void note_first_wait();
  void exit_thread(const Fiber& self);
  void begin_thread(Fiber& fiber);
  void park(Fiber& self);
  void make_current(Fiber& fiber);
  void dispatch(Fiber& self);
  Fiber* next_fiber();
  Fiber* fiber_for_next_thread();
  Fiber& idle_fiber();

  void choose_order(std::uint64_t block);
  unsigned linear_at(unsigned number) const;
  bool release_block(const Fiber* running);
  bool release_group(unsigned warp_index, std::size_t group_index, const Fiber* running);
  bool release_active_masks();
  Fiber& release(Fiber*& waiting, const Fiber* running);
  void make_ready(Fiber& fiber);
  KernelFailure divergence() const;
  std::string describe(const Fiber& fiber) const;

  StackPolicy policy_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::vector<Fiber*> waiting_;  // by linear thread index; null if it does not wait
  std::vector<Warp> warps_;
  Barrier barrier_;
  Fiber* ready_head_ = nullptr;
  Fiber* ready_tail_ = nullptr;
  Fiber* current_ = nullptr;
  FiberContext main_;
  std::optional<KernelFailure> failure_;
  warptune_host::Context* context_ = nullptr;
  BlockLaunch launch_;
  std::optional<long> page_faults_;
  unsigned started_ = 0;
  unsigned exited_ = 0;
};

}  // namespace warptune::tuner::host
