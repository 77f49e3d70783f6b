// Declares events, by which work on a device is timed.
#pragma once

#include "tuner/device/backends/cuda/driver/context.h"

namespace warptune::tuner::cuda {

// Marks a point in the context's stream, with a time stamp of the device's own clock (resolution about 0.5 µs).
class Event {
 public:
  explicit Event(Context& context) : context_(context) {
    const auto current = context_.enter();
    context_.check(context_.driver().event_create(&event_, CU_EVENT_DEFAULT), "creating an event");
  }
  ~Event() {
    context_.release([this] { context_.driver().event_destroy(event_); });
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record() {
    const auto current = context_.enter();
    context_.check(context_.driver().event_record(event_, context_.stream()), "recording an event");
  }
  void wait() {
    const auto current = context_.enter();
    context_.wait(event_);
  }
  // Returns the milliseconds from `start` to this event. Both must have been reached.
  double since_ms(const Event& start) {
    const auto current = context_.enter();
    float ms = 0;
    context_.check(context_.driver().event_elapsed_time(&ms, start.event_, event_), "reading the time of two events");
    return ms;
  }

 private:
  Context& context_;
  CUevent event_ = nullptr;
};

}  // namespace warptune::tuner::cuda
