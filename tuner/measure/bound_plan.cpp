#include "tuner/measure/bound_plan.h"

#include <algorithm>
#include <cstring>

namespace warptune {

namespace {

std::array<std::byte, 8> address_bytes(MemorySpan span) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &span.address, sizeof span.address);
  return bytes;
}

ResourceUse worst(const ResourceUse& a, const ResourceUse& b) {
  return {std::max(a.registers_per_thread, b.registers_per_thread),
          std::max(a.local_bytes_per_thread, b.local_bytes_per_thread),
          std::max(a.static_shared_bytes, b.static_shared_bytes),
          std::max(a.dynamic_shared_bytes, b.dynamic_shared_bytes),
          std::max(a.threads_per_block, b.threads_per_block),
          std::min(a.occupancy, b.occupancy)};
}

}  // namespace

BoundPlan::BoundPlan(Plan plan, Module& module, const FindBuffer& find_buffer, SupportKernels& kernels)
    : kernels_(kernels) {
  for (PlannedLaunch& launch : plan.launches) {
    Step step{&module.kernel(launch.kernel), launch.geometry, {}, {}, {}};
    for (const PlannedArgument& argument : launch.arguments)
      step.values.push_back(argument.buffer.empty() ? argument.scalar : address_bytes(find_buffer(argument.buffer)));
    for (const std::string& name : launch.clear) {
      MemorySpan span = find_buffer(name);
      span.bytes = (span.bytes + 3) / 4 * 4;  // guarded buffers are whole words inside their guards
      step.clear.push_back(span);
    }
    steps_.push_back(std::move(step));
  }
  for (Step& step : steps_)
    for (auto& value : step.values) step.pointers.push_back(value.data());
}

void BoundPlan::run() {
  for (Step& step : steps_) {
    for (const MemorySpan& span : step.clear) kernels_.clear(span);
    step.kernel->launch(step.geometry, step.pointers);
  }
}

ResourceUse BoundPlan::resources() const {
  ResourceUse result = steps_.empty() ? ResourceUse{} : steps_.front().kernel->resources(steps_.front().geometry);
  for (const Step& step : steps_) result = worst(result, step.kernel->resources(step.geometry));
  return result;
}

}  // namespace warptune
