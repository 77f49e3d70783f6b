// Implements `warptune work`, which takes submitted work, one after the other, and tunes it on this machine.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <thread>

#include "db/queue.h"
#include "db/store_address.h"
#include "tuner/device/backends/device_choice.h"
#include "tuner/kernel/files/bundle.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/limits.h"
#include "tuner/program/cli/grammar/numbers.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/queue/quota_text.h"
#include "tuner/program/cli/queue/submitted.h"
#include "tuner/program/cli/queue/worked_session.h"
#include "tuner/program/cli/stores/shared_cache.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/system/machine.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct WorkArguments {
  std::string device;
  bool drain = false;
  std::string idle_exit = "0";
  double idle_exit_s = 0;  // 0: never
  double grace_s = 20;
  SharedCacheArguments shared_cache;
};

double seconds_since(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// Returns the devices that are offered, as "NVIDIA H200 (cuda, sm_90)". --gpu of `submit` names a part of this.
std::vector<std::string> offered(const std::string& choice) {
  const DeviceList list = workers::FirstWorker(worker_program()).list_devices(backend_options());
  std::vector<std::string> names;
  for (const DeviceInfo& device : choose_devices(list, choice))
    names.push_back(fmt::format("{} ({}, {})", device.name, device.backend, device.architecture));
  return names;
}

class Worker {
 public:
  Worker(const WorkArguments& options, const Context& context)
      : options_(options),
        context_(context),
        queue_(db::WorkQueue::open(context.store_name(), db::OpenMode::read_write)) {}

  void run();
  Table table() const { return table_; }
  bool was_interrupted() const { return interrupt_.flag().load(); }
  // Returns the store's error that ended the worker before its time; nothing else could be kept in this store either.
  const std::optional<db::StoreError>& trouble() const { return trouble_; }

 private:
  void serve(const db::WorkRecord& work);
  std::string unpack_order(const db::WorkRecord& work, const std::filesystem::path& folder) const;
  std::vector<std::string> arguments_for(const db::WorkRecord& work, const std::filesystem::path& folder) const;
  bool watch(const db::WorkRecord& work, WorkedSession& session);
  void settle(const db::WorkRecord& work, WorkedSession& session);
  bool store_is_well();
  void note(const db::WorkRecord& work, std::string_view state, std::optional<db::SessionId> session);
  bool may_wait(Clock::time_point idle_since) const;
  double pause_s(double idle_s);
  void rest(double seconds) const;
  void tell_of_quotas() const;

  const WorkArguments& options_;
  const Context& context_;
  const Interrupt interrupt_;
  db::WorkQueue queue_;
  std::optional<db::StoreError> trouble_;
  std::minstd_rand generator_{std::random_device{}()};
  Table table_{{"work", "kernel", "problem_size", "state", "session"}};
};

std::vector<std::string> Worker::arguments_for(const db::WorkRecord& work, const std::filesystem::path& folder) const {
  std::vector<std::string> arguments{(folder / work.order.manifest).string(), "--format=json"};
  if (!options_.device.empty()) arguments.push_back("--device=" + options_.device);
  arguments.insert(arguments.end(), work.order.arguments.begin(), work.order.arguments.end());
  // The time that earlier attempts have spent is taken off the budget. A little is left in any case, to settle on a
  // winner.
  constexpr double least_s = 10;
  if (work.order.budget_s)
    arguments.push_back(fmt::format(
        "--budget={:.0f}s", std::max(*work.order.budget_s - work.spent_s, std::min(least_s, *work.order.budget_s))));
  return arguments;
}

// Waits until the session has ended, and stops it if it has to end. Returns false if the work is now somebody else's,
// or nobody's.
bool Worker::watch(const db::WorkRecord& work, WorkedSession& session) {
  constexpr int beat_ms = 1000;
  const auto start = Clock::now();
  std::optional<Clock::time_point> stopped;
  bool ours = true, said = false;
  const auto beat = [&] {
    try {
      ours = ours && queue_.beat(work, work.spent_s + seconds_since(start));
      said = false;
    } catch (const db::StoreError& error) {
      using Cause = db::StoreError::Cause;
      if (error.cause() != Cause::cannot_open && error.cause() != Cause::disk_full) throw;
      // The session has its own connection, and ends by itself if nothing more can be kept.
      if (!said) say(error.what());
      said = true;
    }
  };
  while (!session.ended_within(beat_ms)) {
    beat();
    if ((!ours || was_interrupted()) && !stopped) {
      session.stop();
      stopped = Clock::now();
    }
    if (stopped && seconds_since(*stopped) > options_.grace_s) session.kill();
  }
  beat();  // its last second is charged too
  return ours;
}

void Worker::note(const db::WorkRecord& work, std::string_view state, std::optional<db::SessionId> session) {
  say(fmt::format("work {}: {}{}", work.id, state, session ? fmt::format(", session {}", *session) : ""));
  table_.add({work.id, work.order.kernel, work.order.problem, std::string(state), session ? Cell(*session) : Cell()});
}

// Returns whether another session could use the store. A later version of the program may have changed its schema, or
// its disk may be full.
bool Worker::store_is_well() {
  try {
    db::WorkQueue::open(context_.store_name(), db::OpenMode::read_write);
    queue_.require_space();
  } catch (const db::StoreError& error) {
    if (error.cause() == db::StoreError::Cause::cannot_open) throw;  // work cannot be given back either
    trouble_ = error;
  }
  return !trouble_;
}

// Records what a session's end means for its work. Some failures would repeat anywhere, some only here or now.
void Worker::settle(const db::WorkRecord& work, WorkedSession& session) {
  const int code = session.exit_code();
  if (code == success) {
    queue_.finish(work, db::WorkState::done, session.session(), "");
    note(work, "done", session.session());
  } else if (code == nothing_correct || code == request_error || code == usage_error) {
    queue_.finish(work, db::WorkState::failed, session.session(),
                  code == nothing_correct ? "no configuration gave the right result" : session.last_words());
    note(work, "failed", session.session());
  } else {
    if (const std::string best = session.best(); code == store_error && !best.empty())
      say(fmt::format("work {}: the best so far is {}", work.id, best));
    const bool ended_on_purpose = code == interrupted || was_interrupted();
    // A store that takes nothing more would otherwise use up all attempts of all work in no time.
    const bool counted = !ended_on_purpose && (code != store_error || store_is_well());
    queue_.give_back(work, counted, ended_on_purpose ? "" : session.last_words());
    note(work, "given back", session.session());
  }
}

// Unpacks the work's template into the folder. Returns what is wrong with the work whoever takes it; empty if nothing
// is.
std::string Worker::unpack_order(const db::WorkRecord& work, const std::filesystem::path& folder) const {
  if (std::string why = refusal_of_arguments(work.order.arguments); !why.empty()) return why;
  try {
    std::vector<BundledFile> files;
    for (db::WorkFile& file : queue_.files(work.id)) files.push_back({std::move(file.path), std::move(file.content)});
    if (std::ranges::find(files, work.order.manifest, &BundledFile::path) == files.end())
      return fmt::format("its manifest '{}' is none of the files that were submitted", work.order.manifest);
    unpack(files, folder);
  } catch (const RequestError& error) {
    return error.what();
  } catch (const db::StoreError& error) {
    if (error.cause() != db::StoreError::Cause::corrupt) throw;
    return error.what();
  }
  return {};
}

void Worker::serve(const db::WorkRecord& work) {
  say(fmt::format("work {}: {} for {}{}", work.id, work.order.kernel, search::to_text(work.order.problem),
                  work.attempts > 1 ? fmt::format(", attempt {}", work.attempts) : ""));
  const ScratchFolder folder;
  if (const std::string why = unpack_order(work, folder.path()); !why.empty()) {
    queue_.finish(work, db::WorkState::failed, std::nullopt, why);
    return note(work, "failed", std::nullopt);
  }
  WorkedSession session(arguments_for(work, folder.path()), context_.store_name());
  if (watch(work, session))
    settle(work, session);
  else
    note(work, "taken away", session.session());
}

bool Worker::may_wait(Clock::time_point idle_since) const {
  if (options_.drain || was_interrupted()) return false;
  return options_.idle_exit_s == 0 || seconds_since(idle_since) < options_.idle_exit_s;
}

void Worker::tell_of_quotas() const {
  for (const db::WorkUser& user : queue_.users())
    if (const auto why = why_held_back(user); why && user.queued > 0)
      say(fmt::format("{} of {} stay queued: {}", user.queued, user.name, *why));
}

// Returns the pause before the next look at the queue. It grows with the time without work, and is random, so that
// workers do not look all at once. For each look the server has to look at all claims.
double Worker::pause_s(double idle_s) {
  constexpr double shortest_s = 1, longest_s = 5;
  const double most_s = std::clamp(idle_s / 4, shortest_s, longest_s);
  const double chosen_s = std::uniform_real_distribution<double>(most_s / 2, most_s)(generator_);
  return options_.idle_exit_s > 0 ? std::clamp(options_.idle_exit_s - idle_s, 0.0, chosen_s) : chosen_s;
}

void Worker::rest(double seconds) const {
  const auto since = Clock::now();
  while (seconds_since(since) < seconds && !was_interrupted())
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void Worker::run() {
  const std::vector<std::string> devices = offered(options_.device);
  const std::string name = process_name();
  say(fmt::format("{} offers {} to the work in {}", name, fmt::join(devices, ", "),
                  db::shown_name(context_.store_name()).string()));
  for (auto idle_since = Clock::now(); !was_interrupted() && !trouble_;) {
    if (const auto work = queue_.claim(devices, name)) {
      serve(*work);
      idle_since = Clock::now();
      continue;
    }
    if (!may_wait(idle_since)) break;
    rest(pause_s(seconds_since(idle_since)));
  }
  if (!was_interrupted() && !trouble_) tell_of_quotas();
}

void run_work(const WorkArguments& options, Context& context) {
  set_environment(options.shared_cache);  // for the sessions; who submits work does not choose the cache
  shared_cache();                         // throws now if an argument of the cache is wrong
  Worker worker(options, context);
  worker.run();
  context.print("work", "work", worker.table());
  if (worker.trouble()) throw *worker.trouble();
  if (worker.was_interrupted()) context.exit_code = interrupted;
}

}  // namespace

void add_work(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("work", "Tune queued sessions of a shared store on this machine");
  auto options = std::make_shared<WorkArguments>();
  verb->add_option("--device", options->device,
                   "devices to tune on: cuda:0, cuda:all, host …; default: the best available")
      ->type_name("DEVICE");
  verb->add_flag("--drain", options->drain, "exit when the queue is empty");
  verb->add_option("--idle-exit", options->idle_exit, "exit after this time without work, as 90s or 10m; 0: never")
      ->check(plain_duration())
      ->type_name("TIME")
      ->capture_default_str();
  verb->add_option("--grace", options->grace_s, "on SIGTERM, time for the session to end cleanly")
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
    options->idle_exit_s = plain_duration_s(options->idle_exit).value_or(0);
    run_work(*options, context);
  });
}

}  // namespace warptune::tuner::cli
