#include "bench/scale/simulated_evaluator.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace warptune::tuner::bench {

namespace {

double device_s(const search::Trial& trial) {
  return replay::cost_s(trial) - trial.phases.compile_ms / 1e3;
}

// What a GPU's trial has beside its times. The numbers say nothing; their size in the row is as usual.
search::Trial as_measured(const search::Trial& recorded, const DeviceInfo& device) {
  search::Trial trial = recorded;
  if (trial.outcome == search::Outcome::compile_error) return trial;
  trial.resources = search::ResourceUse{64, 0, 8448, 0, 256, 0.5};
  trial.launches = {{device.name, {128, 128, 1}, {32, 8, 1}, 1, *trial.resources}};
  trial.device_uuid = "GPU-5d4f1c9a-3e0b-4a57-8d8e-1f6f0c2b7a90";
  if (trial.measurement) trial.measurement->state = {1980, 412.5, 54};
  return trial;
}

template <class Flights, class Time>
auto first_of(Flights& flights, Time time) {
  return std::min_element(flights.begin(), flights.end(),
                          [&](const auto& a, const auto& b) { return a.*time < b.*time; });
}

}  // namespace

SimulatedEvaluator::SimulatedEvaluator(const replay::Recording& recording, const Machine& machine)
    : recording_(recording), machine_(machine), compiler_free_s_(machine.compilers), device_free_s_(machine.devices) {
  if (machine.devices == 0) throw std::invalid_argument("a session needs at least one device");
}

double SimulatedEvaluator::now_s() const {
  if (machine_.speed == 0) return simulated_s_;
  return machine_.speed * std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

// What does not compile never sees a device, unless that is what compiles.
void SimulatedEvaluator::submit(const Evaluation& evaluation) {
  require_fitting(recording_.space(), evaluation.configuration);
  Flight flight;
  flight.recorded = recording_.find(evaluation.configuration);
  if (!flight.recorded) throw std::invalid_argument("a configuration that was not recorded cannot be simulated");
  flight.begin_s = flight.compiled_s = now_s();
  if (!compiler_free_s_.empty()) {
    const auto compiler = std::min_element(compiler_free_s_.begin(), compiler_free_s_.end());
    flight.compiler = static_cast<std::size_t>(compiler - compiler_free_s_.begin());
    flight.begin_s = std::max(flight.begin_s, *compiler);
    flight.compiled_s = *compiler = flight.begin_s + flight.recorded->phases.compile_ms / 1e3;
  }
  const bool ends_here = !compiler_free_s_.empty() && flight.recorded->outcome == search::Outcome::compile_error;
  flight.end_s = flight.compiled_s;
  (ends_here ? measuring_ : compiling_).push_back(flight);
}

// A device takes what is compiled first. Only as far as the next end, before which nothing new is submitted: what is
// submitted then may be compiled before what waits now.
void SimulatedEvaluator::assign_devices() {
  while (!compiling_.empty()) {
    const auto flight = first_of(compiling_, &Flight::compiled_s);
    const auto device = std::min_element(device_free_s_.begin(), device_free_s_.end());
    const double begin_s = std::max(flight->compiled_s, *device);
    if (!measuring_.empty() && begin_s > first_of(measuring_, &Flight::end_s)->end_s) return;
    const bool compiles = compiler_free_s_.empty();
    flight->end_s = *device = begin_s + (compiles ? replay::cost_s(*flight->recorded) : device_s(*flight->recorded));
    measuring_.push_back(*flight);
    compiling_.erase(flight);
  }
}

void SimulatedEvaluator::wait_until(double time_s) {
  if (machine_.speed == 0)
    simulated_s_ = std::max(simulated_s_, time_s);
  else
    std::this_thread::sleep_until(start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                               std::chrono::duration<double>(time_s / machine_.speed)));
}

search::Trial SimulatedEvaluator::next() {
  require_in_flight(!compiling_.empty() || !measuring_.empty());
  assign_devices();
  const auto first = first_of(measuring_, &Flight::end_s);
  const Flight flight = *first;
  measuring_.erase(first);
  wait_until(flight.end_s);
  search::Trial trial = as_measured(*flight.recorded, recording_.device());
  returned_at_ = std::chrono::steady_clock::now();
  return trial;
}

std::size_t SimulatedEvaluator::cancel() {
  assign_devices();
  const double now = now_s();
  std::erase_if(compiling_, [&](const Flight& flight) { return flight.begin_s > now || compiler_free_s_.empty(); });
  std::fill(compiler_free_s_.begin(), compiler_free_s_.end(), now);
  for (const Flight& flight : compiling_)
    compiler_free_s_[flight.compiler] = std::max(compiler_free_s_[flight.compiler], flight.compiled_s);
  return compiling_.size() + measuring_.size();
}

}  // namespace warptune::tuner::bench
