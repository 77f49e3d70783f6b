#include "tuner/measure/module_state.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace warptune::tuner {

namespace {

bool overlap(MemorySpan a, MemorySpan b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
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

ModuleState::ModuleState(Module& module, Device& device, const std::vector<MemorySpan>& others) : device_(device) {
  for (const auto& [name, span] : module.variables())
    if (std::ranges::none_of(others, [&, span = span](MemorySpan other) { return overlap(span, other); }))
      variables_.push_back({name, span, content(device_, span)});
}

std::string ModuleState::changed() {
  for (const Variable& variable : variables_)
    if (content(device_, variable.span) != variable.start) return readable(variable.name);
  return {};
}

}  // namespace warptune::tuner
