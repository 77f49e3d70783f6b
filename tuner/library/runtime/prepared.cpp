// Plans the launches of a size, and queues them with a call's arguments and a stream's scratch memory.
#include "tuner/library/runtime/prepared.h"

#include <fmt/format.h>

#include <cstring>
#include <list>

namespace warptune::runtime {

namespace {

std::uint64_t address_of(const ArgumentBytes& bytes) {
  std::uint64_t address = 0;
  std::memcpy(&address, bytes.data(), sizeof address);
  return address;
}

}  // namespace

Prepared::Prepared(const tuner::KernelTemplate& kernel, const Signature& signature, const search::NamedValues& scope,
                   std::shared_ptr<Program> program, Target& target)
    : kernel_(kernel), signature_(signature), target_(target), program_(std::move(program)) {
  tuner::Plan plan = tuner::make_plan(kernel, scope);
  temporaries_ = std::move(plan.buffers);
  for (const tuner::PlannedLaunch& launch : plan.launches) add(launch, scope);
  add_symbols(scope);
}

Prepared::Slot Prepared::slot_of(const std::string& buffer) const {
  Slot slot;
  slot.argument = signature_.index_of(buffer);
  for (std::size_t i = 0; i < temporaries_.size(); ++i)
    if (temporaries_[i].argument->name == buffer) slot.temporary = static_cast<int>(i);
  return slot;
}

Prepared::Slot Prepared::slot_of(const tuner::PlannedArgument& argument, const search::NamedValues& scope) const {
  Slot slot = slot_of(argument.buffer.empty() ? argument.name : argument.buffer);
  slot.value = argument.scalar;
  slot.view = argument.view;
  if (slot.view) slot.bytes = plan_buffer(*kernel_.find_argument(argument.buffer), scope).bytes();
  return slot;
}

void Prepared::add(const tuner::PlannedLaunch& launch, const search::NamedValues& scope) {
  if (launch.copy || launch.pages || launch.stream != 0)
    throw Error(
        fmt::format("{} copies between host and device in streams of its own; the runtime launches kernels "
                    "in the application's stream only. `warptune export` tells its best parameters",
                    kernel_.name));
  if (launch.arguments.size() > max_arguments)
    throw Error(fmt::format("{} takes {} arguments; the runtime launches kernels of at most {}", launch.kernel,
                            launch.arguments.size(), max_arguments));
  Step step{&program_->function(launch.kernel, launch.geometry), launch.geometry, {}, {}};
  for (const tuner::PlannedArgument& argument : launch.arguments) step.slots.push_back(slot_of(argument, scope));
  for (const std::string& name : launch.clear)
    step.clear.push_back({slot_of(name), plan_buffer(*kernel_.find_argument(name), scope).bytes()});
  steps_.push_back(std::move(step));
}

void Prepared::add_symbols(const search::NamedValues& scope) {
  for (const tuner::Argument& argument : kernel_.arguments) {
    if (argument.symbol.empty()) continue;
    tuner::MemorySpan to = program_->symbol(argument.symbol);
    const std::size_t bytes = plan_buffer(argument, scope).bytes();
    if (to.bytes < bytes)
      throw Error(fmt::format("the variable {} has {} bytes, the argument {} needs {}", argument.symbol, to.bytes,
                              argument.name, bytes));
    to.bytes = bytes;
    symbols_.push_back({signature_.index_of(argument.name), to});
  }
}

void Prepared::queue(Stream stream, ArgumentBytes* arguments) {
  if (temporaries_.empty()) return run({stream, arguments, {}});
  // The lock is held while queueing: two threads on one stream must not interleave their launches over the same scratch
  // memory.
  const std::scoped_lock lock(mutex_);
  run({stream, arguments, scratch_of(stream)});
}

Prepared::Scratch& Prepared::scratch_of(Stream stream) {
  Scratch& scratch = scratch_[stream];
  while (scratch.size() < temporaries_.size())
    scratch.push_back(target_.allocate((temporaries_[scratch.size()].bytes() + 3) / 4 * 4));
  return scratch;
}

std::uint64_t Prepared::address(const Slot& slot, const Call& call) {
  return slot.temporary >= 0 ? call.scratch[static_cast<std::size_t>(slot.temporary)]->span().address
                             : address_of(call.arguments[slot.argument]);
}

void Prepared::run(const Call& call) {
  for (const Symbol& symbol : symbols_)
    target_.copy(symbol.to, {address_of(call.arguments[symbol.argument]), symbol.to.bytes}, call.stream);
  for (std::size_t i = 0; i < temporaries_.size(); ++i)
    if (temporaries_[i].argument->zero) target_.clear(call.scratch[i]->span(), call.stream);
  for (const Step& step : steps_) {
    for (const Cleared& cleared : step.clear) target_.clear({address(cleared.slot, call), cleared.bytes}, call.stream);
    launch(step, call);
  }
}

void Prepared::launch(const Step& step, const Call& call) {
  std::array<ArgumentBytes, max_arguments> values;
  std::array<void*, max_arguments> pointers;
  std::list<tuner::TensorMap> maps;  // most kernels have none
  for (std::size_t i = 0; i < step.slots.size(); ++i) {
    const Slot& slot = step.slots[i];
    if (slot.view) {
      maps.push_back(target_.encode_tensor_map(*slot.view, {address(slot, call), slot.bytes}));
      pointers[i] = maps.back().bytes.data();
      continue;
    }
    values[i] = slot.argument >= 0    ? call.arguments[slot.argument]
                : slot.temporary >= 0 ? std::bit_cast<ArgumentBytes>(address(slot, call))
                                      : slot.value;
    pointers[i] = values[i].data();
  }
  step.function->launch(step.geometry, call.stream, {pointers.data(), step.slots.size()});
}

}  // namespace warptune::runtime
