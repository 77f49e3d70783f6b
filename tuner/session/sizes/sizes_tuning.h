// Tunes one kernel for many problems within one budget: says whether one model searches all of them (many_sizes.h) or
// each is searched by itself (size_budget.h), shares the budget, and keeps what became of each.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/session/sizes/many_sizes.h"
#include "tuner/session/sizes/size_budget.h"

namespace warptune::tuner {

// A SizeRun holds what became of one problem.
struct SizeRun {
  Problem problem;            // as asked for; as the template completes it once its session began
  db::SessionId session = 0;  // 0: the budget ended before its turn
  std::size_t slices = 0;     // slices or turns
  std::size_t trials = 0;     // of this run
  double seconds = 0;
  double setup_s = 0;  // of its last slice
};

// Every problem is a session of its own in the store, and goes on with what the store has of it. With another strategy
// than `auto`, without a budget or for several variants, each is searched by itself, in slices. This emits events and
// prints nothing. It is for one thread.
class SizesTuning {
 public:
  // The request's sizes are not used; its variants are for every problem, unless a problem has its own. `started` is
  // set. All references must outlive this. Throws RequestError for no problem, for one that the kernel does not have or
  // that is there twice, for a recording, and for output bits of a session's winner, which are of one problem.
  SizesTuning(const TuneRequest& request, const KernelTemplate& kernel, const std::vector<Problem>& problems,
              db::Store& store, const std::atomic<bool>& stop, SizesListener listener);

  // Returns whether one model searches all problems. The listener then hears of turns, else of slices. A slice has its
  // own tuning and, with a budget, each problem has one more for its finals, in which no trial may be made.
  bool together() const { return together_; }
  // Returns false if it was interrupted. Throws what tunings and sessions throw; what was measured until then is in the
  // store, with its winners.
  bool run() { return together_ ? run_together() : run_apart(); }

  const std::vector<SizeRun>& runs() const { return runs_; }
  // What the run of one model took, and what became of the configurations that it compiled; set at its end.
  struct Summary {
    ManySizes::Times times;
    workers::CompileCounts compiled;
  };
  const std::optional<Summary>& summary() const { return summary_; }

 private:
  struct SliceOutcome;
  bool run_apart();
  bool run_together();
  double left_s() const;
  bool is_too_short(const SizeBudget::Slice& slice) const;
  SliceOutcome run_slice(SizeBudget::Slice slice, const TuneRequest& request);
  void note(std::size_t size, Tuning& tuning);
  bool hold_finals();
  double finals_s(std::size_t size) const;

  const TuneRequest& request_;
  const std::vector<Problem>& problems_;
  db::Store& store_;
  const std::atomic<bool>& stop_;
  SizesListener listener_;
  std::vector<search::NamedValues> complete_;  // the problems' sizes, with all their names
  bool together_ = false;
  bool limited_;  // the budget has time or trials; if not, each size has one slice, with its finals
  std::vector<SizeRun> runs_;
  std::optional<Summary> summary_;
  std::shared_ptr<workers::IdleWorkers> idle_workers_ = std::make_shared<workers::IdleWorkers>();
};

}  // namespace warptune::tuner
