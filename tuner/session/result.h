// Declares what a session tells while it runs and leaves at its end. It is apart from session.h because programs that
// embed the tuner read it, and need nothing of how a session runs.
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

// A finalist is one candidate as the finals left it.
struct Finalist {
  std::size_t trial = 0;      // index among the session's trials
  double objective = 0;       // the first one, at the median of its times; the session's to set
  double relative_error = 0;  // of the objective
  double time_ms = 0;         // the median of its visits' times
  double time_error = 0;      // the relative error of time_ms
  std::size_t visits = 0;
  // These are the finalist's cost over the winner's, less one, with bounds that hold with 95 % for all pairs of
  // candidates at once. The bounds are infinite if there were too few visits for any.
  double slower_by = 0, slower_low = 0, slower_high = 0;
  bool tied = false;  // with the winner: not told apart from it. The winner is tied with itself
  std::map<std::string, double> metrics = {};  // at time_ms; the session's to set
};

struct FinalsResult {
  std::vector<Finalist> finalists;  // the winner first, then by cost
  std::size_t rounds = 0;
};

struct SessionProgress {
  std::size_t resumed = 0;              // trials that were already in the store
  std::size_t done = 0;                 // trials of this run
  std::size_t failed = 0;               // trials of this run that failed
  double elapsed_s = 0;                 // since the user asked, set-up included
  const search::Trial* best = nullptr;  // the best of resumed and done trials
};

// An observer hears of a session's progress. Its functions are called on the session's thread.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  // Is called when the next step of the preparation for the first trial begins. `step` is a phrase ("compiling the
  // reference …"); it is empty once everything is prepared. Trials that need no device, as those that do not compile,
  // may come earlier.
  virtual void on_setup(const std::string& /*step*/) {}
  // Tells what the reference expects of each output that is compared, before the first trial is measured. `notes` are
  // sentences on outputs that a kernel gets right without computing them.
  virtual void on_expected(const std::vector<search::ExpectedOutput>&, const std::vector<std::string>& /*notes*/) {}
  virtual void on_resumed(const SessionProgress&) {}
  virtual void on_trial(const search::Trial& /*trial*/, const SessionProgress&) {}
  // Is called several times a second while nothing else happens.
  virtual void on_wait(const SessionProgress&) {}
  // Is called when the default configuration was tried and failed, before anything else is told of its trial.
  virtual void on_default_failed(const search::Trial&) {}
  // Returns whether to go on after as many trials as the request allows have failed in a row, and none was correct
  // until now. The time until the answer does not count against the budget.
  virtual bool on_nothing_correct(const SessionProgress&, const search::Trial& /*latest*/) { return false; }
  // Is called after each round of the finals, with the rounds done and the candidates still in.
  virtual void on_finals(std::size_t /*rounds*/, std::size_t /*candidates*/) {}
  // Is called after the finals when the hardware counters of a trial are about to be read. `trial` counts from 1 to
  // `of`.
  virtual void on_counting(std::size_t /*trial*/, std::size_t /*of*/) {}
};

struct SessionResult {
  std::string objective = "time";     // or several, as "time,joules"
  std::vector<search::Trial> trials;  // every trial under the key, resumed ones first
  std::vector<db::TrialId> ids;       // the trials' numbers in the store
  std::size_t resumed = 0;
  std::optional<std::size_t> best;           // index of the winner
  std::optional<std::size_t> default_trial;  // index of the default configuration's trial
  bool default_exists = false;               // whether the default configuration is in the space
  std::optional<FinalsResult> finals;        // those that settled the winner, of this run or an earlier one
  std::optional<db::Winner> winner;          // as the store settled it; it names trials by `ids`
  bool earlier_stands = false;     // the winner is an earlier run's, which this one found no reason to replace
  std::vector<std::size_t> front;  // several objectives: indices of the Pareto front, by the first one
  // `elapsed_s` is from the user's request to the result. Its parts are the set-up until the first device was ready,
  // the search until it ended, and what was measured again after that.
  double elapsed_s = 0, setup_s = 0, search_s = 0, finals_s = 0;
  double asking_s = 0;  // of search_s: waiting for the strategy, while nobody got anything to do
  bool interrupted = false;
  bool exhausted = false;  // nothing was left to try
  std::string reason;      // why it ended
};

}  // namespace warptune::tuner
