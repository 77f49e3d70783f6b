#include "tuner/measure/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/fill_content.h"
#include "tuner/measure/element_text.h"
#include "tuner/measure/host_function.h"
#include "tuner/measure/reference.h"

namespace warptune::tuner {

Workload::Workload(const KernelTemplate& kernel, const search::NamedValues& constants, Device& device,
                   Compiler& compiler, const BackendOptions& options, bool verify)
    : kernel_(kernel), device_(device), kernels_(device, compiler, kernel), inspection_(device, kernels_) {
  check_memory(constants, verify);
  try {
    for (const Argument& argument : kernel.arguments)
      if (argument.role != Role::scalar) add(argument, constants);
    for (const HostFunction& function : kernel.fills) fill_on_host(function, constants, options);
    keep_pristine();
    if (verify) {
      prepare_expected();
      std::map<std::string, MemorySpan> buffers;
      for (const auto& [name, data] : data_)
        buffers[name] = data->expected ? data->expected->span() : data->buffer.span();
      run_reference(kernel_, constants, buffers, kernels_, compiler, options);
    }
    watch();
  } catch (const DeviceError& error) {
    throw WorkloadError(fmt::format("{} cannot hold or compute the reference of {}: {} ({}). A smaller --size may do.",
                                    device.info().id, kernel.name, error.what(), error.code()));
  } catch (const search::ExpressionError& error) {
    throw WorkloadError(fmt::format("the shapes of {} cannot be computed: {}", kernel.name, error.what()));
  } catch (const std::invalid_argument& error) {
    throw WorkloadError(fmt::format("the shapes or the data of {} cannot be used: {}", kernel.name, error.what()));
  }
}

// Said before anything is allocated, in the user's terms, instead of by the driver half-way.
void Workload::check_memory(const search::NamedValues& constants, bool verify) const {
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

void Workload::add(const Argument& argument, const search::NamedValues& constants) {
  PlannedBuffer plan = plan_buffer(argument, constants);
  const auto use = argument.is_output() ? GuardedBuffer::Use::written : GuardedBuffer::Use::read;
  GuardedBuffer buffer(device_, plan.bytes(), use);
  auto data = std::make_unique<Data>(Data{std::move(plan), std::move(buffer), nullptr, nullptr, {}});
  if (argument.role != Role::output) fill(*data);
  if (argument.is_output()) {
    const Tolerance& tolerance = argument.tolerance;
    data->allowed = {search::to_double(tolerance.absolute.evaluate(constants)),
                     search::to_double(tolerance.relative.evaluate(constants)),
                     search::to_double(tolerance.ulp.evaluate(constants))};
  }
  data_[argument.name] = std::move(data);
}

void Workload::fill(const Data& data) {
  const Argument& argument = *data.plan.argument;
  if (argument.fill.kind == Fill::Kind::function) return;  // all buffers have to be there first
  if (const auto content = fill_content(argument.fill, argument.type, data.plan.elements))
    device_.upload(data.buffer.span(), *content);
  else
    kernels_.fill(data.buffer.span(), argument.type, data.plan.elements, argument.fill);
}

void Workload::fill_on_host(const HostFunction& function, const search::NamedValues& constants,
                            const BackendOptions& options) {
  std::map<std::string, MemorySpan> buffers;
  for (const auto& [name, data] : data_) buffers[name] = data->buffer.span();
  for (const auto& [name, content] : call_on_host(kernel_, function, constants, buffers, device_, options)) {
    const Fill& fill = data_.at(name)->plan.argument->fill;
    if (fill.kind == Fill::Kind::function && fill.function == function.name) device_.upload(buffers.at(name), content);
  }
}

void Workload::keep_pristine() {
  for (auto& [name, data] : data_) {
    if (data->plan.argument->role != Role::inout) continue;
    data->pristine = device_.allocate(data->plan.bytes());
    device_.copy(data->pristine->span(), data->buffer.span());
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

void Workload::watch() {
  std::vector<Guard> guards;
  const auto add_guards = [&](const GuardedBuffer& buffer) {
    for (const Guard& guard : buffer.guards()) guards.push_back(guard);
  };
  std::vector<ComparedOutput> outputs;
  for (const auto& [name, data] : data_) {
    add_guards(data->buffer);
    const Argument& argument = *data->plan.argument;
    if (data->expected)
      outputs.push_back({data->buffer.span(), argument.type, data->expected->span(), argument.reference_type,
                         data->plan.elements, data->allowed});
  }
  for (const auto& [name, buffer] : temporaries_) add_guards(*buffer);
  inspection_.watch(guards, std::move(outputs));
}

MemorySpan Workload::span(const std::string& name) const {
  const auto temporary = temporaries_.find(name);
  return temporary != temporaries_.end() ? temporary->second->span() : data_.at(name)->buffer.span();
}

std::span<std::byte> Workload::host_span(const std::string& name) const {
  return data_.at(name)->host_span();
}

void Workload::make_room(const Plan& plan) {
  make_temporaries(plan);
  for (const auto& [name, pinned] : plan.pinned) make_host_memory(*data_.at(name), pinned);
}

void Workload::make_host_memory(Data& data, bool pinned) {
  data.pinned = pinned;
  auto& memory = data.host.at(pinned);
  if (memory) return;
  memory = device_.transfers().allocate(data.plan.bytes(), pinned);
  device_.download(memory->span(), data.buffer.span());
}

void Workload::make_temporaries(const Plan& plan) {
  bool changed = false;
  for (const PlannedBuffer& planned : plan.buffers) {
    auto& buffer = temporaries_[planned.argument->name];
    if (buffer && buffer->span().bytes == planned.bytes()) continue;
    changed = true;
    if (buffer && buffer->resize(planned.bytes())) continue;
    buffer.reset();  // before the larger one, for both may not fit
    buffer = std::make_unique<GuardedBuffer>(device_, planned.bytes(), GuardedBuffer::Use::written);
  }
  if (changed) watch();
}

void Workload::restore() {
  for (auto& [name, data] : data_)
    if (data->pristine) device_.copy(data->buffer.span(), data->pristine->span());
  for (const Argument& temporary : kernel_.temporaries)
    if (temporary.zero) kernels_.clear(temporaries_.at(temporary.name)->words());
}

bool Workload::repeats_without_restoring() const {
  for (const auto& [name, data] : data_)
    if (data->pristine) return false;
  return std::ranges::none_of(kernel_.temporaries, &Argument::zero);
}

void Workload::poison() {
  constexpr std::uint64_t output_seed = 0xdead, temporary_seed = 0x7e3f;
  for (auto& [name, data] : data_)
    if (data->plan.argument->role == Role::output) kernels_.poison(data->buffer.words(), output_seed);
  for (const Argument& temporary : kernel_.temporaries)
    if (!temporary.zero) kernels_.poison(temporaries_.at(temporary.name)->words(), temporary_seed);
  for (auto& [name, data] : data_)
    if (data->on_host() && data->plan.argument->is_output()) device_.download(data->host_span(), data->buffer.span());
}

void Workload::flush_cache() {
  // Twice its size, because its replacement is not exactly least recently used; where the size is unknown, more than
  // any has.
  constexpr std::int64_t unknown = std::int64_t{256} << 20;
  const std::int64_t l2 = device_.info().l2_bytes;
  if (!flushed_) flushed_ = device_.allocate(static_cast<std::size_t>(l2 > 0 ? 2 * l2 : unknown));
  kernels_.clear(flushed_->span());
}

Workload::Verdict Workload::inspect() {
  for (auto& [name, data] : data_)
    if (data->on_host() && data->plan.argument->is_output()) device_.upload(data->buffer.span(), data->host_span());
  const Inspection::Findings findings = inspection_.run();
  Verdict verdict;
  verdict.fault = damage(findings.damage);
  auto comparison = findings.comparisons.begin();
  for (auto& [name, data] : data_) {
    if (!data->expected) continue;
    if (comparison->mismatches() > 0 && verdict.fault.empty()) verdict.fault = describe(*data, *comparison);
    if (!data->plan.argument->nondeterministic) verdict.checksums.push_back(comparison->checksum());
    ++comparison;
  }
  return verdict;
}

// Two guards a buffer, in the order of watch().
std::string Workload::damage(const std::vector<std::uint64_t>& words) const {
  auto word = words.begin();
  std::string found;
  const auto look = [&](const std::string& name, const GuardedBuffer& buffer) {
    for (std::size_t guard = 0; guard < 2; ++guard, ++word)
      if (found.empty() && *word != Inspection::intact)
        found = fmt::format("out of bounds: {} was written {}", name, buffer.place(guard, *word));
  };
  for (const auto& [name, data] : data_) look(name, data->buffer);
  for (const auto& [name, buffer] : temporaries_) look(name, *buffer);
  return found;
}

std::string Workload::describe(const Data& data, const ComparisonReport& comparison) {
  const Argument& argument = *data.plan.argument;
  std::vector<std::uint64_t> index(data.plan.shape.size());
  std::uint64_t rest = comparison.first();
  for (std::size_t axis = index.size(); axis-- > 0; rest /= static_cast<std::uint64_t>(data.plan.shape[axis]))
    index[axis] = rest % static_cast<std::uint64_t>(data.plan.shape[axis]);
  std::string text = fmt::format(
      "{}[{}] (element {}): expected {}, got {}; {} of {} elements differ", argument.name, fmt::join(index, ","),
      comparison.first(), element_text(device_, data.expected->span(), argument.reference_type, comparison.first()),
      element_text(device_, data.buffer.span(), argument.type, comparison.first()), comparison.mismatches(),
      data.plan.elements);
  if (comparison.worst_error() > 0) text += fmt::format(", the worst by {:.3g}", comparison.worst_error());
  return text;
}

}  // namespace warptune::tuner
