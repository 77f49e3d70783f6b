// Allocates and copies on a stream of the device's context, and leaves the rest to the classes of driver/ and sensors/.
#include "tuner/device/backends/cuda/device.h"

#include <fmt/format.h>

#include <charconv>

#include "tuner/device/backends/cuda/driver/memory.h"
#include "tuner/device/backends/cuda/driver/module.h"
#include "tuner/device/backends/cuda/driver/tensor_map.h"
#include "tuner/device/backends/cuda/sensors/profiler.h"

namespace warptune::tuner::cuda {
namespace {

int ordinal_of(const std::string& id) {
  int ordinal = -1;
  if (id.starts_with("cuda:")) std::from_chars(id.data() + 5, id.data() + id.size(), ordinal);
  return ordinal;
}

}  // namespace

CudaDevice::CudaDevice(std::shared_ptr<const Driver> driver, DeviceInfo info, const BackendOptions& options)
    : info_(std::move(info)),
      options_(options),
      context_(std::move(driver), ordinal_of(info_.id), fmt::format("{} ({})", info_.id, info_.name),
               options.kernel_timeout_s),
      transfers_(context_),
      timer_(context_),
      sensors_(options, info_.uuid) {}

std::unique_ptr<Memory> CudaDevice::allocate(std::size_t bytes) {
  return std::make_unique<DeviceMemory>(context_, bytes);
}

// Copies from and to pageable memory block in the driver until the stream gets to them, without a limit: so the stream
// is emptied first, under the time-out.
void CudaDevice::upload(MemorySpan to, std::span<const std::byte> from) {
  require_same_size(to.bytes, from.size());
  if (from.empty()) return;
  const auto current = context_.enter();
  context_.wait();
  context_.check(context_.driver().memcpy_htod_async(to.address, from.data(), from.size(), context_.stream()),
                 Step::other, [&] { return fmt::format("copying {} bytes to the device", from.size()); });
  context_.wait();
}

void CudaDevice::download(std::span<std::byte> to, MemorySpan from) {
  require_same_size(to.size(), from.bytes);
  if (to.empty()) return;
  const auto current = context_.enter();
  context_.wait();
  context_.check(context_.driver().memcpy_dtoh_async(to.data(), from.address, to.size(), context_.stream()),
                 Step::other, [&] { return fmt::format("copying {} bytes from the device", to.size()); });
  context_.wait();
}

void CudaDevice::copy(MemorySpan to, MemorySpan from) {
  require_same_size(to.bytes, from.bytes);
  if (to.bytes == 0) return;
  const auto current = context_.enter();
  context_.check(context_.driver().memcpy_dtod_async(to.address, from.address, to.bytes, context_.stream()),
                 Step::other, [&] { return fmt::format("copying {} bytes on the device", to.bytes); });
}

std::unique_ptr<Module> CudaDevice::load(const MachineCode& code) {
  return std::make_unique<CudaModule>(context_, info_, code);
}

TensorMap CudaDevice::encode_tensor_map(const TensorView& view, MemorySpan memory) {
  const auto current = context_.enter();
  return cuda::encode_tensor_map(context_.driver(), info_, view, memory);
}

void CudaDevice::synchronize() {
  const auto current = context_.enter();
  context_.wait();
}

std::vector<double> CudaDevice::sample_ms(const Timing& timing) {
  return timer_.sample_ms(timing, [this] { sensors_.refresh(); });
}

std::unique_ptr<Profiler> CudaDevice::profiler() {
  return std::make_unique<CudaProfiler>(context_, ordinal_of(info_.id), options_);
}

}  // namespace warptune::tuner::cuda
