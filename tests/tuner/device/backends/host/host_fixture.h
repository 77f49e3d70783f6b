// Compiles and runs kernels given as text on the host backend.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tuner/device/backends/host/entry.h"

namespace warptune::tuner::host {

// One device for a whole test program: its threads and stacks are made once.
inline Device& shared_device() {
  static const std::unique_ptr<Device> device = [] {
    BackendOptions options;
    options.host_threads = 2;
    std::string why;
    return entry().open(entry().devices(options, why).front(), options);
  }();
  return *device;
}

inline Compiler& shared_compiler() {
  static const std::unique_ptr<Compiler> compiler = entry().compiler({}, {});
  return *compiler;
}

inline CompileRequest request(std::string source, std::vector<std::string> kernels) {
  CompileRequest request;
  request.name = "test/kernel.cu";
  request.source = std::move(source);
  request.options = {"-std=c++17"};
  request.kernels = std::move(kernels);
  return request;
}

// The loaded module; a compile that fails is shown with its log.
inline std::unique_ptr<Module> build(const CompileRequest& wanted) {
  CompileResult result = shared_compiler().compile(wanted);
  if (!result.code) throw std::runtime_error("does not compile:\n" + result.log);
  return shared_device().load(*result.code);
}

// Device memory that holds a vector's elements.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : Buffer(std::vector<T>(count)) {}
  explicit Buffer(const std::vector<T>& values)
      : count_(values.size()), memory_(shared_device().allocate(values.size() * sizeof(T))) {
    shared_device().upload(memory_->span(), std::as_bytes(std::span(values)));
  }
  T* get() const { return reinterpret_cast<T*>(memory_->span().address); }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    shared_device().download(std::as_writable_bytes(std::span(values)), memory_->span());
    return values;
  }

 private:
  std::size_t count_;
  std::unique_ptr<Memory> memory_;
};

// Launches with the given arguments, whose types must be the kernel's, and waits for the end.
template <class... Arguments>
void launch(Module& module, const std::string& kernel, const LaunchGeometry& geometry, Arguments... arguments) {
  std::vector<void*> pointers = {static_cast<void*>(&arguments)...};
  module.kernel(kernel).launch(geometry, pointers);
  shared_device().synchronize();
}

}  // namespace warptune::tuner::host
