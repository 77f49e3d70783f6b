// See call.h.
#include "tuner/runtime/call.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "tuner/kernel/plan.h"

namespace warptune::runtime {

namespace {

// A constant is the caller's to choose; what is computed from sizes or parameters is not.
bool is_constant(const tuner::Argument& argument) {
  return argument.role == tuner::Role::scalar && argument.value->names().empty();
}

[[noreturn]] void refuse(const tuner::Argument& argument, const char* expected) {
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

ArgumentBytes bytes_of(const Argument& given, const tuner::Argument& wanted) {
  if (wanted.role != tuner::Role::scalar) {
    // An integer too: a CUdeviceptr is one.
    if (given.kind() == Argument::Kind::real) refuse(wanted, "a device pointer; a floating-point number was given");
    return std::bit_cast<ArgumentBytes>(given.bits());
  }
  return tuner::scalar_bytes(wanted.type, value_of(given, wanted));
}

}  // namespace

Signature::Signature(const tuner::KernelTemplate& kernel) {
  for (const tuner::Argument& argument : kernel.arguments) {
    if (argument.role == tuner::Role::scalar && !is_constant(argument)) continue;
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
