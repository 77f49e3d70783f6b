// Allocates device memory and host memory of every kind, queues copies on the stream in use, and makes streams wait for
// each other by events. Host memory has three classes: one for pageable, one for pinned and mapped, and one for managed
// memory.
#include "tuner/device/backends/cuda/driver/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tuner/device/host_memory.h"

namespace warptune::tuner::cuda {

void require_same_size(std::size_t to, std::size_t from) {
  if (to != from) throw std::invalid_argument(fmt::format("copying {} bytes into {} bytes", from, to));
}

DeviceMemory::DeviceMemory(Context& context, std::size_t bytes) : context_(context), bytes_(bytes) {
  const auto current = context_.enter();
  // The driver refuses 0 bytes; an empty buffer still needs an address of its own.
  context_.check(context_.driver().mem_alloc(&address_, std::max<std::size_t>(bytes, 1)), Step::other,
                 [&] { return fmt::format("allocating {} bytes", bytes); });
}

DeviceMemory::~DeviceMemory() {
  context_.release([this] { context_.driver().mem_free(address_); });
}

namespace {

// Owns memory of the C library, in pages that the driver has to copy from or to by itself.
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
  MemorySpan on_device() const override { return {}; }

 private:
  // The list is never freed, so that it outlives whatever the driver still does at the process's end.
  static std::vector<std::unique_ptr<std::byte[]>>& abandoned() {
    static auto* const memory = new std::vector<std::unique_ptr<std::byte[]>>();
    return *memory;
  }

  Context& context_;
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_;
};

// Owns memory that is pinned, or mapped as well. With unified addressing all pinned memory is mapped, and the device's
// address is the host's. The address is asked for all the same, because not every platform has unified addressing.
class PinnedMemory : public HostMemory {
 public:
  PinnedMemory(Context& context, std::size_t bytes, bool mapped) : context_(context), size_(bytes) {
    const auto current = context_.enter();
    const char* const kind = mapped ? "mapped" : "pinned";
    context_.check(context_.driver().mem_host_alloc(&address_, std::max<std::size_t>(bytes, 1),
                                                    mapped ? CU_MEMHOSTALLOC_DEVICEMAP : 0),
                   Step::other, [&] { return fmt::format("allocating {} bytes of {} host memory", bytes, kind); });
    if (!mapped) return;
    const CUresult result = context_.driver().mem_host_get_device_pointer(&device_address_, address_, 0);
    if (result == CUDA_SUCCESS) return;
    context_.driver().mem_free_host(address_);  // a constructor that throws has no destructor
    context_.check(result, "asking for the device's address of mapped host memory");
  }
  ~PinnedMemory() override {
    context_.release([this] { context_.driver().mem_free_host(address_); });
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  std::span<std::byte> span() const override { return {static_cast<std::byte*>(address_), size_}; }
  MemorySpan on_device() const override { return device_address_ ? MemorySpan{device_address_, size_} : MemorySpan{}; }

 private:
  Context& context_;
  void* address_ = nullptr;
  CUdeviceptr device_address_ = 0;
  std::size_t size_;
};

// Throws if the device lacks managed memory or concurrent access to it. Without concurrent access pages move as a whole
// at each launch, the host may not look while anything runs, and there is no prefetching. Then there is nothing to
// measure.
void require_managed_memory(Context& context) {
  for (const auto& [attribute, lacks] :
       {std::pair(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, "managed memory"),
        std::pair(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                  "concurrent access to managed memory, without which pages do not move on demand (as under Windows, "
                  "WSL and vGPU, and before compute capability 6.0)")}) {
    int has = 0;
    context.check(context.driver().device_get_attribute(&has, attribute, context.device()), "asking for an attribute");
    if (has == 0)
      throw DeviceError(search::Outcome::resource_limit, "CUDA_ERROR_NOT_SUPPORTED",
                        fmt::format("{} has no {}: choose pageable, pinned or mapped memory", context.label(), lacks));
  }
}

class ManagedMemory : public HostMemory {
 public:
  ManagedMemory(Context& context, std::size_t bytes) : context_(context), size_(bytes) {
    const auto current = context_.enter();
    require_managed_memory(context_);
    context_.check(
        context_.driver().mem_alloc_managed(&address_, std::max<std::size_t>(bytes, 1), CU_MEM_ATTACH_GLOBAL),
        Step::other, [&] { return fmt::format("allocating {} bytes of managed memory", bytes); });
  }
  ~ManagedMemory() override {
    context_.release([this] { context_.driver().mem_free(address_); });
  }
  ManagedMemory(const ManagedMemory&) = delete;
  ManagedMemory& operator=(const ManagedMemory&) = delete;

  std::span<std::byte> span() const override {
    return {reinterpret_cast<std::byte*>(address_), size_};  // NOLINT: managed memory has one address for both
  }
  MemorySpan on_device() const override { return {address_, size_}; }

 private:
  Context& context_;
  CUdeviceptr address_ = 0;
  std::size_t size_;
};

}  // namespace

std::unique_ptr<HostMemory> allocate_host_memory(Context& context, std::size_t bytes, HostMemoryKind kind) {
  switch (kind) {
    case HostMemoryKind::pageable:
      return std::make_unique<PageableMemory>(context, bytes);
    case HostMemoryKind::pinned:
    case HostMemoryKind::mapped:
      return std::make_unique<PinnedMemory>(context, bytes, kind == HostMemoryKind::mapped);
    case HostMemoryKind::managed:
      return std::make_unique<ManagedMemory>(context, bytes);
  }
  throw std::logic_error("unknown kind of host memory");
}

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
