// Runs one configuration so that each run begins as a first one would: no memory that it can write holds what it wrote
// before, and nothing tells it whether it is timed or whether its results will be checked.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tuner/measure/memory/bound_plan.h"
#include "tuner/measure/memory/module_state.h"
#include "tuner/measure/sampling/policy.h"
#include "tuner/measure/verification/workload.h"

namespace warptune::tuner {

class IndependentRuns {
 public:
  // Binds the plan. All arguments must outlive the runs. Throws as BoundPlan does.
  IndependentRuns(const KernelTemplate& kernel, Workload& workload, Module& module, Plan plan,
                  LaunchAs as = LaunchAs::automatic);

  std::vector<search::LaunchUse> uses() const { return lanes_.front()->uses(); }
  std::size_t launches() const { return lanes_.front()->launches(); }  // the number of launches of one run
  // Returns the module's variables that are filled before each run.
  std::vector<FilledVariable> filled_variables() const;

  struct How {
    int runs = 1;  // back to back in each sample
    int samples = 1;
    bool cold_cache = false;
    bool check = false;  // checks some of the samples, chosen at random
  };
  // Takes samples and returns the milliseconds of each. Waits only for the last one.
  std::vector<double> timed(const How& how);
  // Queues so many runs back to back and waits for none of them. The first one begins as a first run.
  void queue(int runs);
  // Runs once with the data of a set, checks the results if `check`, and returns the milliseconds.
  double single(bool check, std::size_t set = 0);
  // Draws the second set of inputs anew, as Workload::redraw says.
  bool redraw();
  // Returns the buffers that the template names, of the first lane.
  std::vector<AccessBuffer> buffers() const;
  // Counts the events of one run. The run is launched as often as the profiler needs, each time with the data of a
  // first run and a cache that holds none of them. `now_s` is called before each launch, to show that nothing hangs.
  // Throws DeviceError.
  search::Counters count(Profiler& profiler, const std::function<double()>& now_s);
  // Returns how many runs can be timed together.
  int most_runs() const;

  // Waits for all runs since the last call, and judges what they left.
  Workload::Judgement inspect(bool thorough);
  // Returns whether outputs came out otherwise than in an earlier run with the same data. Call it after each `inspect`.
  bool varies(const Workload::Judgement& judgement);
  // Returns the hashes of the outputs, after a first run that was checked and inspected.
  std::optional<search::OutputBits> bits() const { return workload_.bits(known_.front()); }
  // Returns the error of the floating-point outputs, at its largest in any run that was inspected so far.
  const std::optional<search::OutputError>& error() const { return error_; }

 private:
  using Start = Workload::Start;
  struct Sample {
    Start start;
    bool checked = false;
    std::size_t lane = 0, lanes = 1;  // the lanes that are checked
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
  std::uint64_t round_;               // the number of the next checked run
  double launch_ms_ = 0;              // about what one launch takes
  std::size_t checks_ = 0;            // the checks so far
  std::vector<std::size_t> checked_;  // the sets of the runs checked since the last inspection
  std::optional<search::OutputError> error_;
  std::string fault_;  // a fault that an inspection in between found
  bool varied_ = false;
  std::vector<std::vector<std::uint64_t>> known_;  // checksums of an earlier run, by set
};

}  // namespace warptune::tuner
