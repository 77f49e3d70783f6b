// Finds what is ready for a size, in a map under one lock. The slow path is taken once for each size.
#include <fmt/format.h>

#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/library/runtime/kernel_impl.h"

namespace warptune::runtime {

namespace {

// Runs `work`. Device errors, expressions that do not fit and files that cannot be written become the one error of this
// library; arguments that do not fit stay std::invalid_argument.
template <class Work>
auto translated(const tuner::KernelTemplate& kernel, Work&& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const tuner::DeviceError& error) {
    throw Error(fmt::format("{}: {} ({})", kernel.name, error.what(), error.code()));
  } catch (const std::runtime_error& error) {
    throw Error(fmt::format("{}: {}", kernel.name, error.what()));
  }
}

}  // namespace

SizeKey::SizeKey(const search::NamedValues& names, const Size* sizes, std::size_t count) : count_(names.size()) {
  const auto refuse = [&](std::string_view problem, std::string_view name) {
    throw std::invalid_argument(
        fmt::format("{} '{}' in a launch; the template's sizes are {}", problem, name, search::to_text(names)));
  };
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = i < names.size() && names[i].first == sizes[i].name ? i : 0;
    while (at < names.size() && names[at].first != sizes[i].name) ++at;
    if (at == names.size()) refuse("unknown size", sizes[i].name);
    if (values_[at] != 0) refuse("repeated size", sizes[i].name);
    if (sizes[i].value < 1) refuse("not a positive size", sizes[i].name);
    values_[at] = sizes[i].value;
  }
  for (std::size_t at = 0; at < names.size(); ++at)
    if (values_[at] == 0) refuse("missing size", names[at].first);
}

search::NamedValues SizeKey::named(const search::NamedValues& names) const {
  search::NamedValues result = names;
  for (std::size_t i = 0; i < count_; ++i) result[i].second = values_[i];
  return result;
}

std::size_t SizeKey::Hash::operator()(const SizeKey& key) const noexcept {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (std::size_t i = 0; i < key.count_; ++i) {
    hash = (hash ^ static_cast<std::uint64_t>(key.values_[i])) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

Kernel::Impl::Impl(tuner::KernelTemplate loaded, tuner::Wisdom known, search::NamedValues chosen,
                   std::shared_ptr<Runtime::Impl> owner)
    : runtime(std::move(owner)),
      kernel(std::move(loaded)),
      wisdom(std::move(known)),
      variants(std::move(chosen)),
      signature(kernel, variants) {
  if (kernel.sizes.size() > SizeKey::max_sizes || signature.size() > max_arguments)
    throw Error(fmt::format("{} has {} sizes and {} arguments; the runtime takes {} and {}", kernel.name,
                            kernel.sizes.size(), signature.size(), SizeKey::max_sizes, max_arguments));
}

Prepared& Kernel::Impl::prepared(const SizeKey& key) {
  Slot& found = slot(key);
  if (Prepared* ready = found.ready.load(std::memory_order_acquire)) return *ready;
  const std::scoped_lock lock(found.mutex);
  if (!found.prepared) found.prepared = translated(kernel, [&] { return prepare(key); });
  found.ready.store(found.prepared.get(), std::memory_order_release);
  return *found.prepared;
}

Kernel::Impl::Slot& Kernel::Impl::slot(const SizeKey& key) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = slots_.find(key); known != slots_.end()) return *known->second;
  }
  const std::unique_lock lock(mutex_);
  auto& made = slots_[key];
  if (!made) made = std::make_unique<Slot>();
  return *made;
}

Selection Kernel::Impl::selection(const SizeKey& key) const {
  return select(kernel, wisdom, runtime->target->info(), problem(key));
}

std::unique_ptr<Prepared> Kernel::Impl::prepare(const SizeKey& key) const {
  const search::NamedValues values = selection(key).values;
  const tuner::DeviceInfo& device = runtime->target->info();
  const search::NamedValues scope = tuner::scope_of(problem_constants(problem(key).values(), device), values);
  auto program = runtime->code.get(compile_request(kernel, device.backend, values, scope));
  return std::make_unique<Prepared>(kernel, signature, scope, std::move(program), *runtime->target);
}

const std::vector<Parameter>& Kernel::parameters() const {
  return impl_->signature.parameters();
}

void Kernel::launch_with(Stream stream, const Size* sizes, std::size_t size_count, const Argument* arguments,
                         std::size_t argument_count) const {
  Impl& impl = *impl_;
  const SizeKey key(impl.kernel.sizes, sizes, size_count);
  std::array<ArgumentBytes, max_arguments> bytes;
  impl.signature.convert(arguments, argument_count, bytes.data());
  Prepared& prepared = impl.prepared(key);
  translated(impl.kernel, [&] {
    if (impl.recorder.armed())
      impl.recorder.record(impl.kernel, impl.signature, impl.problem(key), bytes.data(), *impl.runtime->target, stream);
    prepared.queue(stream, bytes.data());
  });
}

void Kernel::prepare_with(const Size* sizes, std::size_t size_count) const {
  impl_->prepared(SizeKey(impl_->kernel.sizes, sizes, size_count));
}

Choice Kernel::choice_with(const Size* sizes, std::size_t size_count) const {
  const Selection selected = impl_->selection(SizeKey(impl_->kernel.sizes, sizes, size_count));
  Choice choice{selected.source, search::to_text(selected.values), "", 0};
  if (selected.entry) {
    choice.measured_sizes = search::to_text(selected.entry->sizes);
    choice.time_ms = selected.entry->time_ms;
    choice.predicted = selected.predicted;
  }
  if (choice.predicted && impl_->wisdom.rule) {
    choice.expected_regret = impl_->wisdom.rule->mean_regret;
    choice.worst_regret = impl_->wisdom.rule->worst_regret;
  }
  return choice;
}

void Kernel::capture_next(const std::filesystem::path& file, CaptureOptions options) const {
  impl_->recorder.arm(file, options);
}

}  // namespace warptune::runtime
