// What a session tells while it runs and leaves at its end. Apart from session.h, because programs that embed the tuner
// read it, and need nothing of how a session runs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/records.h"
#include "search/expected_output.h"
#include "search/trial.h"

namespace warptune::tuner {

// One candidate as the finals left it.
struct Finalist {
  std::size_t trial = 0;      // index among the session's trials
  double objective = 0;       // the first one, at the median of its times; the session's to set
  double relative_error = 0;  // of that
  double time_ms = 0;         // the median of their times
  double time_error = 0;      // the relative error of that
  std::size_t visits = 0;
  // Its cost over the winner's, less one, with bounds that hold for all pairs of candidates at once with 95 %; infinite
  // if there were too few visits for any.
  double slower_by = 0, slower_low = 0, slower_high = 0;
  bool tied = false;  // with the winner: not told apart from it. The winner is tied with itself
  std::map<std::string, double> metrics = {};  // of that time; the session's to set
};

struct FinalsResult {
  std::vector<Finalist> finalists;  // the winner first, then by cost
  std::size_t rounds = 0;
};

struct SessionProgress {
  std::size_t resumed = 0;              // trials that were already in the store
  std::size_t done = 0;                 // trials of this run
  std::size_t failed = 0;               // of those
  double elapsed_s = 0;                 // since the user asked, set-up included
  const search::Trial* best = nullptr;  // of resumed and done ones
};

// Called on the session's thread.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  // What is being prepared before the first trial can be measured, as a phrase ("compiling the reference …"), when it
  // changes; empty once everything is. Trials that need no device, as those that do not compile, may come earlier.
  virtual void on_setup(const std::string& /*step*/) {}
  // What the reference expects of each output that is compared, before the first trial is measured; `notes` are
  // sentences on those that tell right from wrong in nothing.
  virtual void on_expected(const std::vector<search::ExpectedOutput>&, const std::vector<std::string>& /*notes*/) {}
  virtual void on_resumed(const SessionProgress&) {}
  virtual void on_trial(const search::Trial& /*trial*/, const SessionProgress&) {}
  // Several times a second while nothing else happens.
  virtual void on_wait(const SessionProgress&) {}
  // The default configuration was tried and failed, before anything else is told of its trial.
  virtual void on_default_failed(const search::Trial&) {}
  // As many trials as the request allows have failed in a row, and none was correct until now: whether to go on. The
  // time until the answer costs nothing of the budget.
  virtual bool on_nothing_correct(const SessionProgress&, const search::Trial& /*latest*/) { return false; }
  // After each round of the finals: rounds done, candidates still in.
  virtual void on_finals(std::size_t /*rounds*/, std::size_t /*candidates*/) {}
  // Behind the finals: one of so many trials is about to be counted, from 1.
  virtual void on_counting(std::size_t /*trial*/, std::size_t /*of*/) {}
};

struct SessionResult {
  std::string objective = "time";     // or several, as "time,joules"
  std::vector<search::Trial> trials;  // every trial under the key, resumed ones first
  std::vector<db::TrialId> ids;       // theirs in the store
  std::size_t resumed = 0;
  std::optional<std::size_t> best;           // index of the winner
  std::optional<std::size_t> default_trial;  // index of the default configuration's trial
  bool default_exists = false;               // whether the default configuration is in the space
  std::optional<FinalsResult> finals;        // those that settled the winner, of this run or an earlier one
  std::optional<db::Winner> winner;          // as the store settled it, with `ids`
  bool earlier_stands = false;     // the winner is an earlier run's, which this one found no reason to replace
  std::vector<std::size_t> front;  // several objectives: indices of the Pareto front, by the first one
  // From the user's request to the result, and its parts: until the first device was ready, until the search ended, and
  // what was measured again behind that.
  double elapsed_s = 0, setup_s = 0, search_s = 0, finals_s = 0;
  double asking_s = 0;  // of the search, on the clock: waiting for the strategy, while nobody got anything to do
  bool interrupted = false;
  bool exhausted = false;  // nothing was left to try
  std::string reason;      // why it ended
};

}  // namespace warptune::tuner
