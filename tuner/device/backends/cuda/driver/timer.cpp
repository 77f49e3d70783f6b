// Records an event before and after each sample, and records short launches as a graph.
#include "tuner/device/backends/cuda/driver/timer.h"

#include <fmt/format.h>

#include "tuner/device/backends/cuda/driver/graph.h"

namespace warptune::tuner::cuda {

Event& Timer::event(std::size_t index) {
  while (events_.size() <= index) events_.emplace_back(context_);
  return events_[index];
}

std::vector<double> Timer::sample_ms(const Timing& timing, const std::function<void()>& meanwhile) {
  const auto samples = static_cast<std::size_t>(timing.samples);
  event(2 * samples);  // made before anything is queued, for that takes time
  const bool recorded = timing.short_launches || timing.only_as_graph;
  const auto graph = recorded ? Graph::record(context_, timing.work) : nullptr;
  if (timing.only_as_graph && !graph)
    throw DeviceError(search::Outcome::launch_error, "NOT_RECORDED",
                      fmt::format("recording a run's launches as a CUDA graph on {} failed: the driver cannot record "
                                  "one of its kernels; measure it with --as stream, or without --as",
                                  context_.label()));
  const auto work = [&] { graph ? graph->launch() : timing.work(); };

  if (timing.lead) timing.lead();
  if (graph) {
    if (timing.prepare) timing.prepare();
    work();  // a graph's first launch carries it to the device
  }
  for (std::size_t i = 0; i < samples; ++i) {
    if (timing.prepare) timing.prepare();
    event(2 * i).record();
    work();
    event(2 * i + 1).record();
    if (timing.check) timing.check();
  }
  meanwhile();
  std::vector<double> taken;
  for (std::size_t i = 0; i < samples; ++i) {
    event(2 * i + 1).wait();  // one by one, so that the time-out is that of one sample
    taken.push_back(event(2 * i + 1).since_ms(event(2 * i)));
  }
  return taken;
}

}  // namespace warptune::tuner::cuda
