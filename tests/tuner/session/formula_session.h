// A session over a formula instead of a device, for tests of what sessions do.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tuner/device/device_error.h"
#include "tuner/session/session.h"

namespace warptune::tuner {

// Answers from a formula: time = x + 1 ms; x == 3 is wrong. Counts what it is asked. Visits of finals have no bits, and
// times of their own if a test gives them.
class FormulaEvaluator : public Evaluator {
 public:
  explicit FormulaEvaluator(const search::SearchSpace& space) : space_(space) { info_.id = "formula"; }

  const DeviceInfo& device() const override { return info_; }
  std::size_t capacity() const override { return 3; }
  void submit(const Evaluation& evaluation) override {
    queue_.push_back(evaluation);
    most_in_flight = std::max(most_in_flight, queue_.size());
    if (evaluation.purpose != Purpose::proof) submitted.push_back(space_.key(evaluation.configuration));
  }
  search::Trial next() override {
    if (lost_after && clock_s_ >= *lost_after) throw DeviceLostError("the device is gone");
    search::Trial trial;
    trial.configuration = queue_.front().configuration;
    const Purpose purpose = queue_.front().purpose;
    queue_.pop_front();
    if (purpose != Purpose::proof) clock_s_ += 1;
    const double x = search::to_double(space_.values(trial.configuration)[0].second);
    if (purpose == Purpose::counted) {
      trial.counters = search::Counters{{{"dram_bytes", x}}, {}, {}, ""};
    } else if (purpose == Purpose::proof) {
      if (x < remembers_below) trial.outcome = search::Outcome::wrong_result, trial.message = "it remembers";
      proofs.push_back(x);
    } else if (x == 3 || x < broken_below) {
      trial.outcome = search::Outcome::wrong_result;
      trial.message = "three is wrong";
    } else {
      const double ms = purpose == Purpose::finalist && visit_ms_of ? visit_ms_of(x) : x + 1;
      trial.measurement = search::Measurement{{ms}, ms, 0.001, false};
      if (bits_of && purpose == Purpose::trial) trial.bits = bits_of(x);
      if (watts_of) take_energy(*trial.measurement, x);
    }
    return trial;
  }
  // From the clock's `stuck_after` on, and before `stuck_until`, nothing comes back, nor before `first_with` are in
  // flight.
  bool wait(double seconds) override {
    if (most_in_flight < first_with && ++idle_waits < 100) return false;
    if (!stuck_after || clock_s_ < *stuck_after || (stuck_until && clock_s_ >= *stuck_until)) return true;
    clock_s_ += seconds;
    return false;
  }
  void race_against(const Rivals& rivals) override {
    rivals_ = rivals;
    raced_against.push_back(rivals.best_ms);
  }
  std::size_t cancel() override {
    queue_.resize(std::min(queue_.size(), begun));
    return queue_.size();
  }
  double now_s() const override { return clock_s_; }

  std::vector<std::string> submitted;
  std::vector<double> raced_against;
  std::optional<double> lost_after, stuck_after, stuck_until;  // on its clock
  std::size_t begun = 0;                                       // how many of those in flight cannot be cancelled
  std::function<double(double)> visit_ms_of;                   // of x, in finals
  std::size_t first_with = 0, idle_waits = 0;
  double broken_below = 0, remembers_below = 0;
  std::vector<double> proofs;  // in this order
  std::size_t most_in_flight = 0;
  std::function<std::optional<search::OutputBits>(double)> bits_of;  // of x
  std::function<double(double)> watts_of;                            // of x, for energies
  double energy_error = 0;                                           // of the first energy of each
  std::size_t energies = 0;                                          // measured

 private:
  void take_energy(search::Measurement& measurement, double x) {
    if (rivals_.spare_energy(measurement.median_ms)) return;
    measurement.joules = watts_of(x) * measurement.median_ms / 1e3;
    // The first time roughly.
    if (measured_.insert(x).second) *measurement.joules *= energies % 2 ? 1 + energy_error : 1 - energy_error;
    ++energies;
  }

  Rivals rivals_;
  std::set<double> measured_;
  const search::SearchSpace& space_;
  DeviceInfo info_;
  std::deque<Evaluation> queue_;
  double clock_s_ = 0;
};

inline search::BudgetLimits seconds(double amount) {
  search::BudgetLimits limits;
  limits.seconds = amount;
  return limits;
}

class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    kernel_.name = "formula";
    db::SessionRecord record;
    record.key.kernel = "formula";
    id_ = store_.create_session(record);
  }

  db::SessionId other_session(const std::string& kernel) {
    db::SessionRecord record;
    record.key.kernel = kernel;
    return store_.create_session(record);
  }

  static std::vector<search::Value> numbers() {
    std::vector<search::Value> values;
    for (std::int64_t i = 0; i < 10; ++i) values.emplace_back(i);
    return values;
  }

  SessionResult run(const std::string& strategy, search::BudgetLimits limits, SessionObserver* observer = nullptr,
                    std::optional<std::int64_t> start = std::nullopt) {
    evaluator_ = std::make_unique<FormulaEvaluator>(space_);
    search::StrategyContext context{space_, 1, {}, {}, {}};
    if (start) context.default_configuration = space_.find({{"x", *start}});
    return run_with(*make_strategy(strategy, context), context.default_configuration, limits, observer);
  }

  SessionResult run_with(search::Strategy& strategy, std::optional<search::Configuration> default_configuration,
                         search::BudgetLimits limits, SessionObserver* observer = nullptr) {
    if (!evaluator_) evaluator_ = std::make_unique<FormulaEvaluator>(space_);
    Session session({kernel_,
                     space_,
                     {},
                     strategy,
                     *evaluator_,
                     store_,
                     id_,
                     make_objectives(kernel_, objective_),
                     search::Budget(limits),
                     std::move(default_configuration),
                     stop_,
                     observer,
                     finals_,
                     spent_s_,
                     most_failures_,
                     counters_,
                     most_in_flight_,
                     same_bits_});
    evaluator_->bits_of = bits_of_;
    evaluator_->watts_of = watts_of_;
    evaluator_->energy_error = energy_error_;
    evaluator_->broken_below = broken_below_;
    evaluator_->remembers_below = remembers_below_;
    evaluator_->lost_after = lost_after_;
    evaluator_->stuck_after = stuck_after_;
    evaluator_->stuck_until = stuck_until_;
    evaluator_->begun = begun_;
    evaluator_->visit_ms_of = visit_ms_of_;
    try {
      session.run();
    } catch (const DeviceLostError&) {
      lost_ = true;
    }
    return session.result();
  }

  TemporaryFolder folder_;
  db::Store store_ = db::Store::open(folder_.path() / "s.db", db::OpenMode::read_write);
  KernelTemplate kernel_;
  search::SearchSpace space_ = search::SearchSpace::build({{"x", numbers()}}, {});
  std::atomic<bool> stop_{false};
  db::SessionId id_ = 0;
  std::unique_ptr<FormulaEvaluator> evaluator_;
  std::optional<double> lost_after_, stuck_after_, stuck_until_;
  std::size_t begun_ = 0;
  std::function<double(double)> visit_ms_of_;
  bool counters_ = false;
  double spent_s_ = 0;  // before the session
  double broken_below_ = 0, remembers_below_ = 0;
  std::size_t most_failures_ = 0, most_in_flight_ = 0;
  bool lost_ = false;
  FinalsOptions finals_;
  std::string objective_ = "time";
  SameBits same_bits_;
  std::function<std::optional<search::OutputBits>(double)> bits_of_;
  std::function<double(double)> watts_of_;
  double energy_error_ = 0;
};

}  // namespace warptune::tuner
