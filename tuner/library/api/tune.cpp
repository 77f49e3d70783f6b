// Opens the store and runs sessions in it, or work's loop.
#include "tuner/library/api/tune.h"

#include "db/settled.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/library/api/summary.h"
#include "tuner/session/queue/work_loop.h"
#include "tuner/session/sizes/sizes_tuning.h"
#include "tuner/session/tuning.h"

namespace warptune {

namespace {

const std::atomic<bool> never{false};

// Integers are sizes until the template says otherwise (resolve_problem).
tuner::Problem problem_of(const search::NamedValues& values) {
  tuner::Problem problem;
  for (const auto& [name, value] : values)
    (std::holds_alternative<std::int64_t>(value) ? problem.sizes : problem.variants).emplace_back(name, value);
  return problem;
}

TunedSize tuned_size(const tuner::SizeRun& run, const db::Store& store) {
  TunedSize size;
  size.problem = run.problem.values();
  size.session = run.session;
  size.trials = run.trials;
  size.seconds = run.seconds;
  const auto winner = run.session == 0 ? std::nullopt : store.winner(run.session);
  if (!winner) return size;
  if (const auto trial = store.trial(winner->trial)) size.best = trial->values;
  size.best_ms = winner->time_ms.value_or(0);
  size.default_ms = winner->default_time_ms;
  return size;
}

}  // namespace

TunerResult tune(const TuneRequest& wanted, const TuneContext& context) {
  TuneRequest request = wanted;
  if (!request.started) request.started = std::chrono::steady_clock::now();
  db::Store store = db::Store::open(context.store, db::OpenMode::read_write);
  tuner::Tuning tuning(request, store, context.stop ? *context.stop : never, context.observer);
  tuning.session().run();
  return summarize(tuning.session().result(), tuning.space(), tuning.device());
}

SizesResult tune_sizes(const TuneRequest& wanted, const std::vector<search::NamedValues>& problems,
                       const TuneContext& context) {
  TuneRequest request = wanted;
  if (!request.started) request.started = std::chrono::steady_clock::now();
  const tuner::KernelTemplate kernel = tuner::load_template(request.manifest);
  std::vector<tuner::Problem> wanted_problems;
  for (const search::NamedValues& values : problems) wanted_problems.push_back(problem_of(values));
  db::Store store = db::Store::open(context.store, db::OpenMode::read_write);
  tuner::SizesListener listener;
  listener.observer = [&](std::size_t) { return context.observer; };
  tuner::SizesTuning tuning(request, kernel, wanted_problems, store, context.stop ? *context.stop : never,
                            std::move(listener));
  SizesResult result;
  result.interrupted = !tuning.run();
  for (const tuner::SizeRun& run : tuning.runs()) result.sizes.push_back(tuned_size(run, store));
  return result;
}

std::vector<TakenWork> work(const WorkRequest& request, WorkObserver* observer, const std::atomic<bool>* stop) {
  WorkObserver nobody;
  tuner::WorkLoop loop(request, stop ? *stop : never, observer ? *observer : nobody);
  loop.run();
  if (loop.trouble()) throw *loop.trouble();
  return loop.taken();
}

}  // namespace warptune
