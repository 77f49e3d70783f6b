// Runs a strategy on a thread of its own, so that fitting a model never keeps compilers and devices waiting. A fit in
// the background within each model was rejected: every model would need it, and this serves all.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <vector>

#include "search/strategies/strategy.h"

namespace warptune::tuner {

// Proposals rest on the trials that were told before the strategy began to think, so decisions depend on timing. It is
// not for sessions that are to be deterministic. One thread at a time may call it, as with all strategies. What the
// strategy throws is thrown by the next call.
class StrategyThread : public search::Strategy {
 public:
  // Keeps `ready` proposals at hand.
  StrategyThread(std::unique_ptr<search::Strategy> strategy, std::size_t ready);
  ~StrategyThread() override;

  // Returns the proposals that are ready, also if there are none: a caller that waits here hands no machine code to
  // devices. It waits only while the results of all earlier proposals have been told, because no proposal at all would
  // mean then that the search is over.
  std::vector<search::Configuration> ask(std::size_t n) override;
  void tell(const search::Trial& trial) override;
  // Returns the value of the last time that the strategy thought, and nothing before that.
  std::optional<double> expected_improvement() const override;

 private:
  using Lock = std::unique_lock<std::mutex>;
  void think();
  void think_once(Lock& lock);
  bool has_work() const;
  void require_no_failure() const;

  const std::unique_ptr<search::Strategy> strategy_;  // used by the thread alone
  const std::size_t ready_;
  mutable std::mutex mutex_;  // guards all that follows
  std::condition_variable work_, news_;
  std::deque<search::Trial> told_;               // trials not yet passed on to the strategy
  std::deque<search::Configuration> proposals_;  // not yet asked for
  std::unordered_set<search::Configuration, search::ConfigurationHash> out_;  // asked for and not told
  bool thinking_ = false, dry_ = false, ended_ = false;  // dry: nothing to propose until something is told
  mutable bool improvement_wanted_ = false;
  std::optional<double> improvement_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace warptune::tuner
