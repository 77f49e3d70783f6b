// Holds a device's primary context with streams of our own. Every call to the driver about a device goes through here.
#pragma once

#include <cuda.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/backends/cuda/driver/errors.h"

namespace warptune::tuner::cuda {

// After a sticky error or a time-out the context is lost: everything throws, and handles are left to the end of the
// process, because the driver's own clean-up would wait for a kernel that may never end.
class Context {
 public:
  // `label` names the device in messages: "cuda:0 (NVIDIA H200)". A wait longer than `timeout_s` is a time-out; 0 means
  // no limit.
  Context(std::shared_ptr<const Driver> driver, int ordinal, std::string label, double timeout_s);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Makes the context current for a scope, and the application's own again after it.
  class Current {
   public:
    Current(const Driver& driver, CUcontext context)
        : driver_(driver), pushed_(driver.context_push(context) == CUDA_SUCCESS) {}
    ~Current() {
      CUcontext popped = nullptr;
      if (pushed_) driver_.context_pop(&popped);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const Driver& driver_;
    bool pushed_;
  };

  const Driver& driver() const { return *driver_; }
  // Returns the stream in use, to which work is queued.
  CUstream stream() const { return streams_[in_use_]; }
  // Takes another stream into use, and makes it if need be. It must be called inside enter(), except for stream 0,
  // which is there from the beginning.
  void use_stream(std::size_t index);
  // Returns the stream with this number, and makes it if need be. It must be called with the context current.
  CUstream stream_at(std::size_t index);
  const std::string& label() const { return label_; }
  CUdevice device() const { return device_; }
  CUcontext handle() const { return context_; }

  // Makes the context current for work. Throws a DeviceError that says how the context was lost, if it was.
  Current enter();

  // Runs `call` in the context when all queued work is done, or not at all if the context is lost. Destructors use it.
  template <typename Release>
  void release(Release&& call) noexcept {
    if (!settle()) return;
    const Current current(*driver_, context_);
    call();
  }

  // Throws a DeviceError if `result` is an error; `describe()` says what was attempted, and is called only then.
  template <typename Describe>
  void check(CUresult result, Step step, Describe&& describe) {
    if (result != CUDA_SUCCESS) fail(result, step, std::forward<Describe>(describe)());
  }
  void check(CUresult result, const char* attempted) {
    if (result != CUDA_SUCCESS) fail(result, Step::other, attempted);
  }

  // Keeps the kernel's name for messages about errors that surface after the launch.
  void note_launch(const std::string& kernel) { last_launch_ = kernel; }

  // Wait for all queued work in every stream, or for the event. They must be called inside enter().
  void wait();
  void wait(CUevent event);

 private:
  template <typename Query>
  void poll(Query query);
  [[noreturn]] void fail(CUresult result, Step step, const std::string& attempted);
  [[noreturn]] void time_out();
  bool settle() noexcept;

  std::shared_ptr<const Driver> driver_;
  std::string label_;
  double timeout_s_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::vector<CUstream> streams_;
  std::size_t in_use_ = 0;
  std::string last_launch_;
  std::optional<DeviceError> lost_;
};

}  // namespace warptune::tuner::cuda
