// Checks an application's arguments, and converts them to the types of a kernel's.
#include "tuner/library/runtime/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string_view>

#include "tuner/kernel/plan.h"

namespace warptune::runtime {

namespace {

// Returns whether an argument is a constant, which the caller may choose. What is computed from sizes or parameters is
// none.
bool is_constant(const tuner::Argument& argument) {
  return argument.role == tuner::Role::scalar && argument.value->names().empty();
}

[[noreturn]] void refuse(const tuner::Argument& argument, std::string_view expected) {
  throw std::invalid_argument(fmt::format("the argument {} of the launch is {}", argument.name, expected));
}

search::Value value_of(const Argument& given, const tuner::Argument& wanted) {
  const auto integer = static_cast<std::int64_t>(given.bits());
  const bool floating = tuner::is_floating(wanted.type);
  switch (given.kind()) {
    case Argument::Kind::real:
      if (!floating) refuse(wanted, "an integer; a floating-point number was given");
      return std::bit_cast<double>(given.bits());
    case Argument::Kind::integer:
      if (integer < 0 && wanted.type == tuner::ElementType::u64)
        refuse(wanted, "a number without a sign; a negative one was given");
      return integer;
    case Argument::Kind::unsigned_integer:
      if (floating) return static_cast<double>(given.bits());
      if (integer < 0 && wanted.type != tuner::ElementType::u64) refuse(wanted, "too large for its type");
      return integer;
    case Argument::Kind::pointer:
      break;
  }
  refuse(wanted, "a number; a pointer was given");
}

// Returns whether the pointer may point to what the buffer holds. Numbers of 16 bits often travel as integers, since
// C++17 has no type for them.
bool holds(const tuner::Argument& buffer, const Argument& given) {
  if (given.pointee() == Argument::Pointee::unknown) return true;
  const bool integers = !tuner::is_floating(buffer.type) || size_bytes(buffer.type) == 2;
  return given.pointee_bytes() == size_bytes(buffer.type) &&
         (given.pointee() == Argument::Pointee::real ? tuner::is_floating(buffer.type) : integers);
}

ArgumentBytes address_of(const Argument& given, const tuner::Argument& buffer) {
  if (given.kind() == Argument::Kind::real) refuse(buffer, "a device pointer; a floating-point number was given");
  if (given.kind() == Argument::Kind::integer) refuse(buffer, "a device pointer; an integer was given");
  if (!holds(buffer, given))
    refuse(
        buffer,
        fmt::format("a device pointer to {}; the pointer given is to {} numbers of {} bytes", to_string(buffer.type),
                    given.pointee() == Argument::Pointee::real ? "floating-point" : "integer", given.pointee_bytes()));
  return std::bit_cast<ArgumentBytes>(given.bits());
}

ArgumentBytes bytes_of(const Argument& given, const tuner::Argument& wanted) {
  if (wanted.role != tuner::Role::scalar) return address_of(given, wanted);
  return tuner::scalar_bytes(wanted.type, value_of(given, wanted));
}

// Returns whether `when` is false for these variants already. What it says of sizes and parameters is unknown here.
bool never_runs(const tuner::Launch& launch, const search::NamedValues& variants) {
  try {
    return launch.when && !search::truth(launch.when->evaluate(variants));
  } catch (const search::ExpressionError&) {
    return false;
  }
}

// Returns the names of the buffers behind a launch's arguments, and of its scalars.
std::set<std::string> names_in(const tuner::Launch& launch, const tuner::KernelTemplate& kernel) {
  std::set<std::string> names(launch.clear.begin(), launch.clear.end());
  for (const std::string& name : launch.arguments) {
    const tuner::TensorMapArgument* map = kernel.find_tensor_map(name);
    names.insert(map == nullptr ? name : map->of);
  }
  if (launch.copy) names.insert({launch.copy->from, launch.copy->to});
  if (launch.pages) names.insert(launch.pages->buffer);
  return names;
}

// Returns the names in launches that never run, without those that are in any other launch, too.
std::set<std::string> unused_names(const tuner::KernelTemplate& kernel, const search::NamedValues& variants) {
  std::set<std::string> unused, used;
  for (const tuner::Launch& launch : kernel.launches)
    (never_runs(launch, variants) ? unused : used).merge(names_in(launch, kernel));
  for (const std::string& name : used) unused.erase(name);
  return unused;
}

}  // namespace

Signature::Signature(const tuner::KernelTemplate& kernel, const search::NamedValues& variants) {
  const std::set<std::string> unused = unused_names(kernel, variants);
  for (const tuner::Argument& argument : kernel.arguments) {
    if (argument.role == tuner::Role::scalar && !is_constant(argument)) continue;
    if (argument.symbol.empty() && unused.contains(argument.name)) continue;
    const bool buffer = argument.role != tuner::Role::scalar;
    arguments_.push_back(&argument);
    constants_.push_back(buffer ? ArgumentBytes{}
                                : tuner::scalar_bytes(argument.type, argument.value->evaluate(search::NamedValues{})));
    parameters_.push_back({argument.name, std::string(to_string(argument.type)), buffer, false});
    if (buffer) required_ = arguments_.size();
  }
  for (std::size_t i = required_; i < parameters_.size(); ++i) parameters_[i].optional = true;
}

int Signature::index_of(const std::string& name) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i]->name == name) return static_cast<int>(i);
  return -1;
}

void Signature::convert(const Argument* arguments, std::size_t count, ArgumentBytes* to) const {
  if (count < required_ || count > arguments_.size()) {
    std::string expected;
    for (const Parameter& parameter : parameters_)
      expected +=
          fmt::format("{}{}{}", expected.empty() ? "" : ", ", parameter.name, parameter.optional ? " (optional)" : "");
    throw std::invalid_argument(fmt::format("the launch takes {}; {} arguments were given", expected, count));
  }
  for (std::size_t i = 0; i < count; ++i) to[i] = bytes_of(arguments[i], *arguments_[i]);
  for (std::size_t i = count; i < arguments_.size(); ++i) to[i] = constants_[i];
}

}  // namespace warptune::runtime
