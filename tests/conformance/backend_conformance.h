// What every backend of the registry must do, tested through the interfaces alone. A backend without a device on this
// machine skips, and says why.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tuner/device/backend.h"

namespace warptune::tuner {

// The first device of the backend named by the parameter, opened once a program, with its compiler.
class BackendConformance : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;

  Device& device() { return *opened_->device; }
  Compiler& compiler() { return *opened_->compiler; }

  CompileRequest request(std::string source, std::vector<std::string> kernels) const;
  // The loaded module; throws with the log if the source does not compile.
  std::unique_ptr<Module> build(const CompileRequest& wanted);

  // Device memory that holds these elements.
  template <class T>
  std::unique_ptr<Memory> upload(const std::vector<T>& values) {
    auto memory = device().allocate(values.size() * sizeof(T));
    device().upload(memory->span(), std::as_bytes(std::span(values)));
    return memory;
  }
  template <class T>
  std::vector<T> download(const Memory& memory) {
    std::vector<T> values(memory.span().bytes / sizeof(T));
    device().download(std::as_writable_bytes(std::span(values)), memory.span());
    return values;
  }
  // Queues a launch with the given arguments, whose types must be the kernel's.
  template <class... Arguments>
  static void queue(Kernel& kernel, const LaunchGeometry& geometry, Arguments... arguments) {
    std::vector<void*> pointers = {static_cast<void*>(&arguments)...};
    kernel.launch(geometry, pointers);
  }
  template <class... Arguments>
  void run(Module& module, const std::string& kernel, const LaunchGeometry& geometry, Arguments... arguments) {
    queue(module.kernel(kernel), geometry, arguments...);
    device().synchronize();
  }

 private:
  struct Opened {
    std::unique_ptr<Device> device;
    std::unique_ptr<Compiler> compiler;
    std::string why_none;
  };
  static Opened& open(const std::string& backend);

  Opened* opened_ = nullptr;
};

}  // namespace warptune::tuner
