// Searches one kernel at many problem sizes together: by one model, with one budget and the same workers.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/session/sizes/shared_sizes.h"
#include "tuner/session/sizes/size_plan.h"

namespace warptune::tuner {

// These functions hear of a run's events; each may be empty. A size has one tuning, which lives as long as the run.
struct SizesListener {
  std::function<SessionObserver*(std::size_t size)> observer;
  std::function<void(std::size_t size, Tuning&)> began;            // its first turn begins
  std::function<void(std::size_t size, Tuning&)> turned;           // a turn begins
  std::function<void(std::size_t size, Tuning&, bool)> concluded;  // its session is over; the flag: it had a turn
};

// Every size is a session in the store. Sizes take turns (size_plan.h) while compilers work ahead for all of them; at
// the end each has its finals. This emits events and prints nothing.
class ManySizes {
 public:
  // This share of a budget of time is for the finals of all sizes.
  static constexpr double finals_share = 0.1;

  // `problems` are as asked for, and `complete` are their sizes with all names. The request has workers and a budget of
  // time or trials, which is that of all sizes together. All references must outlive this.
  ManySizes(const TuneRequest& request, const std::vector<Problem>& problems,
            const std::vector<search::NamedValues>& complete, db::Store& store, const std::atomic<bool>& stop,
            SizesListener listener);
  ~ManySizes();

  // Returns false if it was interrupted. Throws what tunings and sessions throw; what was measured until then is in the
  // store, with its winners.
  bool run();

  struct Times {
    double setup_s = 0, search_s = 0, finals_s = 0;  // until the first device was ready, and so on
    std::size_t visits = 0, trials = 0;
  };
  const Times& times() const { return times_; }
  // Returns what became of the configurations that were compiled.
  workers::CompileCounts compiled() {
    return shared_.pool() ? shared_.pool()->compile_counts() : workers::CompileCounts();
  }

 private:
  struct Turn {
    SizePlan::Visit visit;
    std::vector<search::Configuration> configurations;
  };
  double left_s() const;
  double for_finals_s() const;
  bool has_time() const;
  Tuning& tuning_of(std::size_t size);
  std::optional<Turn> next_turn();
  bool take(Turn turn, std::optional<Turn>& next);
  void search();
  bool rest();
  void open_others();
  void conclude();
  void conclude(std::size_t size, double finals_s);
  std::size_t may_compile() const;

  const TuneRequest& request_;
  const std::vector<Problem>& problems_;
  db::Store& store_;
  const std::atomic<bool>& stop_;
  SizesListener listener_;
  SharedSizes shared_;
  SizePlan plan_;
  std::vector<std::unique_ptr<Tuning>> tunings_;  // by size
  bool interrupted_ = false;
  std::size_t passed_ = 0;  // turns in a row of which nothing was expected
  Times times_;
};

}  // namespace warptune::tuner
