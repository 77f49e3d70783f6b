// The interface between a session and whatever turns configurations into trials: a device, a pool of workers, a
// recording. Not one call that measures and returns, for compiling would wait for measuring; not futures, for they have
// no order. What follows is promised by all and tested on all (tests/conformance/evaluator_conformance_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/configuration.h"
#include "search/space/search_space.h"
#include "search/trial.h"
#include "tuner/device/device_info.h"
#include "tuner/measure/sampling/rivals.h"

namespace warptune::tuner {

enum class Purpose : std::uint8_t {
  trial,  // verified, then sampled under the whole stopping rule
  // Known to be right: sampled again, briefly, to be compared with others measured at the same time. An evaluator of
  // several devices gives all of them to one.
  finalist,
  // Known to be right: run on inputs that no run has seen, where an answer that was remembered is wrong. Nothing is
  // measured; the trial is correct or says what is wrong. Where finalists go, it goes.
  proof,
  // Known to be right: run outside all samples to have what it does counted; nothing is measured. The trial is correct
  // and has `counters`, which may say why there are none. Where finalists go, it goes.
  counted,
};

inline bool is_measured(Purpose purpose) {
  return purpose == Purpose::trial || purpose == Purpose::finalist;
}

// One thing to do for an evaluator.
struct Evaluation {
  search::Configuration configuration;
  Purpose purpose = Purpose::trial;
};

// Work goes in and comes out separately, so that compiling the next configurations never waits for measuring this one.
// For one thread at a time. May be destroyed with work in flight, which is then lost.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual const DeviceInfo& device() const = 0;

  // How many configurations should be in flight for the device never to wait; at least 1. More are taken, too.
  virtual std::size_t capacity() const = 0;

  // Queues an evaluation; returns at once. Takes any configuration whose values are in the space's domains, also one
  // that the constraints forbid, and one that was evaluated before: it is evaluated again. Throws std::invalid_argument
  // for any other, and nothing is queued then.
  virtual void submit(const Evaluation& evaluation) = 0;

  // Waits for the next finished trial, in completion order; each evaluation comes back once. Whatever a configuration
  // does wrong is its trial's outcome; only a lost device throws. Throws std::logic_error with nothing in flight, which
  // would otherwise be waited for without end.
  virtual search::Trial next() = 0;

  // Waits until `next` would return without waiting for a compiler or another process, for so many seconds at most;
  // whether it came to that. One that cannot tell answers true at once. Throws what `next` throws, but for nothing in
  // flight, which is no reason to wait.
  virtual bool wait(double /*seconds*/) { return true; }

  // From now on a trial that is hopeless beside these may be cut short, or go without its energy. An evaluator that
  // cannot cut ignores it.
  virtual void race_against(const Rivals& rivals) = 0;

  // Whether evaluating a configuration again measures it again; a recording only repeats itself.
  virtual bool can_measure_again() const { return true; }

  // Forgets what was submitted and has not begun; the number of trials that `next` will still return. More may be
  // submitted afterwards.
  virtual std::size_t cancel() = 0;

  // Seconds on this evaluator's clock: the wall's, or for a recording the simulated one.
  virtual double now_s() const = 0;
};

// Whether the code has to tell of its accesses (CompileRequest::tracked): on the host it is the code that counts.
bool has_to_be_tracked(const DeviceInfo& device, Purpose purpose);

// Of a trial whose purpose was to be counted; one that failed says why there are none.
search::Counters counters_of_run(search::Trial counted);

// What `submit` and `next` refuse, for those who implement them. Throw std::invalid_argument, std::logic_error.
void require_fitting(const search::SearchSpace& space, const search::Configuration& configuration);
void require_in_flight(bool any);

}  // namespace warptune::tuner
