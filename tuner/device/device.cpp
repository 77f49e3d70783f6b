// Forwards each kernel's and each variable's name to the module that has it.
#include "tuner/device/device.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace warptune::tuner {

namespace {

class ModuleSet : public Module {
 public:
  ModuleSet(Device& device, const MachineCode& code) {
    add(device, code);
    for (const MachineCode& one : code.more) add(device, one);
  }

  Kernel& kernel(const std::string& name) override {
    const auto found = of_kernel_.find(name);
    if (found == of_kernel_.end()) throw std::out_of_range("no module has a kernel " + name);
    return found->second->kernel(name);
  }
  MemorySpan symbol(const std::string& name) override {
    for (const auto& module : modules_) {
      try {
        return module->symbol(name);
      } catch (const std::out_of_range&) {
        // Perhaps the next module has it.
      }
    }
    throw std::out_of_range("no module has a variable " + name);
  }
  std::vector<std::pair<std::string, MemorySpan>> variables() override {
    std::vector<std::pair<std::string, MemorySpan>> all;
    for (const auto& module : modules_) std::ranges::copy(module->variables(), std::back_inserter(all));
    return all;
  }

 private:
  void add(Device& device, const MachineCode& code) {
    modules_.push_back(device.load(code));
    for (const auto& [name, symbol] : code.linkage_names) of_kernel_[name] = modules_.back().get();
  }

  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::string, Module*> of_kernel_;
};

}  // namespace

std::unique_ptr<Module> load_all(Device& device, const MachineCode& code) {
  if (code.more.empty()) return device.load(code);
  return std::make_unique<ModuleSet>(device, code);
}

}  // namespace warptune::tuner
