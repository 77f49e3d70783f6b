#include "tuner/measure/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner/measure/element_text.h"
#include "tuner/kernel/npy.h"
#include "tuner/measure/reference.h"

namespace warptune {

Workload::Workload(const KernelTemplate& kernel, const NamedValues& constants, Device& device, Compiler& compiler,
                   const BackendOptions& options, bool verify)
    : kernel_(kernel), device_(device), kernels_(device, compiler, kernel) {
  check_memory(constants, verify);
  try {
    for (const Argument& argument : kernel.arguments)
      if (argument.role != Role::scalar) add(argument, constants);
    if (!verify) return;
    prepare_expected();
    std::map<std::string, MemorySpan> buffers;
    for (const auto& [name, data] : data_)
      buffers[name] = data->expected ? data->expected->span() : data->buffer.span();
    run_reference(kernel_, constants, buffers, device_, compiler, options);
  } catch (const DeviceError& error) {
    throw WorkloadError(fmt::format("{} cannot hold or compute the reference of {}: {} ({}). A smaller --size may do.",
                                    device.info().id, kernel.name, error.what(), error.code()));
  } catch (const ExpressionError& error) {
    throw WorkloadError(fmt::format("the shapes of {} cannot be computed: {}", kernel.name, error.what()));
  } catch (const std::invalid_argument& error) {
    throw WorkloadError(fmt::format("the shapes of {} cannot be used: {}", kernel.name, error.what()));
  }
}

// Said before anything is allocated, in the user's terms, instead of by the driver half-way.
void Workload::check_memory(const NamedValues& constants, bool verify) const {
  double bytes = 0;
  for (const Argument& argument : kernel_.arguments) {
    if (argument.role == Role::scalar) continue;
    const PlannedBuffer plan = [&] {
      try {
        return plan_buffer(argument, constants);
      } catch (const std::exception& error) {
        throw WorkloadError(
            fmt::format("the shape of {} in {} cannot be used: {}", argument.name, kernel_.name, error.what()));
      }
    }();
    const auto elements = static_cast<double>(plan.elements);
    bytes += elements * static_cast<double>(size_bytes(argument.type)) * (argument.role == Role::inout ? 2 : 1);
    if (verify && argument.is_output()) bytes += elements * static_cast<double>(size_bytes(argument.reference_type));
  }
  const auto available = static_cast<double>(device_.info().total_memory_bytes);
  if (available > 0 && bytes > available)
    throw WorkloadError(fmt::format(
        "{} at this size needs {:.3g} GB of memory with its reference, {} has {:.3g} GB. Choose a smaller --size.",
        kernel_.name, bytes / 1e9, device_.info().id, available / 1e9));
}

void Workload::add(const Argument& argument, const NamedValues& constants) {
  PlannedBuffer plan = plan_buffer(argument, constants);
  GuardedBuffer buffer(device_, kernels_, plan.bytes());
  auto data = std::make_unique<Data>(Data{std::move(plan), std::move(buffer), nullptr, nullptr});
  if (argument.role != Role::output) fill(*data);
  if (argument.role == Role::inout) {
    data->pristine = device_.allocate(data->plan.bytes());
    device_.copy(data->pristine->span(), data->buffer.span());
  }
  if (argument.is_output()) {
    data->absolute = to_double(argument.tolerance.absolute.evaluate(constants));
    data->relative = to_double(argument.tolerance.relative.evaluate(constants));
  }
  data_[argument.name] = std::move(data);
}

void Workload::fill(const Data& data) {
  const Argument& argument = *data.plan.argument;
  if (argument.fill.kind == Fill::Kind::npy) {
    device_.upload(data.buffer.span(), read_npy(argument.fill.file, argument.type, data.plan.elements));
  } else {
    kernels_.fill(data.buffer.span(), argument.type, data.plan.elements, argument.fill);
  }
}

void Workload::prepare_expected() {
  for (auto& [name, data] : data_) {
    const Argument& argument = *data->plan.argument;
    if (!argument.is_output()) continue;
    const std::size_t bytes = data->plan.elements * size_bytes(argument.reference_type);
    data->expected = device_.allocate((bytes + 3) / 4 * 4);
    // A reference that forgets an element must not agree with a kernel that forgets it too: other seed, other poison.
    kernels_.poison(data->expected->span(), 0x5eed);
    if (argument.role == Role::inout)
      kernels_.convert(data->pristine->span(), argument.type, data->expected->span(), argument.reference_type,
                       data->plan.elements);
  }
}

void Workload::restore() {
  for (auto& [name, data] : data_)
    if (data->pristine) device_.copy(data->buffer.span(), data->pristine->span());
}

void Workload::poison_outputs() {
  for (auto& [name, data] : data_)
    if (data->plan.argument->role == Role::output) kernels_.poison(data->buffer.words(), 0xdead);
}

std::optional<std::string> Workload::mismatch() {
  for (auto& [name, data] : data_) {
    if (!data->expected) continue;
    const Argument& argument = *data->plan.argument;
    const Comparison comparison =
        kernels_.compare(data->buffer.span(), argument.type, data->expected->span(), argument.reference_type,
                         data->plan.elements, data->absolute, data->relative);
    if (comparison.mismatches > 0) return describe(*data, comparison);
  }
  return std::nullopt;
}

std::optional<std::string> Workload::damage() {
  for (auto& [name, data] : data_)
    if (const auto where = data->buffer.damage(kernels_)) return fmt::format("{} was written {}", name, *where);
  return std::nullopt;
}

std::string Workload::describe(const Data& data, const Comparison& comparison) {
  const Argument& argument = *data.plan.argument;
  std::vector<std::uint64_t> index(data.plan.shape.size());
  std::uint64_t rest = comparison.first;
  for (std::size_t axis = index.size(); axis-- > 0; rest /= static_cast<std::uint64_t>(data.plan.shape[axis]))
    index[axis] = rest % static_cast<std::uint64_t>(data.plan.shape[axis]);
  std::string text = fmt::format(
      "{}[{}] (element {}): expected {}, got {}; {} of {} elements differ", argument.name, fmt::join(index, ","),
      comparison.first, element_text(device_, data.expected->span(), argument.reference_type, comparison.first),
      element_text(device_, data.buffer.span(), argument.type, comparison.first), comparison.mismatches,
      data.plan.elements);
  if (comparison.worst_error > 0) text += fmt::format(", the worst by {:.3g}", comparison.worst_error);
  return text;
}

}  // namespace warptune
