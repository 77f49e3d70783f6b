// Fibers on Boost.Context: a stack of one's own, and jumping from one to another within an OS thread.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <optional>

namespace warptune::tuner::host {

// Memory that begins as the bytes of a file, with an inaccessible page below it, so that an overflow crashes instead of
// corrupting. What is never written shares the file's pages.
class Stack {
 public:
  // `bytes` is rounded up to pages; so much is in the file. Without a file it begins as zeros, and has no guard page:
  // such stacks share a mapping, of which a process may have so many. Throws DeviceError(resource_limit, "ENOMEM").
  Stack(std::size_t bytes, std::optional<int> file);
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  std::byte* top() const { return base_ + size_; }
  std::size_t usable_bytes() const { return usable_; }
  // Where the topmost `kept` bytes begin, or the page that they begin in.
  std::byte* floor(std::size_t kept) const;
  // What lies below that is again as it began.
  void renew(std::size_t kept) const;
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
  // While it waits: where its stack ends. What lies below is nobody's.
  std::byte* stack_end() const { return static_cast<std::byte*>(position_); }

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
