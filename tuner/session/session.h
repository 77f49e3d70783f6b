// Runs the session loop: ask the strategy, evaluate, record, tell. It emits events and prints nothing.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/store.h"
#include "search/budget.h"
#include "search/space/search_space.h"
#include "search/strategies/strategy.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/metrics/metrics.h"
#include "tuner/measure/sampling/same_bits.h"
#include "tuner/session/energy_front.h"
#include "tuner/session/finals.h"
#include "tuner/session/result.h"

namespace warptune::tuner {

struct SessionParts {
  const KernelTemplate& kernel;
  const search::SearchSpace& space;
  search::NamedValues constants;  // sizes and device limits
  search::Strategy& strategy;
  Evaluator& evaluator;
  db::Store& store;
  db::SessionId id;
  std::vector<Objective> objectives;  // the primary one first; at least one
  search::Budget budget;
  std::optional<search::Configuration> default_configuration;  // measured before anything the strategy proposes
  const std::atomic<bool>& stop;                               // set from a signal handler
  SessionObserver* observer = nullptr;
  FinalsOptions finals = {};
  double spent_s = 0;              // of the user's time, before the session
  std::size_t most_failures = 0;   // in a row with nothing correct; 0: any number
  bool counters = false;           // read the counters of the finalists, or of the best without finals
  std::size_t most_in_flight = 0;  // 0: as many as the evaluator wants
  SameBits same_bits = {};         // whose bits a winner must have; "default" needs a default configuration
};

class Session {
 public:
  explicit Session(SessionParts parts);

  // Runs until the budget is spent, the space or the strategy exhausted, or `stop` is set. Each trial is durable before
  // anybody hears of it. Throws db::StoreError (a full disk …) and whatever a lost device throws; `result` then holds
  // what was done until then.
  void run();

  // These do the same as `run` in parts, for sessions that share an evaluator and run by turns. Call `begin` once, then
  // `visit` as often as there is something to try, and `conclude` once. They throw what `run` throws; after that
  // nothing but `conclude` may follow.
  void begin();
  // Runs until the strategy proposes nothing more and nothing is in flight, the budget is spent, or `stop` is set.
  // Whenever the evaluator has got work, and several times a second, `meanwhile` is told how much of it is in flight.
  using Meanwhile = std::function<void(std::size_t in_flight)>;
  void visit(const Meanwhile& meanwhile);
  // Settles the winner. If `finals_s` is above 0, it first holds finals of so many seconds and proves the winner.
  void conclude(double finals_s);

  // Notes that the evaluator can measure, so that what was spent until now is set-up. Until this is called, the set-up
  // is what `spent_s` was.
  void note_ready() { result_.setup_s = elapsed_s(); }

  const SessionResult& result() const { return result_; }

 private:
  // While nothing happens, the observer is called at this interval.
  static constexpr double wait_s = 0.25;
  // A strategy that had nothing to propose may be thinking (strategy_thread.h). It is asked again after this time.
  static constexpr double thought_s = 0.002;

  double elapsed_s() const { return parts_.evaluator.now_s() - start_s_; }
  double left_s() const;
  // Returns how much later than the budget says the first trial and the winner's proof may come.
  double lateness_s() const;
  double finals_limit_s() const;
  bool may_hold_finals() const;
  void reserve();
  template <class Part>
  void guarded(const Part& part);
  void resume();
  void search();
  std::optional<std::string> spent() const;
  bool has_begun() const;
  bool wait_for_trial();
  bool gives_up();
  std::optional<double> expected_improvement() const;
  void fill();
  std::vector<search::Configuration> ask(std::size_t n);
  void submit(const search::Configuration& configuration);
  void accept(search::Trial trial);
  void keep(search::Trial trial, db::TrialId id);
  void consider(std::size_t number);
  void rate(search::Trial& trial) const;
  search::Trial rated_like(const search::Trial& candidate, const search::Measurement& measurement) const;
  double finals_cost(const search::Trial& candidate, const search::Measurement& measurement) const;
  void learn(const search::Trial& trial);
  void settle_energies();
  void record_energy(search::Trial measured);
  bool drain();
  void hold_finals();
  void record_finals();
  void prove_winner();
  void refute(std::size_t trial, const search::Trial& run);
  bool is_founded(const FinalsResult& finals) const;
  std::vector<std::size_t> obligatory_finalists() const;
  void settle_winner();
  std::optional<std::size_t> index_of(db::TrialId id) const;
  std::optional<FinalsResult> finals_of(const db::Winner& winner) const;
  std::vector<std::size_t> to_be_counted() const;
  void count_finalists();
  void record_counters(std::size_t trial, search::Trial counted);
  void finish();
  db::Winner winner() const;
  std::vector<std::size_t> front() const;
  SessionProgress progress() const;

  SessionParts parts_;
  SessionResult result_;
  BitsRule bits_;
  EnergyFront energy_;
  std::set<std::size_t> proved_;  // trials that were proved right on inputs that no run had seen
  std::size_t in_flight_ = 0;
  std::size_t failed_ = 0;
  std::size_t failed_in_a_row_ = 0;  // since the last that was correct, or since somebody said to go on
  bool default_known_ = false;       // submitted or resumed
  const Meanwhile* meanwhile_ = nullptr;
  bool owed_ = false;             // fewer are in flight than wanted, for the strategy had nothing to propose
  double watched_s_ = 0;          // when the observer last heard that nothing happens
  double start_s_ = 0;            // when the user's time began, on the evaluator's clock
  double finals_reserved_s_ = 0;  // reserved of a budget of time, for the finals alone
  double reserved_s_ = 0;         // reserved of a budget of time, for the finals and what else is measured again
};

}  // namespace warptune::tuner
