// Runs of one configuration, each of which begins as a first one would: nothing that it could write holds what it wrote
// before, and nothing tells it whether it is timed or whether somebody will look at what it leaves.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tuner/measure/memory/bound_plan.h"
#include "tuner/measure/memory/module_state.h"
#include "tuner/measure/sampling/policy.h"
#include "tuner/measure/verification/workload.h"

namespace warptune::tuner {

class FreshRuns {
 public:
  // Binds the plan. All must outlive the runs. Throws as BoundPlan does.
  FreshRuns(const KernelTemplate& kernel, Workload& workload, Module& module, Plan plan,
            LaunchAs as = LaunchAs::automatic);

  std::vector<search::LaunchUse> uses() const { return lanes_.front()->uses(); }
  std::size_t launches() const { return lanes_.front()->launches(); }  // of one run
  // The module's variables that are filled before each run.
  std::vector<FilledVariable> filled_variables() const;

  struct How {
    int runs = 1;  // back to back in each sample
    int samples = 1;
    bool cold_cache = false;
    bool check = false;  // some of them, nobody knows which
  };
  // The milliseconds of each sample. Nothing is waited for but the last one.
  std::vector<double> timed(const How& how);
  // Queues so many runs back to back, the first of which begins as a first one, and waits for none of them.
  void queue(int runs);
  // One run with the data of a set, which is checked if `check`.
  double single(bool check, std::size_t set = 0);
  // See Workload.
  bool redraw();
  // The buffers that the template names, of the first lane.
  std::vector<AccessBuffer> buffers() const;
  // One run, launched as often as the profiler has to, each time with the data of a first run and a cache that holds
  // none of it. `now_s` is called before each, to show that nothing hangs. Throws DeviceError.
  search::Counters count(Profiler& profiler, const std::function<double()>& now_s);
  // How many can be timed together.
  int most_runs() const;

  // What all runs since the last call have left. Waits for them.
  Workload::Judgement inspect(bool thorough);
  // Of outputs that came out otherwise than in an earlier run with the same data; call after each `inspect`.
  bool varies(const Workload::Judgement& judgement);
  // Of the outputs, after a first run that was checked and inspected.
  std::optional<search::OutputBits> bits() const { return workload_.bits(known_.front()); }
  // Of the floating-point outputs, at its largest in any run that was inspected so far.
  const std::optional<search::OutputError>& error() const { return error_; }

 private:
  using Start = Workload::Start;
  struct Sample {
    Start start;
    bool checked = false;
    std::size_t lane = 0, lanes = 1;  // that are checked
  };
  std::vector<Sample> arrange(const How& how, std::size_t lanes);
  std::vector<std::size_t> choose_checks(std::size_t samples, std::size_t turn);
  void choose_sets(std::vector<Sample>& samples, std::size_t turn);
  void begin(const Sample& sample, std::size_t lanes);
  std::size_t make_lanes(std::size_t wanted);
  bool differs(const Workload::Judgement& judgement);
  void queue_as_deployed(Timing& timing) const;
  std::vector<double> run(const std::vector<Sample>& samples, std::size_t lanes, int runs, bool cold_cache);

  const KernelTemplate& kernel_;
  Workload& workload_;
  Module& module_;
  Plan plan_;
  LaunchAs as_;
  std::vector<std::unique_ptr<BoundPlan>> lanes_;
  bool fills_variables_ = false;
  bool may_write_filled_ = false;     // kernels could write variables that are filled
  std::uint64_t round_;               // of the next checked run
  double launch_ms_ = 0;              // about what one launch takes
  std::size_t checks_ = 0;            // so far
  std::vector<std::size_t> checked_;  // their sets, since the last inspection
  std::optional<search::OutputError> error_;
  std::string fault_;  // found by an inspection in between, as is
  bool varied_ = false;
  std::vector<std::vector<std::uint64_t>> known_;  // by set: an earlier run's checksums
};

}  // namespace warptune::tuner
