// Waits by polling, so that a wait can end with a time-out.
#include "tuner/device/backends/cuda/driver/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "tuner/system/clock.h"

namespace warptune::tuner::cuda {
namespace {

// Short waits spin, so that a kernel of some microseconds is noticed at once; longer ones sleep an eighth of what they
// have waited, so that a waiting thread leaves its core to compilers.
void pause_polling(double waited_s) {
  if (waited_s < 200e-6) return;
  std::this_thread::sleep_for(std::chrono::duration<double>(std::min(waited_s / 8, 1e-3)));
}

}  // namespace

Context::Context(std::shared_ptr<const Driver> driver, int ordinal, std::string label, double timeout_s)
    : driver_(std::move(driver)), label_(std::move(label)), timeout_s_(timeout_s) {
  check(driver_->device_get(&device_, ordinal), "finding the device");
  check(driver_->primary_context_retain(&context_, device_), "opening the primary context");
  try {
    const Current current(*driver_, context_);
    stream_at(0);
  } catch (...) {
    driver_->primary_context_release(device_);
    throw;
  }
}

Context::~Context() {
  release([this] {
    for (const CUstream stream : streams_) driver_->stream_destroy(stream);
  });
  if (!lost_) driver_->primary_context_release(device_);
}

CUstream Context::stream_at(std::size_t index) {
  while (streams_.size() <= index) {
    CUstream made = nullptr;
    // The stream is non-blocking: an application's work on the legacy default stream must not serialise with ours.
    check(driver_->stream_create(&made, CU_STREAM_NON_BLOCKING), "creating a stream");
    streams_.push_back(made);
  }
  return streams_[index];
}

void Context::use_stream(std::size_t index) {
  stream_at(index);
  in_use_ = index;
}

Context::Current Context::enter() {
  if (lost_)
    throw DeviceError(lost_->outcome(), lost_->code(),
                      fmt::format("{} was lost to this process by an earlier error: {}", label_, lost_->what()), true);
  return Current(*driver_, context_);
}

void Context::wait() {
  for (const CUstream stream : streams_) poll([this, stream] { return driver_->stream_query(stream); });
}

void Context::wait(CUevent event) {
  poll([this, event] { return driver_->event_query(event); });
}

template <typename Query>
void Context::poll(Query query) {
  // Time in which this process did not run (SIGSTOP, a suspended machine) is not the kernel's. So the time between two
  // looks counts as this much at most.
  constexpr double longest_look_s = 1;
  double waited_s = 0;
  for (double looked_s = steady_s();;) {
    const CUresult result = query();
    if (result == CUDA_SUCCESS) return;
    if (result != CUDA_ERROR_NOT_READY) fail(result, Step::other, fmt::format("running {}", last_launch_));
    const double now_s = steady_s();
    waited_s += std::min(now_s - std::exchange(looked_s, now_s), longest_look_s);
    if (timeout_s_ > 0 && waited_s > timeout_s_) time_out();
    pause_polling(waited_s);
  }
}

void Context::fail(CUresult result, Step step, const std::string& attempted) {
  const DeviceError error = device_error(*driver_, result, step, attempted, label_);
  if (error.sticky()) lost_ = error;
  throw error;
}

void Context::time_out() {
  lost_ = DeviceError(search::Outcome::timeout, driver_->error_name(CUDA_ERROR_NOT_READY),
                      fmt::format("running {} on {} took longer than the kernel time-out of {} s: if the kernel needs "
                                  "that long, raise the time-out (this process can no longer use the device)",
                                  last_launch_, label_, timeout_s_),
                      true);
  throw *lost_;
}

bool Context::settle() noexcept {
  if (lost_) return false;
  try {
    const Current current(*driver_, context_);
    wait();
  } catch (const DeviceError&) {
    // The error is dropped. Whoever waited for the work has been told, or nobody asked, and a destructor has no one to
    // tell.
  }
  return !lost_;
}

}  // namespace warptune::tuner::cuda
