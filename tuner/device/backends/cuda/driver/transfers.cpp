// Queues copies on the stream in use, and makes streams wait for each other by events.
#include "tuner/device/backends/cuda/driver/transfers.h"

#include <fmt/format.h>

#include "tuner/device/backends/cuda/driver/host_memory.h"
#include "tuner/device/backends/cuda/driver/memory.h"
#include "tuner/system/pages.h"

namespace warptune::tuner::cuda {
CudaTransfers::~CudaTransfers() {
  context_.release([this] {
    for (const CUevent event : events_) context_.driver().event_destroy(event);
  });
}

std::unique_ptr<HostMemory> CudaTransfers::allocate(std::size_t bytes, HostMemoryKind kind) {
  return allocate_host_memory(context_, bytes, kind);
}

// Going back to stream 0 works after a loss of the context, too, because whoever cleans up must not throw.
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

void CudaTransfers::prefetch(MemorySpan managed, bool to_host) {
  if (managed.bytes == 0) return;
  const auto current = context_.enter();
  context_.check(
      context_.driver().prefetch(managed.address, managed.bytes, to_host, context_.device(), context_.stream()),
      Step::other, [&] {
        return fmt::format("prefetching {} bytes of managed memory to the {}", managed.bytes,
                           to_host ? "host" : "device");
      });
}

// The wait has the time-out; a page fault on the host behind a kernel that never ends would have none.
void CudaTransfers::touch(std::span<const std::byte> memory) {
  const auto current = context_.enter();
  context_.wait();
  read_every_page(memory);
}

}  // namespace warptune::tuner::cuda
