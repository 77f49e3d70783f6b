// Declares an Evaluator whose compilers and devices live in other processes.
#pragma once

#include <poll.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/space/search_space.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/workers/compile_slot.h"
#include "tuner/measure/workers/jobs.h"
#include "tuner/measure/workers/measure_slot.h"
#include "tuner/measure/workers/requests.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::workers {

struct PoolOptions {
  Program program;
  std::size_t lookahead = 0;   // configurations in flight; 0: enough for every worker to have its next job waiting
  bool deterministic = false;  // trials in the order of submission
  // It is set from outside, for instance by a signal. `next` then returns at once, with a trial that is not correct.
  const std::atomic<bool>* stop = nullptr;
  std::unique_ptr<Process> first = {};  // a worker that is there already, to open the first device (first_worker.h)
  // Workers are taken from here before others are started, and idle ones are left here at the end. It may be
  // nullptr.
  std::shared_ptr<IdleWorkers> idle_workers = {};
  // Called with what the first device is busy with until it is open, and then with an empty text. The calls happen
  // within calls to the pool.
  std::function<void(const std::string& step)> on_setup = {};
  // Called with what is expected of the outputs, once for each problem, before its first trial is measured. It may
  // throw.
  std::function<void(const std::vector<search::ExpectedOutput>&)> on_expected = {};
  std::size_t jobs_a_device = 2;  // a measuring worker gets its next ones while it works on the present one
  // If true, nothing is measured: a trial that compiles is correct, and its code is then in the shared cache.
  bool compile_only = false;
};

// Runs compile workers, one measuring worker for each device, and a spare one that is ready to replace a lost one. A
// worker that crashes, hangs or ruins its device's context costs its configuration and is replaced. A device that
// cannot be opened any more is dropped. Only one thread uses a pool at a time; nothing happens between calls.
class WorkerPool : public Evaluator {
 public:
  // Starts the workers and waits for none: the first configurations are compiled while the devices are opened.
  // `devices` are of one model, and not empty. If nothing is measured, the code is compiled for the first of them. The
  // space must outlive the pool.
  WorkerPool(const search::SearchSpace& space, Setup setup, std::vector<DeviceInfo> devices, PoolOptions options);
  // Makes a pool without a space, for callers that give the values of each configuration.
  WorkerPool(Setup setup, std::vector<DeviceInfo> devices, PoolOptions options);
  ~WorkerPool() override;

  const DeviceInfo& device() const override { return devices_.front(); }
  std::size_t capacity() const override;
  void submit(const Evaluation& evaluation) override;
  // Submits an evaluation with the given values. Its configuration has no meaning for the pool, and comes back with the
  // trial. Machine code with a name is kept under it, and compiled once.
  void submit(const Evaluation& evaluation, search::NamedValues values, std::string code_name = {});
  // Changes the sizes for what follows. What devices hold for earlier sizes stays there, if there is room. Nothing to
  // be measured may be in flight.
  void turn_to(search::NamedValues constants);
  // Compiles values while no compiler has anything else to do. The only result is the code, which is kept under its
  // name.
  void compile_ahead(search::NamedValues values, std::shared_ptr<const search::NamedValues> constants,
                     std::string code_name);
  // `is_ahead` returns whether this code is being compiled ahead. To keep all compilers busy, as many codes as
  // `compilers` have to be under way.
  bool is_ahead(const std::string& code_name) const { return board_.is_ahead(code_name); }
  std::size_t compilers() const { return compilers_.size(); }
  // Returns whether some device is open and has its data.
  bool opened() const { return any_opened_; }
  bool has_code(const std::string& name) const { return board_.has_code(name); }
  // Throws what a worker's set-up throws (NoDeviceError, WorkloadError, ManifestError) before the first trial, and
  // DeviceLostError when no device is left.
  search::Trial next() override;
  bool wait(double seconds) override;
  void race_against(const Rivals& rivals) override;
  std::size_t cancel() override;
  // Does what there is to do. Then waits for more of it or for one of the `others`, whose results are set as by poll().
  // It serves callers that wait for other things, too. Throws what a worker's set-up throws, and DeviceLostError.
  void attend(int timeout_ms, std::span<pollfd> others);
  // Returns whether `next` would return at once.
  bool has_finished() const { return board_.has_finished(); }
  // Returns seconds since the workers were started; opening the devices and filling their data is included.
  double now_s() const override;

  const CompileCounts& compile_counts() const { return counts_; }
  // Returns a line for each device that was dropped.
  std::vector<std::string> lost_devices() const;

 private:
  WorkerPool(const search::SearchSpace* space, Setup setup, std::vector<DeviceInfo> devices, PoolOptions options);
  void serve(int timeout_ms, std::span<pollfd> others = {});
  void hand_out();
  MeasureSlot* least_busy();
  void prepare(std::unique_ptr<Process> spare);
  void look_at_devices();
  void tell_setup();
  void tell_expected();
  void finish_sending();
  void keep_idle_workers();
  bool stopped() const { return options_.stop && options_.stop->load(); }
  void require_device() const;

  const search::SearchSpace* space_;  // may be null
  Setup setup_;
  std::vector<DeviceInfo> devices_;
  PoolOptions options_;
  const double start_s_ = steady_s();
  bool any_opened_ = false;
  std::string step_;  // the step of the set-up that was last reported
  bool expected_told_ = false;
  JobBoard board_;
  CompileCounts counts_;
  std::unique_ptr<Process> spare_;
  bool all_opened_ = false;  // every device has been open once, or is lost
  std::vector<std::unique_ptr<CompileSlot>> compilers_;
  std::vector<std::unique_ptr<MeasureSlot>> measurers_;
  std::vector<pollfd> polled_;
};

}  // namespace warptune::tuner::workers
