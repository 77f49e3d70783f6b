#include "tuner/session/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <set>

#include "tests/support/temporary_folder.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner {
namespace {

// Answers from a formula: time = x + 1 ms; x == 3 is wrong. Counts what it is asked.
class FormulaEvaluator : public Evaluator {
 public:
  explicit FormulaEvaluator(const search::SearchSpace& space) : space_(space) { info_.id = "formula"; }

  const DeviceInfo& device() const override { return info_; }
  std::size_t capacity() const override { return 3; }
  void submit(const Evaluation& evaluation) override {
    queue_.push_back(evaluation.configuration);
    most_in_flight = std::max(most_in_flight, queue_.size());
    submitted.push_back(space_.key(evaluation.configuration));
  }
  search::Trial next() override {
    if (lost_after && clock_s_ >= *lost_after) throw DeviceLostError("the device is gone");
    search::Trial trial;
    trial.configuration = queue_.front();
    queue_.pop_front();
    clock_s_ += 1;
    const double x = search::to_double(space_.values(trial.configuration)[0].second);
    if (x == 3 || x < broken_below) {
      trial.outcome = search::Outcome::wrong_result;
      trial.message = "three is wrong";
    } else {
      trial.measurement = search::Measurement{{x + 1}, x + 1, 0.001, false};
      if (bits_of) trial.bits = bits_of(x);
      if (watts_of) take_energy(*trial.measurement, x);
    }
    return trial;
  }
  // From the clock's `stuck_after` on, nothing comes back.
  bool wait(double seconds) override {
    if (!stuck_after || clock_s_ < *stuck_after) return true;
    clock_s_ += seconds;
    return false;
  }
  void race_against(const Rivals& rivals) override {
    rivals_ = rivals;
    raced_against.push_back(rivals.best_ms);
  }
  std::size_t cancel() override {
    queue_.clear();
    return 0;
  }
  double now_s() const override { return clock_s_; }

  std::vector<std::string> submitted;
  std::vector<double> raced_against;
  std::optional<double> lost_after, stuck_after;  // on its clock
  double broken_below = 0;
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
  std::deque<search::Configuration> queue_;
  double clock_s_ = 0;
};

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
    const auto chosen = make_strategy(strategy, context);
    Session session({kernel_,
                     space_,
                     {},
                     *chosen,
                     *evaluator_,
                     store_,
                     id_,
                     make_objectives(kernel_, objective_),
                     search::Budget(limits),
                     context.default_configuration,
                     stop_,
                     observer,
                     finals_,
                     spent_s_,
                     most_failures_,
                     false,
                     most_in_flight_,
                     same_bits_});
    evaluator_->bits_of = bits_of_;
    evaluator_->watts_of = watts_of_;
    evaluator_->energy_error = energy_error_;
    evaluator_->broken_below = broken_below_;
    evaluator_->lost_after = lost_after_;
    evaluator_->stuck_after = stuck_after_;
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
  std::optional<double> lost_after_, stuck_after_;
  double spent_s_ = 0;  // before the session
  double broken_below_ = 0;
  std::size_t most_failures_ = 0, most_in_flight_ = 0;
  bool lost_ = false;
  FinalsOptions finals_;
  std::string objective_ = "time";
  SameBits same_bits_;
  std::function<std::optional<search::OutputBits>(double)> bits_of_;
  std::function<double(double)> watts_of_;
  double energy_error_ = 0;
};

TEST_F(SessionTest, ExhaustsASmallSpaceAndKeepsEveryTrial) {
  const SessionResult result = run("exhaustive", {});
  EXPECT_EQ(result.trials.size(), 10u);
  EXPECT_TRUE(result.exhausted);
  EXPECT_EQ(result.reason, "the search is exhausted");
  EXPECT_EQ(store_.trials(id_).size(), 10u);
  EXPECT_EQ(store_.session(id_)->state, db::SessionState::finished);
}

TEST_F(SessionTest, NamesTheWinnerAndTheDefault) {
  const SessionResult result = run("random", {}, nullptr, 7);
  EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=0");
  EXPECT_TRUE(result.default_exists);
  EXPECT_EQ(space_.key(result.trials.at(*result.default_trial).configuration), "x=7");
  const auto winner = store_.winner(id_);
  ASSERT_TRUE(winner.has_value());
  EXPECT_EQ(winner->objective, 1);
  EXPECT_EQ(winner->default_objective, 8);
}

TEST_F(SessionTest, MeasuresTheDefaultFirstAndOnceWhateverTheStrategy) {
  for (const search::StrategyEntry& strategy : search::strategies()) {
    db::SessionRecord record;
    record.key.kernel = strategy.name;
    id_ = store_.create_session(record);
    run(std::string(strategy.name), {}, nullptr, 7);
    const auto& asked = evaluator_->submitted;
    ASSERT_FALSE(asked.empty()) << strategy.name;
    EXPECT_EQ(asked.front(), "x=7") << strategy.name;
    EXPECT_EQ(std::set<std::string>(asked.begin(), asked.end()).size(), asked.size()) << strategy.name;
  }
}

TEST_F(SessionTest, HasAsManyInFlightAsTheEvaluatorWantsOrFewerIfToldSo) {
  run("exhaustive", {});
  EXPECT_EQ(evaluator_->most_in_flight, 3u);
  db::SessionRecord record;
  record.key.kernel = "another";
  id_ = store_.create_session(record);
  most_in_flight_ = 2;
  run("exhaustive", {});
  EXPECT_EQ(evaluator_->most_in_flight, 2u);
}

TEST_F(SessionTest, RecordsFailuresWithTheirReason) {
  run("exhaustive", {});
  const auto trials = store_.trials(id_);
  EXPECT_EQ(trials.at(3).trial.outcome, search::Outcome::wrong_result);
  EXPECT_EQ(trials.at(3).trial.message, "three is wrong");
  EXPECT_TRUE(trials.at(3).trial.objectives.empty());
}

TEST_F(SessionTest, ResumesAndMeasuresNothingTwice) {
  search::BudgetLimits four;
  four.trials = 4;
  run("random", four);
  const std::vector<std::string> first = evaluator_->submitted;
  const SessionResult result = run("random", {});
  EXPECT_EQ(result.resumed, 4u);
  EXPECT_EQ(result.trials.size(), 10u);
  for (const std::string& key : first) EXPECT_EQ(std::ranges::count(evaluator_->submitted, key), 0) << key;
}

TEST_F(SessionTest, StopsWhenTheTimeIsUp) {
  search::BudgetLimits limits;
  limits.seconds = 5;
  const SessionResult result = run("exhaustive", limits);
  EXPECT_EQ(result.trials.size(), 5u);
  EXPECT_FALSE(result.exhausted);
  EXPECT_EQ(result.reason, "the time is up");
}

search::BudgetLimits seconds(double amount) {
  search::BudgetLimits limits;
  limits.seconds = amount;
  return limits;
}

TEST_F(SessionTest, ABudgetOfTimeCountsTheSetUp) {
  spent_s_ = 4;
  const SessionResult result = run("exhaustive", seconds(9));
  EXPECT_EQ(result.trials.size(), 5u);
  EXPECT_EQ(result.setup_s, 4);
  EXPECT_EQ(result.search_s, 5);
  EXPECT_EQ(result.elapsed_s, 9);
}

TEST_F(SessionTest, TheDefaultIsTriedEvenIfTheSetUpTookAllOfTheTime) {
  spent_s_ = 100;
  const SessionResult result = run("random", seconds(9), nullptr, 7);
  ASSERT_EQ(result.trials.size(), 1u);
  EXPECT_EQ(result.default_trial, 0u);
  EXPECT_EQ(result.reason, "the time is up");
}

TEST_F(SessionTest, ATenthOfTheTimeIsKeptForTheFinals) {
  finals_.candidates = 5;
  const SessionResult result = run("exhaustive", seconds(8), nullptr, 1);
  EXPECT_EQ(result.trials.size(), 8u) << "0.8 s are kept, and the eighth ends after 7.2 s";
  EXPECT_FALSE(result.finals.has_value()) << "nothing is left of them";
  spent_s_ = 990;
  db::SessionRecord other;
  other.key.kernel = "other";
  id_ = store_.create_session(other);
  const SessionResult longer = run("exhaustive", seconds(1100), nullptr, 1);
  ASSERT_TRUE(longer.finals.has_value());
  EXPECT_GT(longer.finals_s, 0);
  EXPECT_LE(longer.finals_s, 30);
  EXPECT_DOUBLE_EQ(longer.setup_s + longer.search_s + longer.finals_s, longer.elapsed_s);
}

TEST_F(SessionTest, AShortSearchHasShortFinals) {
  finals_.candidates = 5;
  const SessionResult result = run("exhaustive", {}, nullptr, 1);
  EXPECT_EQ(result.search_s, 10);
  EXPECT_LE(result.finals_s, 2.5);
}

TEST_F(SessionTest, EndsOnTimeWhateverIsStillInFlight) {
  stuck_after_ = 3;
  finals_.candidates = 5;
  const SessionResult result = run("exhaustive", seconds(20), nullptr, 1);
  EXPECT_EQ(result.trials.size(), 3u);
  EXPECT_EQ(result.reason, "the time is up");
  EXPECT_NEAR(result.search_s, 18, 0.001);
  EXPECT_NEAR(result.elapsed_s, 20, 0.001) << "the finals hang, too";
  EXPECT_TRUE(store_.winner(id_).has_value());
}

// Where nothing is correct: as long as the observer says so.
struct Patient : SessionObserver {
  explicit Patient(int patience) : times(patience) {}
  bool on_nothing_correct(const SessionProgress& progress, const search::Trial& latest) override {
    asked.push_back(progress.failed);
    EXPECT_FALSE(latest.correct());
    return --times >= 0;
  }
  void on_default_failed(const search::Trial& trial) override { default_failure = trial.message; }
  int times;
  std::vector<std::size_t> asked;
  std::string default_failure;
};

TEST_F(SessionTest, ManyFailuresInARowAndNothingCorrectEndItUnlessSomebodySaysToGoOn) {
  most_failures_ = 2;
  broken_below_ = 10;
  SessionResult result = run("exhaustive", {});
  EXPECT_EQ(result.trials.size(), 2u);
  EXPECT_EQ(result.reason, "2 configurations in a row failed, and none was correct");
  Patient once(1);
  result = run("exhaustive", {}, &once);
  EXPECT_EQ(result.trials.size(), 6u);
  EXPECT_EQ(once.asked, (std::vector<std::size_t>{2, 4}));
}

TEST_F(SessionTest, FailuresAfterSomethingCorrectEndNothing) {
  most_failures_ = 2;
  broken_below_ = 9;
  EXPECT_EQ(run("exhaustive", {}, nullptr, 9).trials.size(), 10u);
}

TEST_F(SessionTest, TellsOfADefaultThatFails) {
  Patient observer(0);
  run("exhaustive", {}, &observer, 3);
  EXPECT_EQ(observer.default_failure, "three is wrong");
}

TEST_F(SessionTest, StopsWithoutImprovement) {
  search::BudgetLimits limits;
  limits.stagnation = 3;
  EXPECT_EQ(run("exhaustive", limits).trials.size(), 4u);
}

TEST_F(SessionTest, AnInterruptKeepsWhatWasDone) {
  struct StopAfterTwo : SessionObserver {
    explicit StopAfterTwo(std::atomic<bool>& flag) : stop(flag) {}
    void on_trial(const search::Trial&, const SessionProgress& progress) override { stop = progress.done >= 2; }
    std::atomic<bool>& stop;
  } observer(stop_);
  const SessionResult result = run("exhaustive", {}, &observer);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(store_.trials(id_).size(), 2u);
  EXPECT_EQ(store_.session(id_)->state, db::SessionState::interrupted);
}

TEST_F(SessionTest, ALostDeviceKeepsTheTrialsAndTheWinnerSoFar) {
  lost_after_ = 2;
  const SessionResult result = run("exhaustive", {});
  EXPECT_TRUE(lost_);
  EXPECT_EQ(result.trials.size(), 2u);
  EXPECT_EQ(store_.trials(id_).size(), 2u);
  EXPECT_EQ(store_.winner(id_)->objective, 1);
  EXPECT_EQ(store_.session(id_)->state, db::SessionState::interrupted);
}

TEST_F(SessionTest, RacesAgainstEachNewBest) {
  run("exhaustive", {}, nullptr, 7);
  EXPECT_EQ(evaluator_->raced_against, (std::vector<double>{8, 1}));
}

// Even numbers have one class, odd ones another.
std::optional<search::OutputBits> by_parity(double x) {
  const char* odd = static_cast<int>(x) % 2 ? "00000000000000b1" : "00000000000000b0";
  return search::OutputBits{"00000000000000da", odd};
}

TEST_F(SessionTest, OnlyTheDefaultsClassOfBitsMayWin) {
  same_bits_ = same_bits_from_text("default");
  bits_of_ = by_parity;
  finals_.candidates = 5;
  finals_.given = true;
  const SessionResult result = run("exhaustive", {}, nullptr, 7);
  EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=1");
  ASSERT_TRUE(result.finals.has_value());
  for (const Finalist& finalist : result.finals->finalists)
    EXPECT_TRUE(may_win(result.trials[finalist.trial])) << finalist.trial;
  const auto winner = store_.winner(id_);
  EXPECT_EQ(winner->objective, 2);
  EXPECT_DOUBLE_EQ(winner->default_objective.value_or(0), 8);
  for (const db::StoredTrial& stored : store_.trials(id_)) {
    const double x = search::to_double(stored.values[0].second);
    if (x == 3) continue;
    EXPECT_TRUE(stored.trial.correct());
    EXPECT_EQ(stored.trial.measurement->median_ms, x + 1) << "what may not win is measured all the same";
    EXPECT_EQ(may_win(stored.trial), static_cast<int>(x) % 2 == 1) << x;
  }
  for (const db::StoredTrial& best : store_.best_trials(id_, 10))
    EXPECT_EQ(static_cast<int>(search::to_double(best.values[0].second)) % 2, 1);
}

TEST_F(SessionTest, NothingElseIsAskedBeforeTheDefaultsBitsAreKnown) {
  same_bits_ = same_bits_from_text("default");
  bits_of_ = by_parity;
  // The evaluator is made by run(): asked through the fixture's pointer.
  struct Watch : SessionObserver {
    explicit Watch(const std::unique_ptr<FormulaEvaluator>& made) : evaluator(made) {}
    void on_trial(const search::Trial&, const SessionProgress&) override {
      if (submitted == 0) submitted = evaluator->submitted.size();
    }
    const std::unique_ptr<FormulaEvaluator>& evaluator;
    std::size_t submitted = 0;
  } watch(evaluator_);
  run("exhaustive", {}, &watch, 7);
  EXPECT_EQ(watch.submitted, 1u);
}

TEST_F(SessionTest, AResumedSessionKeepsToTheSameClass) {
  same_bits_ = same_bits_from_text("default");
  bits_of_ = by_parity;
  search::BudgetLimits four;
  four.trials = 4;
  run("random", four, nullptr, 8);
  const SessionResult result = run("random", {}, nullptr, 8);
  EXPECT_EQ(result.resumed, 4u);
  EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=0");
  for (const search::Trial& trial : result.trials) {
    const bool even = trial.bits && trial.bits->outputs == "00000000000000b0";
    EXPECT_EQ(may_win(trial), even) << space_.key(trial.configuration);
  }
}

TEST_F(SessionTest, ADefaultAloneWithItsBitsWins) {
  same_bits_ = same_bits_from_text("default");
  bits_of_ = [](double x) {
    return search::OutputBits{"00000000000000da", x == 7 ? "00000000000000b1" : "00000000000000b0"};
  };
  const SessionResult result = run("random", {}, nullptr, 7);
  EXPECT_EQ(result.best, result.default_trial);
}

TEST_F(SessionTest, EndsAtOnceWhereNothingCanHaveTheBits) {
  same_bits_ = same_bits_from_text("default");
  SessionResult result = run("random", {}, nullptr, 3);
  EXPECT_EQ(result.trials.size(), 1u);
  EXPECT_EQ(result.reason, "the default configuration failed, so that nothing can have its bits");
  id_ = other_session("varying");
  bits_of_ = [](double) { return search::OutputBits{"00000000000000da", ""}; };
  result = run("random", {}, nullptr, 7);
  EXPECT_EQ(result.trials.size(), 1u);
  EXPECT_NE(result.reason.find("declared nondeterministic"), std::string::npos) << result.reason;
  EXPECT_FALSE(result.best);
  id_ = other_session("of other inputs");
  bits_of_ = by_parity;
  same_bits_ = same_bits_from_text("00000000000000db-00000000000000b1");
  result = run("random", {}, nullptr, 7);
  EXPECT_LE(result.trials.size(), 3u);
  EXPECT_NE(result.reason.find("cannot be compared"), std::string::npos) << result.reason;
  EXPECT_FALSE(result.best);
}

TEST_F(SessionTest, KnownBitsMayBeOthersThanTheDefaults) {
  same_bits_ = same_bits_from_text("00000000000000da-00000000000000b0");
  bits_of_ = by_parity;
  finals_.candidates = 5;
  finals_.given = true;
  const SessionResult result = run("exhaustive", {}, nullptr, 7);
  EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=0");
  EXPECT_FALSE(store_.winner(id_)->default_objective) << "it may not win";
  EXPECT_EQ(store_.winner(id_)->default_time_ms, 8) << "and is compared by its time";
}

// The power falls with the time, so that the fastest and some slower ones are on the front.
TEST_F(SessionTest, EnergiesAreMeasuredOfWhatMayJoinTheFrontOnly) {
  objective_ = "time,joules";
  watts_of_ = [](double x) { return x < 2 ? 300 - 160 * x : 200; };
  const SessionResult result = run("exhaustive", {});
  EXPECT_EQ(result.trials.size(), 10u);
  std::vector<std::string> front;
  for (const std::size_t i : result.front) front.push_back(space_.key(result.trials[i].configuration));
  EXPECT_EQ(front, (std::vector<std::string>{"x=0", "x=1"}));
  EXPECT_EQ(evaluator_->energies, 7u) << "the first five, and the front once more";
  for (const search::Trial& trial : result.trials) {
    if (!trial.correct()) continue;
    EXPECT_EQ(std::isinf(trial.objectives.at(1)), !trial.measurement->joules);
  }
}

TEST_F(SessionTest, RoughEnergiesOfWhatMayBeOnTheFrontAreMeasuredAgain) {
  objective_ = "time,joules";
  const auto joules = [](double x) { return x == 1 ? 0.285 : 0.3 * (x + 1); };
  watts_of_ = [&](double x) { return joules(x) / (x + 1) * 1e3; };
  energy_error_ = 0.05;
  const SessionResult result = run("exhaustive", {});
  ASSERT_EQ(result.front.size(), 2u);
  for (const std::size_t i : result.front) {
    const double x = search::to_double(space_.values(result.trials[i].configuration)[0].second);
    EXPECT_DOUBLE_EQ(result.trials[i].objectives.at(1), joules(x));
    EXPECT_DOUBLE_EQ(store_.trial(result.ids[i])->trial.objectives.at(1), joules(x)) << "as the store has it";
  }
  EXPECT_NE(result.trials.at(4).objectives.at(1), joules(4)) << "what is far from the front stays rough";
}

// A trial takes a second on this clock, and all of them are doubtful.
TEST_F(SessionTest, EnergiesAreSettledAsFarAsTheTimeAllows) {
  objective_ = "time,joules";
  watts_of_ = [](double x) { return 300 / (x + 1); };
  const SessionResult result = run("exhaustive", seconds(20));
  EXPECT_EQ(result.search_s, 10);
  EXPECT_GT(evaluator_->energies, 9u);
  const SessionResult short_one = [&] {
    id_ = other_session("short");
    return run("exhaustive", seconds(12));
  }();
  EXPECT_EQ(short_one.search_s, 10);
  EXPECT_LE(short_one.elapsed_s, 13) << "the one that is running may exceed the time";
  EXPECT_EQ(short_one.trials.size(), 10u) << "nothing is a trial twice";
}

TEST_F(SessionTest, FinalsSettleTheWinnerItsErrorAndItsTies) {
  finals_.candidates = 5;
  finals_.given = true;  // a visit takes a second on this clock: a quarter of the search is too short
  const SessionResult result = run("exhaustive", {}, nullptr, 1);
  ASSERT_TRUE(result.finals.has_value());
  EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=0");
  EXPECT_EQ(result.finals->finalists.size(), 2u);  // the best and the default
  EXPECT_EQ(result.trials.size(), 10u);            // visits are no trials
  const auto winner = store_.winner(id_);
  ASSERT_EQ(winner->finalists.size(), 2u);
  EXPECT_EQ(winner->finalists[1].objective, 2);
  EXPECT_DOUBLE_EQ(winner->finalists[1].slower_by, 1);
  EXPECT_EQ(winner->default_objective, 2);
  EXPECT_TRUE(winner->ties.empty());
}

TEST_F(SessionTest, ATargetReachedByAnEarlierRunEndsTheNextAtOnce) {
  run("exhaustive", {});
  search::BudgetLimits limits;
  limits.target = 1;
  EXPECT_EQ(run("random", limits).reason, "the target is reached");
}

TEST_F(SessionTest, TheSameSeedGivesTheSameConfigurationsInTheSameOrder) {
  run("random", {});
  const auto first = evaluator_->submitted;
  db::SessionRecord other;
  other.key.kernel = "other";
  id_ = store_.create_session(other);
  run("random", {});
  EXPECT_EQ(evaluator_->submitted, first);
}

}  // namespace
}  // namespace warptune::tuner
