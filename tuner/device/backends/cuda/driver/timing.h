// Declares how work on a device is timed: the events, the graphs of recorded launches, and the timer that uses both.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/device.h"

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

// Holds launches that are recorded once and queued again by a single call. Between kernels of some microseconds the
// device then waits for its own scheduler only, and not for a call of the host for each kernel.
class Graph {
 public:
  // Records what `work` queues on the context's stream, instead of running it. Returns nothing if the driver cannot
  // record it (a kernel that launches others, say). Throws what `work` throws, where it loses the context.
  static std::unique_ptr<Graph> record(Context& context, const std::function<void()>& work);

  Graph(Context& context, CUgraphExec executable) : context_(context), executable_(executable) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch();

 private:
  Context& context_;
  CUgraphExec executable_;
};

// Times work between events of the device's own clock. Events are kept for the next time.
class Timer {
 public:
  explicit Timer(Context& context) : context_(context) {}

  // Does what Device::sample_ms does. `meanwhile` is called when all is queued, while the device works on it.
  std::vector<double> sample_ms(const Timing& timing, const std::function<void()>& meanwhile);

 private:
  Event& event(std::size_t index);

  Context& context_;
  std::deque<Event> events_;  // before and after each sample
};

}  // namespace warptune::tuner::cuda
