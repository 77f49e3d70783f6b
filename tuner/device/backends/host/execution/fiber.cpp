// Maps stacks with mmap, jumps with Boost's fcontext, copies noise over unused parts of stacks, and asks getrusage for
// page faults.
#include "tuner/device/backends/host/execution/fiber.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <algorithm>
#include <cerrno>

#include "tuner/device/device_error.h"

namespace warptune::tuner::host {

Stack::Stack(std::size_t bytes, std::optional<int> file) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t guard = file ? page : 0;
  usable_ = (bytes + page - 1) / page * page;
  size_ = usable_ + guard;
  constexpr int flags = MAP_PRIVATE | MAP_NORESERVE;
  void* memory = mmap(nullptr, size_, file ? PROT_NONE : PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED && file) {
    base_ = static_cast<std::byte*>(memory);
    memory = mmap(base_ + guard, usable_, PROT_READ | PROT_WRITE, flags | MAP_FIXED, *file, 0);
  }
  if (memory == MAP_FAILED) {
    const int error = errno;
    if (base_ != nullptr) munmap(base_, size_);
    throw DeviceError(search::Outcome::resource_limit, "ENOMEM",
                      std::string("no memory for the stack of a kernel's thread: ") + std::strerror(error) +
                          "; use fewer threads a block, or raise vm.max_map_count");
  }
  if (!file) base_ = static_cast<std::byte*>(memory);
}

std::byte* Stack::floor(std::size_t kept) const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return top() - usable_ + (usable_ - std::min(usable_, kept)) / page * page;
}

void Stack::renew(std::size_t kept) const {
  std::byte* const bottom = top() - usable_;
  madvise(bottom, static_cast<std::size_t>(floor(kept) - bottom), MADV_DONTNEED);
}

Stack::~Stack() {
  forget_frames();
  munmap(base_, size_);
}

// A fiber that was dropped in the middle left its frames marked as in use: whatever is mapped here next would inherit
// that.
void Stack::forget_frames() const {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(top() - usable_bytes(), usable_bytes());
#endif
}

void FiberContext::prepare(const Stack& stack, std::size_t inset, void (*entry)(void*), void* argument) {
  start_ = {entry, argument};
  stack.forget_frames();
  position_ =
      boost::context::detail::make_fcontext(stack.top() - inset, stack.usable_bytes() - inset, &FiberContext::begin);
}

namespace {

struct Jump {
  FiberContext* from;
  FiberContext* to;
};

}  // namespace

void FiberContext::jump(FiberContext& to) {
  Jump jump{this, &to};
  const auto back = boost::context::detail::jump_fcontext(to.position_, &jump);
  Jump& came = *static_cast<Jump*>(back.data);
  came.from->position_ = back.fctx;
}

void FiberContext::begin(boost::context::detail::transfer_t transfer) {
  Jump& came = *static_cast<Jump*>(transfer.data);
  came.from->position_ = transfer.fctx;
  const Start start = came.to->start_;
  start.entry(start.argument);
}

void fill_with_noise(std::byte* begin, std::byte* end, std::span<const std::byte> noise, std::uint64_t seed) {
  const auto bytes = static_cast<std::size_t>(end - begin);
  seed = (seed ^ seed >> 29) * 0xbf58476d1ce4e5b9u;
  std::memcpy(begin, noise.data() + (seed >> 16) % ((noise.size() - bytes) / 16 + 1) * 16, bytes);
}

__attribute__((noinline)) void fill_stack_with_noise(std::span<const std::byte> noise, std::uint64_t seed) {
  std::byte frame[1024];
  fill_with_noise(frame, frame + sizeof frame, noise, seed);
  asm volatile("" : : "r"(frame) : "memory");
}

std::optional<long> page_faults() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return std::nullopt;
  const long faults = usage.ru_minflt + usage.ru_majflt;
  return faults == 0 ? std::nullopt : std::optional(faults);
}

}  // namespace warptune::tuner::host
