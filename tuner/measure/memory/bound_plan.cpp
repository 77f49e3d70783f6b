// Checks arguments and copies when they are bound, and queues launches, copies and page steps in their streams.
#include "tuner/measure/memory/bound_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "tuner/device/launch_attributes.h"

namespace warptune::tuner {

namespace {

std::array<std::byte, 8> address_bytes(MemorySpan span) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &span.address, sizeof span.address);
  return bytes;
}

search::ResourceUse worst(const search::ResourceUse& a, const search::ResourceUse& b) {
  return {std::max(a.registers_per_thread, b.registers_per_thread),
          std::max(a.local_bytes_per_thread, b.local_bytes_per_thread),
          std::max(a.static_shared_bytes, b.static_shared_bytes),
          std::max(a.dynamic_shared_bytes, b.dynamic_shared_bytes),
          std::max(a.threads_per_block, b.threads_per_block),
          std::min(a.occupancy, b.occupancy)};
}

// Tells launches apart by kernel, geometry and attributes.
using LaunchKey = std::tuple<const Kernel*, std::array<std::int64_t, 7>, NamedAttributes>;

void require_within(const std::string& buffer, std::size_t begin, std::size_t bytes, std::size_t size,
                    const char* what = "a copy") {
  if (begin > size || bytes > size - begin)
    throw std::invalid_argument(
        fmt::format("{} of {} bytes at byte {} leaves {}, which has {} bytes", what, bytes, begin, buffer, size));
}

// Returns the arguments with their sizes in bytes: "x 8, n 4".
std::string given_text(const PlannedLaunch& launch) {
  std::string text;
  for (const PlannedArgument& argument : launch.arguments)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", argument.label, argument.bytes);
  return text;
}

// Throws DeviceError for arguments whose number or sizes differ from the kernel's parameters. The driver accepts such
// arguments, and the kernel then reads them as something else.
void require_fitting(const PlannedLaunch& launch, const Kernel& kernel) {
  const auto taken = kernel.parameter_bytes();
  if (!taken) return;
  const auto& given = launch.arguments;
  const std::string place = launch.place.empty() ? "its launch" : launch.place + ".arguments";
  const auto refuse = [&](const std::string& what) {
    throw DeviceError(
        search::Outcome::launch_error, "INVALID_VALUE",
        fmt::format("the arguments do not fit the kernel {}: {}. Its parameters have {} bytes; {} gives {}. "
                    "Is the order wrong, or a type?",
                    launch.kernel, what, fmt::join(*taken, ", "), place, given_text(launch)));
  };
  if (taken->size() != given.size()) refuse(fmt::format("it takes {} and was given {}", taken->size(), given.size()));
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i].bytes != (*taken)[i])
      refuse(fmt::format("argument {}, {}, has {} bytes for a parameter of {}", i + 1, given[i].label, given[i].bytes,
                         (*taken)[i]));
}

}  // namespace

BoundPlan::BoundPlan(Plan plan, Module& module, const FindBuffer& find_buffer, Device& device, SupportKernels& kernels)
    : transfers_(device.transfers()), kernels_(kernels) {
  for (const PlannedLaunch& launch : plan.launches) steps_.push_back(bind(launch, module, find_buffer, device));
  for (const Step& step : steps_)
    if (step.stream != 0) streams_.push_back(step.stream);
  std::ranges::sort(streams_);
  streams_.erase(std::unique(streams_.begin(), streams_.end()), streams_.end());
}

BoundPlan::BoundCopy BoundPlan::bind(const PlannedCopy& copy, const FindBuffer& find_buffer) {
  MemorySpan device = find_buffer.on_device(copy.to_host ? copy.from : copy.to);
  const std::span<std::byte> host = find_buffer.on_host(copy.to_host ? copy.to : copy.from);
  const std::size_t from_bytes = copy.to_host ? device.bytes : host.size();
  const std::size_t to_bytes = copy.to_host ? host.size() : device.bytes;
  require_within(copy.from, copy.from_byte, copy.bytes, from_bytes);
  require_within(copy.to, copy.to_byte, copy.bytes, to_bytes);
  device.address += copy.to_host ? copy.from_byte : copy.to_byte;
  device.bytes = copy.bytes;
  return {device, host.subspan(copy.to_host ? copy.to_byte : copy.from_byte, copy.bytes), copy.to_host};
}

BoundPlan::BoundPages BoundPlan::bind(const PlannedPages& pages, const FindBuffer& find_buffer) {
  const std::span<std::byte> host = find_buffer.on_host(pages.buffer);
  const std::size_t rest = host.size() - std::min(host.size(), pages.first_byte);
  const std::size_t bytes = pages.bytes.value_or(rest);
  require_within(pages.buffer, pages.first_byte, bytes, host.size(),
                 pages.kind == PageStep::Kind::touch ? "touching" : "a prefetch");
  MemorySpan device;
  if (pages.kind != PageStep::Kind::touch)
    device = {find_buffer.on_device(pages.buffer).address + pages.first_byte, bytes};
  return {pages.kind, device, host.subspan(pages.first_byte, bytes)};
}

BoundPlan::Step BoundPlan::bind(const PlannedLaunch& launch, Module& module, const FindBuffer& find_buffer,
                                Device& device) {
  Step step;
  step.stream = launch.stream;
  step.after = launch.after;
  for (const std::string& name : launch.clear) step.clear.push_back(find_buffer.on_device(name));
  if (launch.copy) {
    step.copy = bind(*launch.copy, find_buffer);
    return step;
  }
  if (launch.pages) {
    step.pages = bind(*launch.pages, find_buffer);
    return step;
  }
  step.kernel = &module.kernel(launch.kernel);
  step.name = launch.kernel;
  require_fitting(launch, *step.kernel);
  step.geometry = launch.geometry;
  step.values.reserve(launch.arguments.size());  // the pointers refer to its elements
  for (const PlannedArgument& argument : launch.arguments) bind(argument, find_buffer, device, step);
  return step;
}

void BoundPlan::bind(const PlannedArgument& argument, const FindBuffer& find_buffer, Device& device, Step& step) {
  if (argument.view) {
    const MemorySpan memory = find_buffer.on_device(argument.buffer);
    step.maps.push_back(std::make_unique<TensorMap>(device.encode_tensor_map(*argument.view, memory)));
    step.pointers.push_back(step.maps.back()->bytes.data());
    return;
  }
  step.values.push_back(argument.buffer.empty() ? argument.scalar
                                                : address_bytes(find_buffer.on_device(argument.buffer)));
  step.pointers.push_back(step.values.back().data());
}

void BoundPlan::queue(Step& step) {
  for (const MemorySpan& span : step.clear) kernels_.clear(span);
  if (step.kernel) return step.kernel->launch(step.geometry, step.pointers);
  if (step.pages) return queue(*step.pages);
  if (step.copy.to_host) return transfers_.copy_out(step.copy.host, step.copy.device);
  transfers_.copy_in(step.copy.device, step.copy.host);
}

void BoundPlan::queue(const BoundPages& pages) {
  if (pages.kind == PageStep::Kind::touch) return transfers_.touch(pages.host);
  transfers_.prefetch(pages.device, pages.kind == PageStep::Kind::to_host);
}

void BoundPlan::run() {
  if (!streams_.empty()) return queue_in_streams();
  for (Step& step : steps_) queue(step);
}

void BoundPlan::queue_in_streams() {
  struct BackToTheFirst {
    Transfers& transfers;
    ~BackToTheFirst() { transfers.use_stream(0); }
  } back{transfers_};
  for (const int stream : streams_) {
    transfers_.use_stream(stream);
    transfers_.wait_for(0);
  }
  for (Step& step : steps_) {
    transfers_.use_stream(step.stream);
    for (const int other : step.after)
      if (other != step.stream) transfers_.wait_for(other);
    queue(step);
  }
  transfers_.use_stream(0);
  for (const int stream : streams_) transfers_.wait_for(stream);
}

std::vector<std::string> BoundPlan::kernels() const {
  std::vector<std::string> names;
  for (const Step& step : steps_) {
    for (const MemorySpan& span : step.clear)
      if (span.bytes > 0) names.emplace_back();
    if (step.kernel) names.push_back(step.name);
  }
  return names;
}

bool BoundPlan::only_kernels() const {
  return streams_.empty() && std::ranges::all_of(steps_, [](const Step& step) { return step.kernel != nullptr; });
}

std::vector<search::LaunchUse> BoundPlan::uses() const {
  std::vector<search::LaunchUse> launches;
  std::map<LaunchKey, std::size_t> known;
  for (const Step& step : steps_) {
    if (!step.kernel) continue;
    const auto& [grid, block, shared, attributes] = step.geometry;
    NamedAttributes named = named_attributes(attributes);
    const LaunchKey key{step.kernel, {grid.x, grid.y, grid.z, block.x, block.y, block.z, shared}, named};
    const auto [found, added] = known.emplace(key, launches.size());
    if (!added) {
      ++launches[found->second].launches;
      continue;
    }
    launches.push_back({step.name, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, 1, {}});
    launches.back().attributes = std::move(named);
    launches.back().use = step.kernel->resources(step.geometry);
  }
  const auto threads = [](const search::LaunchUse& launch) {
    double product = static_cast<double>(launch.launches);
    for (const std::int64_t extent : launch.grid) product *= static_cast<double>(extent);
    return product * static_cast<double>(launch.use.threads_per_block);
  };
  std::ranges::stable_sort(launches, std::ranges::greater{}, threads);
  return launches;
}

search::ResourceUse worst_use(const std::vector<search::LaunchUse>& launches) {
  if (launches.empty()) return {};
  search::ResourceUse result = launches.front().use;
  for (const search::LaunchUse& launch : launches) result = worst(result, launch.use);
  return result;
}

}  // namespace warptune::tuner
