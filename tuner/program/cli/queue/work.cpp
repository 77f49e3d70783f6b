// Implements `warptune work`, which takes submitted work, one after the other, and tunes it on this machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "db/queue.h"
#include "db/store_address.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/queue/quota.h"
#include "tuner/program/cli/stores/shared_cache.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/session/queue/work_loop.h"

namespace warptune::tuner::cli {

namespace {

struct WorkArguments {
  WorkRequest request;
  std::string idle_exit = "0";
  SharedCacheArguments shared_cache;
};

// Says on stderr what happens.
class WorkReport : public WorkObserver {
 public:
  explicit WorkReport(const std::filesystem::path& store) : store_(store) {}

  void on_offer(const std::string& worker, const std::vector<std::string>& devices) override {
    say(fmt::format("{} offers {} to the work in {}", worker, fmt::join(devices, ", "),
                    db::shown_name(store_).string()));
  }
  void on_taken(const TakenWork& taken) override {
    say(fmt::format("work {}: {} for {}{}", taken.work, taken.kernel, search::to_text(taken.problem),
                    taken.attempts > 1 ? fmt::format(", attempt {}", taken.attempts) : ""));
  }
  void on_words(const std::string& text) override { say(text); }
  void on_unkept_best(const TakenWork& taken, const std::string& configuration,
                      const std::optional<double>& time_ms) override {
    say(fmt::format("work {}: the best so far is {}{}", taken.work, configuration,
                    time_ms ? ", " + duration_text(*time_ms) : ""));
  }
  void on_ended(const TakenWork& taken) override {
    say(fmt::format("work {}: {}{}", taken.work, to_string(taken.end),
                    taken.session != 0 ? fmt::format(", session {}", taken.session) : ""));
  }

 private:
  std::filesystem::path store_;
};

Table table_of(const std::vector<TakenWork>& all) {
  Table table({"work", "kernel", "problem_size", "state", "session"});
  for (const TakenWork& one : all)
    table.add({one.work, one.kernel, one.problem, std::string(to_string(one.end)),
               one.session != 0 ? Cell(one.session) : Cell()});
  return table;
}

void tell_of_quotas(const std::filesystem::path& store) {
  for (const db::WorkUser& user : db::WorkQueue::open(store, db::OpenMode::read_only).users())
    if (const auto why = why_held_back(user); why && user.queued > 0)
      say(fmt::format("{} of {} stay queued: {}", user.queued, user.name, *why));
}

void run_work(const WorkArguments& options, Context& context) {
  set_environment(options.shared_cache);  // for the sessions; who submits work does not choose the cache
  shared_cache();                         // throws now if an argument of the cache is wrong
  WorkRequest request = options.request;
  request.store = context.store_name();
  request.program = worker_program().file;
  request.backend = backend_options();
  const Interrupt interrupt;
  WorkReport report(request.store);
  WorkLoop loop(request, interrupt.flag(), report);
  loop.run();
  if (!interrupt.flag().load() && !loop.trouble()) tell_of_quotas(request.store);
  context.print("work", "work", table_of(loop.taken()));
  if (loop.trouble()) throw *loop.trouble();
  if (interrupt.flag().load()) context.exit_code = interrupted;
}

}  // namespace

void add_work(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("work", "Tune queued sessions of a shared store on this machine");
  auto options = std::make_shared<WorkArguments>();
  verb->add_option("--device", options->request.device,
                   "devices to tune on: cuda:0, cuda:all, host …; default: the best available")
      ->type_name("DEVICE");
  verb->add_flag("--drain", options->request.drain, "exit when the queue is empty");
  verb->add_option("--idle-exit", options->idle_exit, "exit after this time without work, as 90s or 10m; 0: never")
      ->check(plain_duration())
      ->type_name("TIME")
      ->capture_default_str();
  verb->add_option("--grace", options->request.grace_s, "on SIGTERM, time for the session to end cleanly")
      ->check(real(0, most_seconds))
      ->type_name("SECONDS")
      ->capture_default_str();
  add_shared_cache_options(*verb, options->shared_cache);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(*verb, {{"all there is to do, on all GPUs of this node",
                        "warptune work --device cuda:all --drain --db postgresql://db.site/tuning"}});
  verb->callback([options, &context] {
    options->request.idle_exit_s = plain_duration_s(options->idle_exit).value_or(0);
    run_work(*options, context);
  });
}

}  // namespace warptune::tuner::cli
