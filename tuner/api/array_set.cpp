#include "tuner/api/array_set.h"

#include <fmt/format.h>

#include "tuner/measure/workload.h"

namespace warptune {

ArraySet::ArraySet(const Tuner::Problem& problem, tuner::Device& device, tuner::Compiler& compiler)
    : problem_(problem),
      device_(device),
      rng_(tuner::unknown_seed()),
      kernels_(device, compiler, problem.kernel),
      inspection_(device, kernels_, rng_.next()),
      expected_(problem.arrays) {
  for (const ArraySpec& spec : problem.arrays) {
    const auto use =
        spec.role == tuner::Role::input ? tuner::GuardedBuffer::Use::read : tuner::GuardedBuffer::Use::written;
    Data data{&spec, tuner::GuardedBuffer(device, spec.contents.size(), use), nullptr, rng_.next()};
    if (spec.role == tuner::Role::input || spec.role == tuner::Role::inout) {
      device.upload(data.buffer.span(), spec.contents);
      data.pristine = device.allocate(spec.contents.size());
      device.copy(data.pristine->span(), data.buffer.span());
    }
    data_.emplace(spec.name, std::move(data));
  }
  std::vector<tuner::Guard> guards;
  for (const auto& [name, data] : data_)
    for (const tuner::Guard& guard : data.buffer.guards()) guards.push_back(guard);
  inspection_.watch(guards, 0, nullptr);
  if (problem.verify) problem.reference(expected_);
}

tuner::MemorySpan ArraySet::span(const std::string& name) const {
  if (const auto found = data_.find(name); found != data_.end()) return found->second.buffer.span();
  throw std::invalid_argument(
      fmt::format("the launcher of {} names an array '{}' that there is none of", problem_.kernel.name, name));
}

void ArraySet::clear(tuner::MemorySpan span) {
  kernels_.clear(span);
}

void ArraySet::restore() {
  for (auto& [name, data] : data_)
    if (data.pristine) device_.copy(data.buffer.span(), data.pristine->span());
}

void ArraySet::prepare() {
  restore();
  const std::uint64_t round = rng_.next(), noise = rng_.next();
  for (auto& [name, data] : data_)
    if (data.spec->role == tuner::Role::output || data.spec->role == tuner::Role::temporary)
      kernels_.poison(data.buffer.span(), {data.key, round, noise});
}

// Two guards an array, in the order that they are watched in.
std::string ArraySet::damage() {
  const tuner::Inspection::Findings findings = inspection_.run(0, true);
  auto word = findings.damage.begin();
  for (const auto& [name, data] : data_)
    for (std::size_t guard = 0; guard < 2; ++guard, ++word)
      if (*word != tuner::Inspection::intact)
        return fmt::format("out of bounds: {} was written {}", name, data.buffer.place(guard, *word));
  return {};
}

std::string ArraySet::fault() {
  if (std::string outside = damage(); !outside.empty()) return outside;
  if (!problem_.verify) return {};
  for (auto& [name, data] : data_) {
    if (data.spec->role != tuner::Role::output && data.spec->role != tuner::Role::inout) continue;
    std::vector<std::byte> got(data.spec->contents.size());
    device_.download(got, data.buffer.span());
    if (std::string difference = first_difference(*data.spec, expected_.bytes(name), got); !difference.empty())
      return difference;
  }
  return {};
}

}  // namespace warptune
