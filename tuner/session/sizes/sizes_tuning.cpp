// Decides how the problems are searched, runs the slices of those that are searched apart, and holds their finals.
#include "tuner/session/sizes/sizes_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "tuner/kernel/problem.h"
#include "tuner/measure/workers/process.h"
#include "tuner/session/finals.h"
#include "tuner/session/replay.h"
#include "tuner/system/clock.h"

namespace warptune::tuner {

namespace {

search::BudgetLimits without_finals(search::BudgetLimits limits, bool finals) {
  if (limits.seconds && finals) *limits.seconds *= 1 - ManySizes::finals_share;
  return limits;
}

void require_many_problems_possible(const TuneRequest& request, const std::vector<Problem>& problems) {
  if (problems.empty()) throw RequestError("cannot tune many problems: the list of problems is empty");
  if (!request.same_bits_as.empty() && request.same_bits_as != "default")
    throw RequestError(fmt::format(
        "cannot tune many problems for the output bits of session {}, which are of one problem: only those of the "
        "default configuration can be asked for",
        request.same_bits_as));
  if (names_recording(request.device))
    throw RequestError(
        fmt::format("cannot tune many problems on {}: a recording is of one problem; tune that", request.device));
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

// SliceOutcome holds what one slice of a size's session did.
struct SizesTuning::SliceOutcome {
  bool interrupted = false, exhausted = false;
  std::size_t trials = 0;
  double seconds = 0, setup_s = 0, improvement = 0;
};

SizesTuning::SizesTuning(const TuneRequest& request, const KernelTemplate& kernel, const std::vector<Problem>& problems,
                         db::Store& store, const std::atomic<bool>& stop, SizesListener listener)
    : request_(request),
      problems_(problems),
      store_(store),
      stop_(stop),
      listener_(std::move(listener)),
      limited_(request.budget.seconds || request.budget.trials) {
  require_many_problems_possible(request, problems);
  std::vector<Problem> complete;
  for (const Problem& problem : problems) {
    runs_.push_back({problem});
    complete.push_back(resolve_problem(kernel, "", problem));
    complete_.push_back(complete.back().sizes);
    if (std::ranges::count(complete, complete.back()) > 1)
      throw RequestError(fmt::format("cannot tune {} for {} twice at once: name each problem once", kernel.name,
                                     complete.back().text()));
  }
  together_ = may_be_shared(request, complete);
}

double SizesTuning::left_s() const {
  if (!request_.budget.seconds) return std::numeric_limits<double>::infinity();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - *request_.started;
  return *request_.budget.seconds - passed.count();
}

// Returns whether opening the device would take all of the slice.
bool SizesTuning::is_too_short(const SizeBudget::Slice& slice) const {
  const SizeRun& size = runs_[slice.size];
  return size.slices > 0 && slice.limits.seconds && *slice.limits.seconds <= size.setup_s;
}

bool SizesTuning::run_apart() {
  TuneRequest request = request_;
  if (limited_) request.finals = 0;
  SizeBudget budget(runs_.size(), without_finals(request_.budget, request_.finals > 0));
  while (const auto slice = budget.next()) {
    if (is_too_short(*slice)) {
      budget.done(*slice, {.exhausted = true});
      continue;
    }
    const bool first = runs_[slice->size].slices == 0;
    const SliceOutcome done = run_slice(*slice, request);
    budget.done(*slice, {.fraction_spent = budget.fraction(done.seconds, done.trials),
                         .improvement = done.improvement,
                         .exhausted = done.exhausted || done.trials == 0});
    if (done.interrupted) return false;
    // The finals will have to open the device once more.
    if (first && limited_ && request_.finals > 0) budget.reserve(budget.fraction(done.setup_s, 0));
  }
  return request_.finals == 0 || !limited_ || hold_finals();
}

SizesTuning::SliceOutcome SizesTuning::run_slice(SizeBudget::Slice slice, const TuneRequest& base) {
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
  Tuning tuning(request, store_, stop_, listener_.observer ? listener_.observer(slice.size) : nullptr);
  size.session = tuning.id();
  size.problem = tuning.problem();
  ++size.slices;
  if (size.slices == 1 && listener_.began) listener_.began(slice.size, tuning);
  if (listener_.turned) listener_.turned(slice.size, tuning);
  tuning.session().run();
  if (listener_.concluded) listener_.concluded(slice.size, tuning, true);
  const SessionResult& result = tuning.session().result();
  const SliceOutcome outcome{result.interrupted,   result.exhausted, result.trials.size() - result.resumed,
                             steady_s() - begin_s, result.setup_s,   late_improvement(result.trials, result.resumed)};
  size.trials += outcome.trials;
  size.seconds += outcome.seconds;
  size.setup_s = outcome.setup_s;
  return outcome;
}

// Holds finals once for each size, after its last slice. The sizes share what is left of the budget, at most the share
// that is for finals. Returns false if it was interrupted.
bool SizesTuning::hold_finals() {
  TuneRequest request = request_;
  search::BudgetLimits nothing_more;
  nothing_more.trials = 0;
  for (std::size_t size = 0; size < runs_.size(); ++size) {
    request.finals_seconds = finals_s(size);
    if (*request.finals_seconds > 0 && run_slice({size, nothing_more}, request).interrupted) return false;
  }
  return true;
}

double SizesTuning::finals_s(std::size_t size) const {
  const SizeRun& run = runs_[size];
  if (!request_.budget.seconds)
    return std::clamp(run.seconds / 4, 2.0, request_.finals_seconds.value_or(FinalsOptions::most_seconds));
  const double share = left_s() / static_cast<double>(runs_.size() - size) - run.setup_s;
  return std::min({share, *request_.budget.seconds * ManySizes::finals_share / static_cast<double>(runs_.size()),
                   FinalsOptions::most_seconds});
}

bool SizesTuning::run_together() {
  SizesListener listener = listener_;
  listener.began = [this](std::size_t size, Tuning& tuning) {
    note(size, tuning);
    if (listener_.began) listener_.began(size, tuning);
  };
  listener.turned = [this](std::size_t size, Tuning& tuning) {
    ++runs_[size].slices;
    if (listener_.turned) listener_.turned(size, tuning);
  };
  listener.concluded = [this](std::size_t size, Tuning& tuning, bool reached) {
    note(size, tuning);
    if (listener_.concluded) listener_.concluded(size, tuning, reached);
  };
  ManySizes many(request_, problems_, complete_, store_, stop_, std::move(listener));
  const bool finished = many.run();
  summary_ = {many.times(), many.compiled()};
  return finished;
}

void SizesTuning::note(std::size_t size, Tuning& tuning) {
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

}  // namespace warptune::tuner
