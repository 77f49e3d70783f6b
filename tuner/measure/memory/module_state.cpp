// Compares the contents of variables byte by byte with their first ones. Copies each argument within the device, after
// a check of the variable's size.
#include "tuner/measure/memory/module_state.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace warptune::tuner {

namespace {

// Returns the part of `span` behind `filled`. The filled part, from the beginning on, is checked elsewhere.
MemorySpan behind(MemorySpan span, MemorySpan filled) {
  const std::uint64_t end = span.address + span.bytes, from = std::min(end, filled.address + filled.bytes);
  return {from, end - from};
}

std::vector<std::byte> content(Device& device, MemorySpan span) {
  std::vector<std::byte> bytes(span.bytes);
  device.download(bytes, span);
  return bytes;
}

std::string readable(const std::string& linkage_name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : linkage_name;
}

}  // namespace

ModuleState::ModuleState(Module& module, Device& device, std::vector<FilledVariable> filled)
    : device_(device), filled_(std::move(filled)) {
  for (auto [name, span] : module.variables()) {
    for (const FilledVariable& each : filled_)
      if (overlap(span, each.span)) span = behind(span, each.span);
    if (span.bytes > 0) variables_.push_back({name, span, content(device_, span)});
  }
}

std::string ModuleState::written_input() {
  for (const FilledVariable& each : filled_)
    if (!each.input.empty() && content(device_, each.span) != content(device_, each.content)) return each.input;
  return {};
}

std::string ModuleState::changed() {
  for (const Variable& variable : variables_)
    if (content(device_, variable.span) != variable.start) return readable(variable.name);
  return {};
}

void fill_symbols(const KernelTemplate& kernel, Module& module, Device& device,
                  const std::function<MemorySpan(const std::string&)>& find_buffer) {
  for (const Argument& argument : kernel.arguments) {
    if (argument.symbol.empty()) continue;
    const MemorySpan from = find_buffer(argument.name);
    MemorySpan to = module.symbol(argument.symbol);
    if (to.bytes < from.bytes)
      throw DeviceError(search::Outcome::launch_error, "SYMBOL_TOO_SMALL",
                        fmt::format("the variable {} has {} bytes, the argument {} needs {}", argument.symbol, to.bytes,
                                    argument.name, from.bytes));
    to.bytes = from.bytes;
    device.copy(to, from);
  }
}

}  // namespace warptune::tuner
