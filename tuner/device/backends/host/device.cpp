// Allocates memory between inaccessible zones, runs launches on the workers, one launch at a time, and counts by
// reading the log that tracked modules write.
#include "tuner/device/backends/host/device.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tuner/device/backends/host/compile/limits.h"
#include "tuner/device/backends/host/launch.h"
#include "tuner/device/device_error.h"
#include "tuner/device/host_memory.h"
#include "tuner/system/clock.h"
#include "tuner/system/file_descriptor.h"
#include "tuner/system/machine.h"

namespace warptune::tuner::host {

namespace {

// Each guarded stack takes two mappings, for its guard page and for its noise. A process has 65530 of them
// (vm.max_map_count), and these stacks leave it half of them.
constexpr std::size_t kGuardedStacks = 16 * 1024;

// An allocation leaves this much memory to everything else on the machine.
constexpr std::int64_t kReserveBytes = std::int64_t{64} << 20;

// This much lies inaccessible on either side of an allocation. A write that goes astray further than the guard band
// ends here.
constexpr std::size_t kMoatBytes = std::size_t{128} << 20;

// Owns memory whose pages are taken at once. If they were taken at their first use, a lack of memory would wake the
// kernel's OOM killer.
class MappedMemory : public Memory {
 public:
  explicit MappedMemory(std::size_t bytes) : bytes_(bytes) {
    const std::int64_t available = available_memory_bytes() - kReserveBytes;
    if (bytes > static_cast<std::size_t>(std::max<std::int64_t>(available, 0))) refuse(available);
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    mapped_ = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
    moat_ = mmap(nullptr, mapped_ + 2 * kMoatBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (moat_ == MAP_FAILED) refuse(available);
    memory_ = static_cast<std::byte*>(moat_) + kMoatBytes;
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_FIXED;
    if (mmap(memory_, mapped_, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED) return;
    munmap(moat_, mapped_ + 2 * kMoatBytes);
    refuse(available);
  }
  ~MappedMemory() override { munmap(moat_, mapped_ + 2 * kMoatBytes); }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  MemorySpan span() const override { return {reinterpret_cast<std::uint64_t>(memory_), bytes_}; }

 private:
  [[noreturn]] void refuse(std::int64_t available) const {
    throw DeviceError(search::Outcome::resource_limit, "ENOMEM",
                      fmt::format("cannot allocate {} bytes on the host, of which {} are available; choose a smaller "
                                  "problem size",
                                  bytes_, std::max<std::int64_t>(available, 0)));
  }

  std::size_t bytes_;
  std::size_t mapped_ = 0;
  void* moat_ = nullptr;
  void* memory_ = nullptr;
};

// Returns NaN, large numbers of both signs and random bits. Whatever a kernel expects of uninitialised memory, some of
// the noise is not that.
std::vector<std::byte> noise(search::Rng& rng) {
  std::vector<std::uint32_t> words(2 * static_cast<std::size_t>(kMaxSharedBytes) / 4);
  for (std::uint32_t& word : words) {
    const std::uint64_t bits = rng.next();
    const auto low = static_cast<std::uint32_t>(bits);
    const std::uint32_t kinds[] = {0xfff10000u | (low & 0xffff), 0x7b007b00u | (low & 0x00ff00ff),
                                   0xfb00fb00u | (low & 0x00ff00ff), low};
    word = kinds[bits >> 62];
  }
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

FileDescriptor file_of(std::span<const std::byte> noise, std::size_t bytes) {
  std::vector<std::byte> all;
  while (all.size() < bytes) all.insert(all.end(), noise.begin(), noise.end());
  return memory_file("noise", all.data(), all.size());
}

void* pointer(MemorySpan span) {
  return reinterpret_cast<void*>(span.address);
}

void require_equal(std::string_view what, std::size_t to, std::size_t from) {
  if (to == from) return;
  throw DeviceError(search::Outcome::launch_error, "INVALID_VALUE",
                    fmt::format("cannot {} {} bytes to a range of {} bytes on the host", what, from, to));
}

void move_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memmove(to, from, bytes);
}

}  // namespace

HostDevice::HostDevice(DeviceInfo info, std::size_t stack_bytes, std::shared_ptr<AccessLog> accesses)
    : info_(std::move(info)),
      accesses_(std::move(accesses)),
      threads_(static_cast<int>(info_.multiprocessors)),
      rng_(std::random_device{}()),
      noise_(noise(rng_)),
      stack_noise_(file_of(noise_, stack_bytes + kStackRoom)) {
  StackPolicy policy;
  policy.bytes = stack_bytes;
  policy.noise = stack_noise_.get();
  policy.guarded = kGuardedStacks / static_cast<std::size_t>(threads_.size());
  for (int i = 0; i < threads_.size(); ++i) schedulers_.push_back(std::make_unique<BlockScheduler>(policy));
}

std::unique_ptr<Profiler> HostDevice::profiler() {
  return accesses_ ? std::make_unique<HostProfiler>(*this, *accesses_) : nullptr;
}

std::unique_ptr<Memory> HostDevice::allocate(std::size_t bytes) {
  return std::make_unique<MappedMemory>(bytes);
}

void HostDevice::upload(MemorySpan to, std::span<const std::byte> from) {
  require_equal("upload", to.bytes, from.size());
  move_bytes(pointer(to), from.data(), from.size());
}

void HostDevice::download(std::span<std::byte> to, MemorySpan from) {
  require_equal("download", to.size(), from.bytes);
  move_bytes(to.data(), pointer(from), from.bytes);
}

void HostDevice::copy(MemorySpan to, MemorySpan from) {
  require_equal("copy", to.bytes, from.bytes);
  move_bytes(pointer(to), pointer(from), from.bytes);
}

std::unique_ptr<Module> HostDevice::load(const MachineCode& code) {
  return std::make_unique<HostModule>(*this, code);
}

// Makes the map that shim/tensor.h reads.
TensorMap HostDevice::encode_tensor_map(const TensorView& view, MemorySpan memory) {
  std::string fault = tensor_view_fault(view, memory.address, memory.bytes);
  // The manual does not say where rows lie if they are shorter than the span.
  if (fault.empty() && view.swizzle_bytes != 0 && view.inner_bytes() != view.swizzle_bytes)
    fault = fmt::format("the box's innermost extent is {} bytes, and the host swizzles whole spans of {} only",
                        view.inner_bytes(), view.swizzle_bytes);
  if (!fault.empty())
    throw DeviceError(search::Outcome::resource_limit, "TENSOR_MAP",
                      "making a tensor map on the host failed: " + fault);
  const std::size_t rank = view.shape.size();
  warptune_host::TensorMap made{memory.address,
                                {},
                                {size_bytes(view.type)},
                                {},
                                static_cast<unsigned>(rank),
                                static_cast<unsigned>(view.swizzle_bytes)};
  for (std::size_t i = 0; i < rank; ++i) {
    made.shape[i] = static_cast<std::uint64_t>(view.shape[rank - 1 - i]);
    made.box[i] = static_cast<unsigned>(view.box[rank - 1 - i]);
    if (i > 0) made.strides[i] = static_cast<std::uint64_t>(view.strides[rank - 1 - i]) * size_bytes(view.type);
  }
  TensorMap map;
  static_assert(sizeof made <= sizeof map);
  std::memcpy(map.bytes.data(), &made, sizeof made);
  return map;
}

void HostDevice::run(const HostKernel& kernel, const LaunchGeometry& geometry, std::span<void* const> arguments) {
  if (failure_) return;
  const auto workers = static_cast<int>(std::min<std::int64_t>(threads_.size(), geometry.grid.volume()));
  AccessLog* const accesses = kernel.module().tracked_code().empty() ? nullptr : accesses_.get();
  const ThreadOrder order = accesses == nullptr ? order_of_threads() : ThreadOrder::forward;  // so warps end one by one
  Launch launch(kernel, geometry, arguments, workers, {order, rng_.next(), noise_, accesses});
  threads_.run(workers, [&](int worker) { launch.work(*schedulers_[static_cast<std::size_t>(worker)]); });
  if (accesses != nullptr) launch.report_accesses();
  failure_ = launch.take_failure();
}

// Returns the order of threads for the next launch. Outside of a timing they run forward. Several samples must be
// equally fast, so they run forward or backward. A single sample, which is what verifies, may have any order.
ThreadOrder HostDevice::order_of_threads() const {
  if (samples_ == 0) return ThreadOrder::forward;
  return samples_ > 1 ? ThreadOrder::either : ThreadOrder::any;
}

void HostDevice::synchronize() {
  if (!failure_) return;
  const KernelFailure failure = *std::exchange(failure_, std::nullopt);
  throw DeviceError(failure.outcome, failure.code, failure.message);
}

// A launch here has ended when it returns, so there is no gap to hide.
std::vector<double> HostDevice::sample_ms(const Timing& timing) {
  std::vector<double> samples;
  struct UnderWay {
    std::size_t& samples;
    ~UnderWay() { samples = 0; }
  } under_way{samples_};
  samples_ = static_cast<std::size_t>(timing.samples);
  if (timing.lead) timing.lead();
  for (int i = 0; i < timing.samples; ++i) {
    if (timing.prepare) timing.prepare();
    const double begin_s = steady_s();
    timing.work();
    synchronize();
    samples.push_back(1e3 * (steady_s() - begin_s));
    if (timing.check) timing.check();
  }
  return samples;
}

namespace {

class OrdinaryMemory : public HostMemory {
 public:
  OrdinaryMemory(std::unique_ptr<Memory> memory, bool reached) : memory_(std::move(memory)), reached_(reached) {}

  std::span<std::byte> span() const override {
    return {reinterpret_cast<std::byte*>(memory_->span().address), memory_->span().bytes};
  }
  MemorySpan on_device() const override { return reached_ ? memory_->span() : MemorySpan{}; }

 private:
  std::unique_ptr<Memory> memory_;
  bool reached_;  // whether kernels reach it, as with a GPU
};

}  // namespace

std::unique_ptr<HostMemory> HostTransfers::allocate(std::size_t bytes, HostMemoryKind kind) {
  return std::make_unique<OrdinaryMemory>(device_.allocate(bytes), kernels_reach(kind));
}

void HostTransfers::touch(std::span<const std::byte> memory) {
  read_every_page(memory);
}

std::vector<std::string> HostProfiler::lacking() const {
  return lacking_on_the_host();
}

// Counts everything at once, in one pass.
std::vector<CounterValues> HostProfiler::count(const CountedWork& work) {
  work.prepare();
  device_.synchronize();
  log_ = {false, true, work.buffers, {}, {}};
  work.run();
  device_.synchronize();
  const auto wanted = static_cast<std::size_t>(
      std::ranges::count_if(work.kernels, [](const std::string& kernel) { return !kernel.empty(); }));
  if (log_.launches.size() != wanted)
    throw DeviceError(search::Outcome::launch_error, "NOT_TRACKED",
                      fmt::format("{} launches were made, and {} counted: the rest was not compiled to be counted",
                                  wanted, log_.launches.size()));
  std::vector<CounterValues> values(work.kernels.size());
  auto launch = log_.launches.begin();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!work.kernels[i].empty()) values[i] = values_of(launch++->counts);
  return values;
}

}  // namespace warptune::tuner::host
