#include "tuner/backends/cuda/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tuner/backends/cuda/memory.h"

namespace warptune::tuner::cuda {
namespace {

// What the C library gives, in pages that the driver has to copy from or to by itself.
class PageableMemory : public HostMemory {
 public:
  PageableMemory(Context& context, std::size_t bytes)
      : context_(context), bytes_(std::make_unique_for_overwrite<std::byte[]>(bytes)), size_(bytes) {}
  // After a loss of the context a copy may still be under way, and nobody can wait for it: then the memory stays.
  ~PageableMemory() override {
    context_.release([this] { bytes_.reset(); });
    if (bytes_) abandoned().push_back(std::move(bytes_));
  }
  PageableMemory(const PageableMemory&) = delete;
  PageableMemory& operator=(const PageableMemory&) = delete;

  std::span<std::byte> span() const override { return {bytes_.get(), size_}; }

 private:
  // Never freed, so that it outlives whatever the driver still does at the process's end.
  static std::vector<std::unique_ptr<std::byte[]>>& abandoned() {
    static auto* const memory = new std::vector<std::unique_ptr<std::byte[]>>();
    return *memory;
  }

  Context& context_;
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_;
};

class PinnedMemory : public HostMemory {
 public:
  PinnedMemory(Context& context, std::size_t bytes) : context_(context), size_(bytes) {
    const auto current = context_.enter();
    context_.check(context_.driver().mem_host_alloc(&address_, std::max<std::size_t>(bytes, 1), 0), Step::other,
                   [&] { return fmt::format("allocating {} bytes of pinned host memory", bytes); });
  }
  ~PinnedMemory() override {
    context_.release([this] { context_.driver().mem_free_host(address_); });
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  std::span<std::byte> span() const override { return {static_cast<std::byte*>(address_), size_}; }

 private:
  Context& context_;
  void* address_ = nullptr;
  std::size_t size_;
};

}  // namespace

CudaTransfers::~CudaTransfers() {
  context_.release([this] {
    for (const CUevent event : events_) context_.driver().event_destroy(event);
  });
}

std::unique_ptr<HostMemory> CudaTransfers::allocate(std::size_t bytes, bool pinned) {
  if (pinned) return std::make_unique<PinnedMemory>(context_, bytes);
  return std::make_unique<PageableMemory>(context_, bytes);
}

// Back to the first one works after a loss, too: whoever cleans up must not throw.
void CudaTransfers::use_stream(int stream) {
  if (stream == 0) return context_.use_stream(0);
  const auto current = context_.enter();
  context_.use_stream(static_cast<std::size_t>(stream));
}

CUevent CudaTransfers::event(std::size_t stream) {
  while (events_.size() <= stream) {
    CUevent made = nullptr;
    context_.check(context_.driver().event_create(&made, CU_EVENT_DISABLE_TIMING), "creating an event");
    events_.push_back(made);
  }
  return events_[stream];
}

// A wait is for what the event stood for when the wait was queued, so one event serves all waits for a stream.
void CudaTransfers::wait_for(int stream) {
  const auto current = context_.enter();
  const auto index = static_cast<std::size_t>(stream);
  context_.check(context_.driver().event_record(event(index), context_.stream_at(index)), "recording an event");
  context_.check(context_.driver().stream_wait_event(context_.stream(), event(index), 0),
                 "making a stream wait for another");
}

void CudaTransfers::copy_in(MemorySpan to, std::span<const std::byte> from) {
  require_same_size(to.bytes, from.size());
  if (from.empty()) return;
  const auto current = context_.enter();
  context_.check(context_.driver().memcpy_htod_async(to.address, from.data(), from.size(), context_.stream()),
                 Step::other, [&] { return fmt::format("queueing a copy of {} bytes to the device", from.size()); });
}

void CudaTransfers::copy_out(std::span<std::byte> to, MemorySpan from) {
  require_same_size(to.size(), from.bytes);
  if (to.empty()) return;
  const auto current = context_.enter();
  context_.check(context_.driver().memcpy_dtoh_async(to.data(), from.address, to.size(), context_.stream()),
                 Step::other, [&] { return fmt::format("queueing a copy of {} bytes from the device", to.size()); });
}

}  // namespace warptune::tuner::cuda
