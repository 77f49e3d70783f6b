// Keeps the configurations in flight with the state of each, and the machine code that is at hand for them.
#pragma once

#include <algorithm>
#include <cstddef>
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

namespace warptune::tuner::workers {

// Keeps machine code by name, up to a limit of bytes. The oldest is dropped first, since the cache on disk has it. The
// latest always stays. The class is for one thread.
class KeptCode {
 public:
  explicit KeptCode(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  void keep(const std::string& name, const std::string& code) {
    if (!codes_.emplace(name, code).second) return;
    by_age_.push_back(name);
    bytes_ += code.size();
    while (bytes_ > most_bytes_ && by_age_.size() > 1) forget_oldest();
  }

  // Returns the code; null if there is none. The pointer is valid until the next `keep`.
  const std::string* find(const std::string& name) const {
    const auto found = codes_.find(name);
    return found == codes_.end() ? nullptr : &found->second;
  }

 private:
  void forget_oldest() {
    const auto oldest = codes_.find(by_age_.front());
    bytes_ -= oldest->second.size();
    codes_.erase(oldest);
    by_age_.pop_front();
  }

  std::size_t most_bytes_, bytes_ = 0;
  std::unordered_map<std::string, std::string> codes_;
  std::deque<std::string> by_age_;
};

using JobId = std::uint64_t;

struct Job {
  Evaluation evaluation;
  search::NamedValues values;
  search::Trial trial;  // as far as it is known
  std::string code;     // the compiled code, as code_cache.h writes it
  int deaths = 0;       // workers that ended while they had it
  // The constants of another problem than the workers' own; null: theirs.
  std::shared_ptr<const search::NamedValues> constants = {};
  bool ahead = false;     // it is compiled for later, and nobody waits for it
  std::string code_name;  // equal for equal machine code; empty: unknown
  bool retried = false;   // it was to be measured before, and its worker ended
};

// Keeps jobs through their states. A job waits to be compiled, is being compiled, waits to be measured, is being
// measured, and is finished. A cancelled job is forgotten, and later answers of workers about it are ignored.
class JobBoard {
 public:
  // With `in_order`, trials are handed out in the order of submission, otherwise as they finish. At most `code_bytes`
  // of code that has a name are kept.
  explicit JobBoard(bool in_order, std::size_t code_bytes = std::size_t{256} << 20)
      : in_order_(in_order), codes_(code_bytes) {}

  // Adds a job. Code that has a name is kept, and compiled once. Returns false if it still has to be compiled.
  bool add(const Evaluation& evaluation, search::NamedValues values, std::string code_name = {});
  // Adds code that is compiled ahead, after all jobs that somebody waits for. `cancel` does not affect it. Does nothing
  // if the code is there or under way.
  void add_ahead(search::NamedValues values, std::shared_ptr<const search::NamedValues> constants,
                 std::string code_name);
  // Returns whether this code is being compiled ahead.
  bool is_ahead(const std::string& name) const { return ahead_.contains(name); }
  bool has_code(const std::string& name) const { return codes_.find(name) != nullptr; }
  // Returns the job; nullptr for one that was cancelled.
  Job* find(JobId id);
  bool empty() const { return jobs_.size() == ahead_.size(); }

  // Takes the next job out of the line, and returns it.
  std::optional<JobId> take_for_compiling();
  // Chooses the next job to measure. Of the trials that wait, it takes the one submitted last, because its strategy
  // knew most when it proposed it. The first time, and every fourth time after that, it takes the one that has waited
  // longest, so that the default configuration comes first and none is left over. Finalists keep their order. They are
  // compared with each other, so `finalists` is true for one device only.
  std::optional<JobId> take_for_measuring(bool finalists);

  void compiled(JobId id, std::string code);
  // Ends a job whose trial is complete, or with an outcome and its reason.
  void finish(JobId id);
  void fail(JobId id, search::Outcome outcome, std::string message);
  // Put a job back to the head of its line.
  void compile_again(JobId id);
  void measure_again(JobId id);

  bool has_finished() const;
  std::optional<search::Trial> take_finished();
  // Drops all jobs except finished ones and `begun`. Returns the number of those left.
  std::size_t cancel(const std::set<JobId>& begun);
  // Drops the oldest job, and returns its configuration.
  search::Configuration drop_oldest();

 private:
  bool is_finished(JobId id) const { return std::ranges::find(finished_, id) != finished_.end(); }
  // Returns the job to hand out next, once it has finished.
  JobId next_out() const { return in_order_ ? jobs_.begin()->first : finished_.front(); }
  bool end_ahead(JobId id);
  bool is_trial(JobId id) const { return jobs_.at(id).evaluation.purpose == Purpose::trial; }

  bool in_order_;
  JobId last_ = 0;
  std::size_t turns_ = 0;  // trials taken for measuring
  std::map<JobId, Job> jobs_;
  std::deque<JobId> to_compile_, to_measure_, finished_, to_compile_ahead_;
  KeptCode codes_;
  // By the name of code that is compiled ahead: the jobs that wait for it.
  std::unordered_map<std::string, std::vector<JobId>> ahead_;
};

}  // namespace warptune::tuner::workers
