// Copies each argument within the device, after a check of the variable's size.
#include "tuner/measure/memory/symbols.h"

#include <fmt/format.h>

namespace warptune::tuner {

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
