// Searches many problems with one model, or each by itself in slices of the budget.
#include "tuner/program/cli/tuning/tune_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>

#include "db/objective_value.h"
#include "db/settled.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/workers/process.h"
#include "tuner/program/cli/grammar/progress.h"
#include "tuner/program/cli/stores/neighbours.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/live_page.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/session/replay.h"
#include "tuner/session/sizes/many_sizes.h"
#include "tuner/session/sizes/size_budget.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::cli {

namespace {

// SizeRun holds what became of one problem in the end.
struct SizeRun {
  Problem problem;
  db::SessionId session = 0;
  std::size_t slices = 0;
  std::size_t trials = 0;
  double seconds = 0;
  double setup_s = 0;  // of its last slice
};

// This share of a budget of time is for the finals of all sizes.
constexpr double finals_share = 0.1;

search::BudgetLimits without_finals(search::BudgetLimits limits, bool finals) {
  if (limits.seconds && finals) *limits.seconds *= 1 - finals_share;
  return limits;
}

// SliceOutcome holds what one slice of a size's session did.
struct SliceOutcome {
  bool interrupted = false, exhausted = false;
  std::size_t trials = 0;
  double seconds = 0, setup_s = 0, improvement = 0;
};

class SizesRun {
 public:
  SizesRun(const TuneRequest& request, const std::vector<Problem>& problems, db::Store& store, LivePage& live)
      : request_(request), store_(store), live_(live), limited_(request.budget.seconds || request.budget.trials) {
    for (const Problem& one : problems) runs_.push_back({one});
  }

  // Searches each size by itself. Returns false if it was interrupted.
  bool run_apart(const std::atomic<bool>& stop);
  // Searches all sizes with one model. `complete` has the sizes of each problem with all their names. Needs a budget of
  // time or trials. Returns false if it was interrupted.
  bool run_together(const std::vector<search::NamedValues>& complete, const std::atomic<bool>& stop);
  Table table() const;
  void say_of_uncertain_winners() const;
  bool all_have_winners() const {
    return std::ranges::all_of(runs_,
                               [&](const SizeRun& run) { return run.session != 0 && store_.winner(run.session); });
  }

 private:
  // Returns the seconds of the budget that are left now; without one, infinity.
  double left_s() const;
  bool is_too_short(const SizeBudget::Slice& slice) const;
  SliceOutcome run_slice(SizeBudget::Slice slice, const std::atomic<bool>& stop, const TuneRequest& request);
  void say_beginning(const Tuning& tuning, std::size_t size, const std::string& how);
  static void say_times(ManySizes& many);
  void note(std::size_t size, Tuning& tuning);
  void say_end(const Tuning& tuning, const SessionResult& result, const search::BudgetLimits& limits);
  bool hold_finals(const std::atomic<bool>& stop);
  double finals_s(std::size_t size) const;

  const TuneRequest& request_;
  db::Store& store_;
  LivePage& live_;
  bool limited_;  // the budget has time or trials; if not, each size has one slice, with its finals
  std::vector<SizeRun> runs_;
  std::shared_ptr<workers::IdleWorkers> idle_workers_ = std::make_shared<workers::IdleWorkers>();
  std::optional<Neighbours> neighbours_;  // once for all sizes
  std::set<std::string> notices_;         // the notices that were said
};

double SizesRun::left_s() const {
  if (!request_.budget.seconds) return std::numeric_limits<double>::infinity();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - *request_.started;
  return *request_.budget.seconds - passed.count();
}

// Returns whether opening the device would take all of the slice.
bool SizesRun::is_too_short(const SizeBudget::Slice& slice) const {
  const SizeRun& size = runs_[slice.size];
  return size.slices > 0 && slice.limits.seconds && *slice.limits.seconds <= size.setup_s;
}

bool SizesRun::run_apart(const std::atomic<bool>& stop) {
  TuneRequest request = request_;
  if (limited_) request.finals = 0;
  SizeBudget budget(runs_.size(), without_finals(request_.budget, request_.finals > 0));
  while (const auto slice = budget.next()) {
    if (is_too_short(*slice)) {
      budget.done(*slice, {.exhausted = true});
      continue;
    }
    const bool first = runs_[slice->size].slices == 0;
    const SliceOutcome done = run_slice(*slice, stop, request);
    budget.done(*slice, {.fraction_spent = budget.fraction(done.seconds, done.trials),
                         .improvement = done.improvement,
                         .exhausted = done.exhausted || done.trials == 0});
    if (done.interrupted) return false;
    // The finals will have to open the device once more.
    if (first && limited_ && request_.finals > 0) budget.reserve(budget.fraction(done.setup_s, 0));
  }
  return request_.finals == 0 || !limited_ || hold_finals(stop);
}

// Passes on what one of the sizes' sessions tells.
class OneOfMany : public SessionObserver {
 public:
  // `setter` is the number of the session that sets the devices up, which is the first to say so; 0 before.
  OneOfMany(Progress& progress, SessionObserver& next, std::size_t& setter, std::size_t number, std::size_t of)
      : progress_(progress), next_(next), setter_(setter), number_(number), of_(of) {}

  void on_setup(const std::string& step) override {
    if (setter_ == 0) setter_ = number_;
    if (setter_ == number_) next_.on_setup(step);
  }
  void on_expected(const std::vector<search::ExpectedOutput>& outputs, const std::vector<std::string>& notes) override {
    next_.on_expected(outputs, notes);
  }
  void on_resumed(const SessionProgress& progress) override { turn(), next_.on_resumed(progress); }
  void on_trial(const search::Trial& trial, const SessionProgress& progress) override {
    turn(), next_.on_trial(trial, progress);
  }
  void on_wait(const SessionProgress& progress) override { turn(), next_.on_wait(progress); }
  void on_default_failed(const search::Trial& trial) override { next_.on_default_failed(trial); }
  bool on_nothing_correct(const SessionProgress& progress, const search::Trial& latest) override {
    return next_.on_nothing_correct(progress, latest);
  }
  void on_finals(std::size_t rounds, std::size_t candidates) override { turn(), next_.on_finals(rounds, candidates); }
  void on_counting(std::size_t trial, std::size_t of) override { next_.on_counting(trial, of); }

 private:
  void turn() { progress_.set_size(number_, of_); }

  Progress& progress_;
  SessionObserver& next_;
  std::size_t& setter_;
  std::size_t number_, of_;
};

bool SizesRun::run_together(const std::vector<search::NamedValues>& complete, const std::atomic<bool>& stop) {
  Progress progress;
  SessionObserver& watching = live_.watch(progress);
  std::vector<OneOfMany> observers;
  std::size_t setter = 0;
  for (std::size_t size = 0; size < runs_.size(); ++size)
    observers.emplace_back(progress, watching, setter, size + 1, runs_.size());
  std::vector<Problem> problems;
  for (const SizeRun& run : runs_) problems.push_back(run.problem);
  SizesListener listener;
  listener.observer = [&](std::size_t size) { return &observers[size]; };
  listener.began = [&](std::size_t size, Tuning& tuning) {
    progress.set_tuning(tuning.kernel(), request_.budget);
    note(size, tuning);
    say_beginning(tuning, size, ", by turns");
  };
  listener.turned = [&](std::size_t size, Tuning& tuning) {
    ++runs_[size].slices;
    live_.set_tuning(tuning);
  };
  listener.concluded = [&](std::size_t size, Tuning& tuning, bool reached) {
    note(size, tuning);
    live_.set_tuning(tuning);
    if (reached) live_.finish(tuning.session().result());
  };
  ManySizes many(request_, problems, complete, store_, stop, std::move(listener));
  const bool finished = many.run();
  progress.finish();
  say_times(many);
  const auto missed = std::ranges::count_if(runs_, [](const SizeRun& run) { return run.trials == 0; });
  if (missed > 0)
    say(fmt::format("{} of {} sizes were not reached within the budget; the same command with a larger one goes on",
                    missed, runs_.size()));
  return finished;
}

void SizesRun::note(std::size_t size, Tuning& tuning) {
  SizeRun& run = runs_[size];
  const SessionResult& result = tuning.session().result();
  run.session = tuning.id();
  run.problem = tuning.problem();
  run.trials = result.trials.size() - result.resumed;
  run.seconds = 0;
  for (std::size_t i = result.resumed; i < result.trials.size(); ++i) {
    const search::PhaseTimes& took = result.trials[i].phases;
    run.seconds += (took.verify_ms + took.measure_ms + took.framework_ms) / 1e3;
  }
}

void SizesRun::say_times(ManySizes& many) {
  const ManySizes::Times& times = many.times();
  const workers::CompileCounts counts = many.compiled();
  say(
      fmt::format("{} in {} (set-up {:.1f} s, search {:.1f} s, finals {:.1f} s); {} compiled, {} there already, {} "
                  "failed to compile",
                  counted(times.trials, "trial"), counted(times.visits, "turn"), times.setup_s, times.search_s,
                  times.finals_s, counts.compiled, counts.from_cache, counts.failed));
  for (const auto& [kind, text] : counts.notices) say(text);
}

// Holds finals once for each size, after its last slice. The sizes share what is left of the budget, at most the share
// that is for finals. Returns false if it was interrupted.
bool SizesRun::hold_finals(const std::atomic<bool>& stop) {
  TuneRequest request = request_;
  search::BudgetLimits nothing_more;
  nothing_more.trials = 0;
  for (std::size_t size = 0; size < runs_.size(); ++size) {
    request.finals_seconds = finals_s(size);
    if (*request.finals_seconds > 0 && run_slice({size, nothing_more}, stop, request).interrupted) return false;
  }
  return true;
}

double SizesRun::finals_s(std::size_t size) const {
  const SizeRun& run = runs_[size];
  if (!request_.budget.seconds)
    return std::clamp(run.seconds / 4, 2.0, request_.finals_seconds.value_or(FinalsOptions::most_seconds));
  const double share = left_s() / static_cast<double>(runs_.size() - size) - run.setup_s;
  return std::min({share, *request_.budget.seconds * finals_share / static_cast<double>(runs_.size()),
                   FinalsOptions::most_seconds});
}

SliceOutcome SizesRun::run_slice(SizeBudget::Slice slice, const std::atomic<bool>& stop, const TuneRequest& base) {
  const double begin_s = steady_s();
  SizeRun& size = runs_[slice.size];
  TuneRequest request = base;
  request.sizes = size.problem.sizes;
  // The command's variants are for every line. A line's own variants override them.
  request.variants.insert(request.variants.end(), size.problem.variants.begin(), size.problem.variants.end());
  if (slice.limits.seconds) slice.limits.seconds = std::clamp(left_s(), 0.0, *slice.limits.seconds);
  request.budget = slice.limits;
  request.started = std::chrono::steady_clock::now();
  if (request.workers) request.idle_workers = idle_workers_;
  Progress progress;
  progress.set_size(slice.size + 1, runs_.size());
  Tuning tuning(request, store_, stop, &live_.watch(progress));
  progress.set_tuning(tuning.kernel(), tuning.request().budget);
  live_.set_tuning(tuning);
  size.session = tuning.id();
  size.problem = tuning.problem();
  ++size.slices;
  say_beginning(tuning, slice.size, fmt::format(", slice {}", size.slices));
  tuning.session().run();
  progress.finish();
  live_.finish(tuning.session().result());
  const SessionResult& result = tuning.session().result();
  say_end(tuning, result, slice.limits);
  const SliceOutcome outcome{result.interrupted,   result.exhausted, result.trials.size() - result.resumed,
                             steady_s() - begin_s, result.setup_s,   late_improvement(result.trials, result.resumed)};
  size.trials += outcome.trials;
  size.seconds += outcome.seconds;
  size.setup_s = outcome.setup_s;
  return outcome;
}

void SizesRun::say_beginning(const Tuning& tuning, std::size_t size, const std::string& how) {
  say(fmt::format("size {} of {}: tuning {} for {} on {} ({}), session {}{}", size + 1, runs_.size(),
                  tuning.kernel().name, tuning.problem().text(), tuning.device().id, tuning.device().name, tuning.id(),
                  how));
  if (!neighbours_) {
    say(budget_text(tuning));
    neighbours_.emplace(tuning.devices(), tuning.kernel().name);
  } else if (runs_[size].slices == 1) {
    say(budget_text(tuning));
  }
}

void SizesRun::say_end(const Tuning& tuning, const SessionResult& result, const search::BudgetLimits& limits) {
  for (const std::string& notice : tuning.notices())
    if (notices_.insert(notice).second) say(notice);
  for (const std::filesystem::path& file : tuning.changed_files())
    say(fmt::format("{} changed during the session, which measured it as it was at its start", file.string()));
  if (limits.trials == std::size_t{0}) return say(fmt::format("finals in {}", time_text(result)));
  say(fmt::format("{} in {}: {}", counted(result.trials.size() - result.resumed, "trial"), time_text(result),
                  result.reason));
}

void SizesRun::say_of_uncertain_winners() const {
  for (const SizeRun& run : runs_)
    if (const auto winner = run.session == 0 ? std::nullopt : store_.winner(run.session))
      say_of_an_uncertain_winner(run.session, *winner, request_.evaluator.policy.precision);
}

Table SizesRun::table() const {
  Table table(
      {"problem_size", "session", "trials", "slices", "seconds", "time_ms", "value", "speed_up", "configuration"});
  table.heading("problem_size", "SIZE").heading("time_ms", "TIME");
  table.less_important({"slices", "seconds", "session", "value"});
  if (request_.objective == "time") table.only_for_programs({"value"});  // it is the TIME beside it
  for (const SizeRun& run : runs_) {
    const auto session = run.session == 0 ? std::nullopt : store_.session(run.session);
    const auto winner = session ? store_.winner(run.session) : std::nullopt;
    Cell time_ms, value, speed_up, configuration;
    if (winner) {
      time_ms = time_cell(winner->time_ms);
      speed_up = speed_up_cell(*winner);
      const auto usual = winner->default_trial ? store_.trial(*winner->default_trial) : std::nullopt;
      value = objective_cell(session->objective, db::objective_value(winner->objective, *session));
      if (const auto trial = store_.trial(winner->trial))
        configuration = configuration_cell(trial->values, usual ? usual->values : search::NamedValues{});
    }
    const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
    table.add({run.problem.values(), run.session == 0 ? Cell() : Cell(run.session), count(run.trials),
               count(run.slices), Cell(three_digits(run.seconds), run.seconds), time_ms, value, speed_up,
               configuration});
  }
  return table;
}

// Returns whether one model may search all sizes. It needs a budget to share, more than one size, and a time or a
// metric to predict. It has to be free to learn from earlier sessions, and needs workers of this machine for all sizes.
// A target, or another limit that each size reaches by itself, is not for all of them together. What was asked for by
// name, such as a strategy, is not replaced.
bool may_be_shared(const TuneRequest& request, const std::vector<Problem>& complete) {
  const bool one_variant = std::ranges::all_of(
      complete, [&](const Problem& problem) { return problem.variants == complete.front().variants; });
  const search::BudgetLimits& limits = request.budget;
  const bool shared =
      (limits.seconds || limits.trials) && !limits.target && !limits.stagnation && !limits.min_expected_improvement;
  return complete.size() > 1 && one_variant && shared && request.strategy == "auto" && request.transfer.automatic &&
         !request.deterministic && request.workers && !request.agents && !names_recording(request.device) &&
         request.objective.find(',') == std::string::npos;
}

}  // namespace

void tune_sizes(const TuneRequest& request, const std::vector<Problem>& problems, const KernelTemplate& kernel,
                const std::optional<std::string>& serve, Context& context) {
  db::Store store = context.open_store(db::OpenMode::read_write);
  const Interrupt interrupt;
  LivePage live(serve, context);
  SizesRun run(request, problems, store, live);
  const auto report = [&] { context.print("tune", "sizes", run.table()); };
  try {
    std::vector<Problem> complete;
    for (const Problem& problem : problems) complete.push_back(resolve_problem(kernel, "", problem));
    std::vector<search::NamedValues> sizes;
    for (const Problem& problem : complete) sizes.push_back(problem.sizes);
    const bool finished =
        may_be_shared(request, complete) ? run.run_together(sizes, interrupt.flag()) : run.run_apart(interrupt.flag());
    if (!run.all_have_winners()) context.exit_code = nothing_correct;
    if (!finished) context.exit_code = interrupted;
  } catch (...) {
    report();  // what was measured until then; the reason follows from main
    throw;
  }
  report();
  run.say_of_uncertain_winners();
}

}  // namespace warptune::tuner::cli
