// An Evaluator whose compilers and devices live in other processes.
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
#include "tuner/measure/workers/job_board.h"
#include "tuner/measure/workers/measure_slot.h"
#include "tuner/measure/workers/setup.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::workers {

struct PoolOptions {
  Program program;
  std::size_t lookahead = 0;   // configurations in flight; 0: enough for every worker to have its next job waiting
  bool deterministic = false;  // trials in the order of submission
  // Set from outside, as by a signal: `next` then returns at once, with a trial that is not correct.
  const std::atomic<bool>* stop = nullptr;
  std::unique_ptr<Process> first = {};  // a worker that is there already, to open the first device (first_worker.h)
  // Workers are taken from it before others are started, and idle ones left to it at the end; may be nullptr.
  std::shared_ptr<Crew> crew = {};
  // Told what the first device is busy with until it is open, and then an empty text. From calls to the pool.
  std::function<void(const std::string& step)> on_setup = {};
  // Told what is expected of the outputs, once for each problem, before its first trial is measured; may throw.
  std::function<void(const std::vector<search::ExpectedOutput>&)> on_expected = {};
  std::size_t jobs_a_device = 2;  // a measuring worker gets its next ones while it works on the present one
  // Nothing is measured: a trial that compiles is correct, and what was compiled is in the shared cache by then.
  bool compile_only = false;
};

// Compile workers, one measuring worker a device, and a spare one that is ready to take a lost one's place. A worker
// that crashes, hangs or ruins its device's context costs its configuration and is replaced; a device that cannot be
// opened any more is dropped. One thread uses a pool at a time; nothing happens between calls.
class WorkerPool : public Evaluator {
 public:
  // Starts the workers and waits for none: the first configurations are compiled while the devices are opened.
  // `devices` are of one model, and not empty; where nothing is measured, the first is what is compiled for. The space
  // must outlive the pool.
  WorkerPool(const search::SearchSpace& space, Setup setup, std::vector<DeviceInfo> devices, PoolOptions options);
  // For who has no space and says the values of each configuration.
  WorkerPool(Setup setup, std::vector<DeviceInfo> devices, PoolOptions options);
  ~WorkerPool() override;

  const DeviceInfo& device() const override { return devices_.front(); }
  std::size_t capacity() const override;
  void submit(const Evaluation& evaluation) override;
  // The evaluation's configuration means nothing here and comes back with the trial. Machine code with a name is kept
  // under it, and compiled once.
  void submit(const Evaluation& evaluation, search::NamedValues values, std::string code_name = {});
  // What follows is measured with other sizes; what devices hold for earlier ones stays there, if there is room. With
  // nothing to be measured in flight.
  void turn_to(search::NamedValues constants);
  // To be compiled while no compiler has anything else to do; only its code comes of it, under its name.
  void compile_ahead(search::NamedValues values, std::shared_ptr<const search::NamedValues> constants,
                     std::string code_name);
  // Whether that is under way. As many as there are compilers keep all of them busy.
  bool is_ahead(const std::string& code_name) const { return board_.is_ahead(code_name); }
  std::size_t compilers() const { return compilers_.size(); }
  // Whether some device is open and has its data.
  bool opened() const { return any_opened_; }
  bool has_code(const std::string& name) const { return board_.has_code(name); }
  // Throws what a worker's set-up throws (NoDeviceError, WorkloadError, ManifestError), before the first trial, and
  // DeviceLostError when no device is left.
  search::Trial next() override;
  bool wait(double seconds) override;
  void race_against(const Rivals& rivals) override;
  std::size_t cancel() override;
  // For who waits for other things too: does what there is to do, and waits for it or for one of the `others`, which
  // get their answers as from poll(). Throws what a worker's set-up throws, and DeviceLostError.
  void attend(int timeout_ms, std::span<pollfd> others);
  // `next` would return at once.
  bool has_finished() const { return board_.has_finished(); }
  // Since the workers were started; opening the devices and filling their data takes time like all else.
  double now_s() const override;

  const CompileCounts& compile_counts() const { return counts_; }
  // A line for each device that was dropped.
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
  void leave_to_crew();
  bool stopped() const { return options_.stop && options_.stop->load(); }
  void require_device() const;

  const search::SearchSpace* space_;  // may be null
  Setup setup_;
  std::vector<DeviceInfo> devices_;
  PoolOptions options_;
  const double start_s_ = steady_s();
  bool any_opened_ = false;
  std::string step_;  // of the set-up, as last told
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
