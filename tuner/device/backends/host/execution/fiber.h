// Declares fibers on Boost.Context: each has a stack of its own, and jumps to another one within an OS thread. A kernel
// finds noise in the parts of a stack that it has not written.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace warptune::tuner::host {

// Owns memory that begins as the bytes of a file, with an inaccessible page below it, so that an overflow crashes
// instead of corrupting. What is never written shares the file's pages.
class Stack {
 public:
  // `bytes` is rounded up to pages; the file has as many. Without a file the stack begins as zeros, and has no guard
  // page: such stacks share a mapping, because a process may have only so many mappings. Throws
  // DeviceError(resource_limit, "ENOMEM").
  Stack(std::size_t bytes, std::optional<int> file);
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  std::byte* top() const { return base_ + size_; }
  std::size_t usable_bytes() const { return usable_; }
  // Returns the beginning of the page in which the topmost `kept` bytes begin.
  std::byte* floor(std::size_t kept) const;
  // Resets what lies below that page to what it was at first.
  void renew(std::size_t kept) const;
  // Tells the address sanitizer that no frame is on this stack any more.
  void forget_frames() const;

 private:
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t usable_ = 0;
};

// Holds a point to jump to. It uses the fcontext interface instead of boost::context::fiber, because a fiber that hangs
// in a failed kernel is dropped without unwinding: the frames belong to another compiler's code, which may be noexcept.
class FiberContext {
 public:
  // Stands for the running thread of control. It becomes valid by jumping away from it.
  FiberContext() = default;
  // Makes this a point that begins with `entry(argument)` on `stack`, `inset` bytes below its top. `entry` must never
  // return.
  void prepare(const Stack& stack, std::size_t inset, void (*entry)(void*), void* argument);
  // Goes on at `to`; returns when something jumps here.
  void jump(FiberContext& to);
  // Returns where the stack ends while the fiber waits. What lies below is not in use.
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

// Fills what lies between the two with a part of the noise that `seed` chooses.
void fill_with_noise(std::byte* begin, std::byte* end, std::span<const std::byte> noise, std::uint64_t seed);
// Does so with 1 KiB of the running stack below the frame of the caller, where a kernel's own frames will lie.
void fill_stack_with_noise(std::span<const std::byte> noise, std::uint64_t seed);

// Returns how many page faults the calling thread has had: whoever touches a page for the first time has one. Returns
// nothing where the system does not count them.
std::optional<long> page_faults();

}  // namespace warptune::tuner::host
