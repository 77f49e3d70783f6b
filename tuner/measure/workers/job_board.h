// The configurations in flight, and where each of them is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/value.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/workers/kept_code.h"

namespace warptune::tuner::workers {

using JobId = std::uint64_t;

struct Job {
  Evaluation evaluation;
  search::NamedValues values;
  search::Trial trial;  // as far as it is known
  std::string code;     // compiled, as stored_result.h writes it
  int deaths = 0;       // workers that ended while they had it
  // Of another problem than the workers' own; null: theirs.
  std::shared_ptr<const search::NamedValues> constants = {};
  bool ahead = false;     // it is compiled for later, and nobody waits for it
  std::string code_name;  // equal for equal machine code; empty: nobody knows
  bool again = false;     // it was to be measured before, and its worker ended
};

// A job waits to be compiled, is being compiled, waits to be measured, is being measured, is finished; a cancelled one
// is forgotten, and what workers still say of it finds nothing.
class JobBoard {
 public:
  // With `in_order`, trials are handed out in the order of submission, otherwise as they finish.
  // Of code that has a name, `code_bytes` are kept at most.
  explicit JobBoard(bool in_order, std::size_t code_bytes = std::size_t{256} << 20)
      : in_order_(in_order), codes_(code_bytes) {}

  // Code that has a name is kept, and compiled once: false if it has to be compiled yet.
  bool add(const Evaluation& evaluation, search::NamedValues values, std::string code_name = {});
  // To be compiled behind all that somebody waits for, and untouched by `cancel`; nothing if its code is there or on
  // its way.
  void add_ahead(search::NamedValues values, std::shared_ptr<const search::NamedValues> constants,
                 std::string code_name);
  // Whether it is under way.
  bool is_ahead(const std::string& name) const { return ahead_.contains(name); }
  bool has_code(const std::string& name) const { return codes_.find(name) != nullptr; }
  // Nullptr for a job that was cancelled.
  Job* find(JobId id);
  bool empty() const { return jobs_.size() == ahead_.size(); }

  // The next job in line, taken out of the line.
  std::optional<JobId> take_for_compiling();
  // Of the trials that wait, the one submitted last: its strategy knew most when it proposed it. Every fourth time, and
  // the first, it is the one that has waited longest, so that the default configuration comes first and none is left
  // over. Finalists keep their order; they are compared with each other, so `finalists` is true for one device only.
  std::optional<JobId> take_for_measuring(bool finalists);

  void compiled(JobId id, std::string code);
  // Ends a job whose trial is complete, or with an outcome and its reason.
  void finish(JobId id);
  void fail(JobId id, search::Outcome outcome, std::string message);
  // Back to the head of its line.
  void compile_again(JobId id);
  void measure_again(JobId id);

  bool has_finished() const;
  std::optional<search::Trial> take_finished();
  // Forgets all jobs but finished ones and `begun`; the number of those left.
  std::size_t cancel(const std::set<JobId>& begun);
  // Forgets the oldest job; its configuration.
  search::Configuration drop_oldest();

 private:
  bool is_finished(JobId id) const { return std::ranges::find(finished_, id) != finished_.end(); }
  // The one to hand out next, once it has finished.
  JobId next_out() const { return in_order_ ? jobs_.begin()->first : finished_.front(); }
  bool end_ahead(JobId id);
  bool is_trial(JobId id) const { return jobs_.at(id).evaluation.purpose == Purpose::trial; }

  bool in_order_;
  JobId last_ = 0;
  std::size_t turns_ = 0;  // trials taken for measuring
  std::map<JobId, Job> jobs_;
  std::deque<JobId> to_compile_, to_measure_, finished_, to_compile_ahead_;
  KeptCode codes_;
  std::unordered_map<std::string, std::vector<JobId>> ahead_;  // by name of what is compiled ahead: who waits for it
};

}  // namespace warptune::tuner::workers
