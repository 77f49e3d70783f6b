// Fibers on Boost.Context: a stack of one's own, and jumping from one to another within an OS thread.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace warptune::tuner::host {

// Anonymous memory with an inaccessible page below it, so that an overflow crashes instead of corrupting.
class Stack {
 public:
  // `bytes` is rounded up to pages. Throws DeviceError(resource_limit, "ENOMEM").
  Stack(std::size_t bytes, bool guarded);
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  std::byte* top() const { return base_ + size_; }
  std::size_t usable_bytes() const { return usable_; }
  // For the address sanitizer: no frame is on this stack any more.
  void forget_frames() const;

 private:
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t usable_ = 0;
};

// A point to jump to. The fcontext interface instead of boost::context::fiber, because a fiber that hangs in a failed
// kernel is dropped without unwinding: the frames belong to another compiler's code, which may be noexcept.
class FiberContext {
 public:
  // The running thread of control; becomes valid by jumping away from it.
  FiberContext() = default;
  // One that begins with `entry(argument)` on `stack`, `inset` bytes below its top. `entry` must never return.
  void prepare(const Stack& stack, std::size_t inset, void (*entry)(void*), void* argument);
  // Goes on at `to`; returns when something jumps here.
  void jump(FiberContext& to);

 private:
  struct Start {
    void (*entry)(void*);
    void* argument;
  };
  static void begin(boost::context::detail::transfer_t transfer);

  boost::context::detail::fcontext_t position_ = nullptr;
  Start start_{};
};

}  // namespace warptune::tuner::host
